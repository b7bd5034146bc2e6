/**
 * Checks that every schedule can fire: a unique name, either cron or every, a readable cron, at least one
 * tick.
 */

import { said } from '../../texts/index.ts';
import { nextTick, parseCron } from '../../time/index.ts';
import { entryAt, type Found, isRecord, type Outline } from '../outline.ts';
import { type Report, reportRefusal } from '../problem.ts';
import { completeSchedule, MOST_SCHEDULES, schedule } from '../schema/schedule.ts';
import { timezone } from '../schema/values.ts';
import { timingOf } from '../timing.ts';

/** Reports every fault of the schedules. */
export function checkSchedules({ keys, schedules }: Outline, report: Report): void {
  const names = new Set<unknown>();
  const zoneOfWorkflow = timezone.safeParse(keys.timezone ?? 'UTC').data;
  for (const found of schedules.slice(0, MOST_SCHEDULES)) {
    const { value: name = 'main', path } = entryAt(found, 'name');
    if (names.has(name)) report(path, 'duplicate-name', said('file.scheduleTwice', { name: String(name) }));
    names.add(name);
    const readable = checkWhen(found, report);
    if (readable && zoneOfWorkflow !== undefined) checkTicks(found, zoneOfWorkflow, report);
  }
}

/** Whether it has exactly one readable timing. */
function checkWhen(found: Found, report: Report): boolean {
  const cron = typeof found.value === 'string' ? found : entryAt(found, 'cron');
  const every = entryAt(found, 'every');
  const { value } = cron;
  const readable =
    typeof value !== 'string' || reportRefusal(report, cron.path, 'bad-cron', () => parseCron(value));
  const hasCron = value !== undefined;
  if (hasCron !== (every.value !== undefined)) return readable;
  if (!hasCron && !isRecord(found.value)) return false;
  if (hasCron) report(every.path, 'cron-or-every', said('file.cronAndEvery'));
  else report(found.path, 'cron-or-every', said('file.noCron'));
  return false;
}

function checkTicks(found: Found, zoneOfWorkflow: string, report: Report): void {
  const read = schedule.safeParse(found.value);
  if (!read.success) return;
  const spec = completeSchedule(read.data, zoneOfWorkflow);
  const { from = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = spec;
  if (until < from) {
    report([...found.path, 'until'], 'never-fires', said('file.untilBeforeFrom'));
  } else if (nextTick(timingOf({ ...spec, calendar: undefined }), Number.NEGATIVE_INFINITY) === undefined) {
    const keys = (['cron', 'every', 'from', 'until', 'exclude'] as const).filter(
      (key) => spec[key] !== undefined,
    );
    const why =
      keys.length === 1
        ? said('file.noSuchTime', { cron: String(spec.cron) })
        : said('file.noCommonTime', { keys });
    report(found.path, 'never-fires', said('file.neverFires', { why }));
  }
}
