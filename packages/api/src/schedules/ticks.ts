/**
 * The ticks of all schedules in a range of time, by due time: those that were fired or skipped come from the store, those
 * that are due next are worked out from the schedules.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Answer } from '@orrery/core/contract';
import { timingOf } from '@orrery/core/model';
import { ticksBetween } from '@orrery/core/time';
import type { AnyTick, NamedSchedule } from '@orrery/store';
import { Refusal } from '../problem.ts';
import type { Context } from '../server.ts';
import { timeText } from '../time.ts';

type Tick = Answer<'listTicks'>['ticks'][number];

/** Schedules that are looked at for ticks to come. */
const MOST_SCHEDULES = 10_000;

/** Ticks that are worked out before others have a turn. */
const IN_A_ROW = 2_000;

/** What is asked for. */
export interface TickQuery {
  readonly from: string;
  readonly to: string;
  readonly project?: string;
  readonly workflow?: number;
  readonly limit: number;
  readonly after?: { readonly due: number; readonly schedule: number };
}

/** A page of ticks. */
export async function listTicks({ store }: Context, query: TickQuery): Promise<Tick[]> {
  const { project, workflow, limit, after } = query;
  const [from, to] = [Date.parse(query.from), Date.parse(query.to)];
  if (from >= to) throw new Refusal('bad-request', 'to: must be after from');
  const range = { from, to, project, workflow, limit };
  const [past, ahead] = await Promise.all([
    store.pageTicks({ ...range, after }),
    store.schedulesDueBefore({ ...range, limit: MOST_SCHEDULES }),
  ]);
  const coming = await comingTicks(ahead, { ...range, after: after ?? { due: from, schedule: 0 } });
  return [...past.map(showPast), ...coming.map(showComing)]
    .sort((a, b) => (a.due === b.due ? a.schedule - b.schedule : a.due < b.due ? -1 : 1))
    .slice(0, limit);
}

interface Coming {
  readonly schedule: NamedSchedule;
  readonly due: number;
}

/** The first ticks to come after a place, of all schedules together. */
async function comingTicks(
  schedules: readonly NamedSchedule[],
  { from, to, limit, after }: Required<Pick<TickQuery, 'after' | 'limit'>> & { from: number; to: number },
): Promise<Coming[]> {
  let found: Coming[] = [];
  let until = to;
  let worked = 0;
  for (const schedule of schedules) {
    const start = Math.max(schedule.nextDue ?? to, from, after.due);
    const dues = ticksBetween(timingOf(schedule.spec), start - 1, until - 1, limit + 1);
    worked += 1 + dues.length;
    if (worked > IN_A_ROW) {
      worked = 0;
      await nextTurn();
    }
    for (const due of dues)
      if (due > after.due || schedule.id > after.schedule) found.push({ schedule, due });
    if (found.length < 4 * limit) continue;
    // Whatever lies behind a full page need not be worked out.
    found = found.sort(inOrder).slice(0, limit);
    until = Math.min(until, found[limit - 1].due + 1);
  }
  return found.sort(inOrder).slice(0, limit);
}

function inOrder(a: Coming, b: Coming): number {
  return a.due - b.due || a.schedule.id - b.schedule.id;
}

function showPast({
  schedule,
  project,
  workflow,
  name,
  due,
  until,
  count,
  firedAt,
  run,
  reason,
}: AnyTick): Tick {
  const head = { schedule, project, workflow, name, due: timeText(due), firedAt: timeText(firedAt) };
  if (reason === null) return { ...head, state: 'fired', run: run ?? 0 };
  return { ...head, state: 'skipped', until: timeText(until), count, reason };
}

function showComing({ schedule: { id, project, workflowName, name }, due }: Coming): Tick {
  return { schedule: id, project, workflow: workflowName, name, due: timeText(due), state: 'due' };
}
