/** `/calendars`: named days of a project on which schedules that refer to them do not fire. */
import { said } from '@orrery/core/texts';
import { type CalendarKey, type CalendarRow, Conflict } from '@orrery/store';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { Changed, Refusal } from '../problem.ts';
import { optionalTime, timeText } from '../time.ts';

/** What the operations do. */
export function calendarHandlers({ store, clock, hints }: Context) {
  const find = async (key: CalendarKey) => (await store.listCalendars(key)).at(0);

  return {
    listCalendars: async ({ query: { project } }) => ({
      calendars: (await store.listCalendars({ project })).map(shown),
    }),

    showCalendar: async ({ params }, reply) => {
      const found = await find(params);
      if (!found) throw missing(params);
      reply.header('etag', `"${found.revision}"`);
      return shown(found);
    },

    setCalendar: async ({ params, headers, body, request }, reply) => {
      const { dryRun, ...calendar } = body;
      const by = request.identity.name;
      const { calendar: written, moved } = await store
        .setCalendar({ ...params, calendar, revision: headers.ifMatch, dryRun, by, now: clock.now() })
        .catch(async (error: unknown) => {
          if (!(error instanceof Conflict)) throw error;
          const present = await find(params);
          throw new Changed(error.said ?? error.message, present ? shown(present) : null);
        });
      if (!dryRun) {
        hints.schedulesChanged?.();
        reply.header('etag', `"${written.revision}"`);
      }
      return {
        ...shown(written),
        moved: moved.map(({ id, before, after, ...rest }) => ({
          schedule: id,
          ...rest,
          before: optionalTime(before),
          after: optionalTime(after),
        })),
      };
    },

    deleteCalendar: async ({ params, request }) => {
      const by = request.identity.name;
      if (!(await store.deleteCalendar({ ...params, by, now: clock.now() }))) throw missing(params);
      return undefined;
    },
  } satisfies Partial<Handlers>;
}

function missing({ project, name }: CalendarKey): Refusal {
  return new Refusal('not-found', said('none.calendar', { name: `${project}/${name}` }));
}

function shown({ changedAt, dates, yearly, weekdays, ...row }: CalendarRow) {
  return {
    ...row,
    dates: [...dates],
    yearly: [...yearly],
    weekdays: [...weekdays],
    changedAt: timeText(changedAt),
  };
}
