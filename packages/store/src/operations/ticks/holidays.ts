/**
 * Days that schedules leave out by a calendar: stored with the calendar, and added to a schedule when it is
 * read.
 */

import type { ExcludedDays, ScheduleSpec } from '@orrery/core/model';
import { calendarsOf } from '@orrery/core/model/uses';
import { said } from '@orrery/core/texts';
import { Conflict } from '../../errors.ts';
import { batch, type Operation } from '../../operation.ts';

/** The key of a calendar. */
export interface CalendarKey {
  readonly project: string;
  readonly name: string;
}

/** Content of a calendar. */
export interface CalendarBody extends ExcludedDays {
  readonly description: string;
}

/** Adds their calendars' days to schedules. Schedules with one calendar share one object, parsed once. */
export function* withHolidays<Row extends { readonly project: string; readonly spec: ScheduleSpec }>(
  found: readonly Row[],
): Operation<Row[]> {
  const wanted = new Map<string, CalendarKey>();
  for (const { project, spec } of found)
    if (spec.calendar !== undefined)
      wanted.set(`${project}/${spec.calendar}`, { project, name: spec.calendar });
  if (wanted.size === 0) return [...found];
  const days = yield* daysOf([...wanted.values()]);
  return found.map((each) => {
    const holidays = days.get(`${each.project}/${each.spec.calendar}`);
    return holidays ? { ...each, spec: { ...each.spec, holidays } } : each;
  });
}

/** Adds its calendar's days to one schedule of a project, read from a file. */
export function* readHolidays({
  project,
  spec,
}: {
  readonly project: string;
  readonly spec: ScheduleSpec;
}): Operation<ScheduleSpec> {
  const [found] = yield* withHolidays([{ project, spec }]);
  return found.spec;
}

/** Refuses schedules whose calendars the project lacks: they could not fire. */
export function* refuseUnknownCalendars(project: string, specs: readonly ScheduleSpec[]): Operation<void> {
  const wanted = calendarsOf(specs);
  const known = yield* daysOf(wanted.map((name) => ({ project, name })));
  const missing = wanted.find((name) => !known.has(`${project}/${name}`));
  if (missing !== undefined) throw new Conflict(said('calendar.missing', { project, name: missing }));
}

/** Days of calendars, by project and name. */
function* daysOf(keys: readonly CalendarKey[]): Operation<Map<string, ExcludedDays>> {
  if (keys.length === 0) return new Map();
  const { rows: found } = yield* batch<CalendarKey & { body: string }>(
    {
      sqlite: `SELECT project, name, body FROM calendar WHERE project = ?1 AND name = ?2`,
      postgres: `SELECT project, name, body FROM calendar
        WHERE (project, name) IN (SELECT * FROM unnest(?1::text[], ?2::text[]))`,
    },
    ['text', 'text'],
    keys.map(({ project, name }) => [project, name]),
  );
  return new Map(
    found.map(({ project, name, body }) => {
      const { dates, yearly, weekdays } = JSON.parse(body) as CalendarBody;
      return [`${project}/${name}`, { dates, yearly, weekdays }];
    }),
  );
}
