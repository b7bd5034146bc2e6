/**
 * The ticks of all schedules in a range of time, by due time: those that were fired or skipped come from the store, those
 * that are due next are worked out from the schedules.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Answer } from '@orrery/contract';
import { timingOf } from '@orrery/core/model';
import { said } from '@orrery/core/texts';
import { ticksBetween } from '@orrery/core/time';
import type { AnyTick, NamedSchedule } from '@orrery/store';
import type { Context } from '../context.ts';
import { Refusal } from '../problem.ts';
import { timeText } from '../time.ts';
import { recordedWording } from '../worded.ts';

type Tick = Answer<'listTicks'>['ticks'][number];

/** Limit of schedules read for upcoming ticks. */
const MOST_SCHEDULES = 10_000;

/** Ticks computed before yielding. */
const IN_A_ROW = 2_000;

/** The query for ticks. */
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
  if (from >= to) throw new Refusal('bad-request', said('time.toAfterFrom'));
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

/** Steps that one answer has at most. */
const MOST_STEPS = 5_000;

/** Ticks to come that are counted at most. */
const MOST_COMING = 200_000;

/** How many ticks a range has, by steps. */
export async function countTicks(
  { store }: Context,
  query: Omit<TickQuery, 'limit' | 'after'> & { readonly step: number },
): Promise<Answer<'countTicks'>> {
  const { project, workflow, step } = query;
  const [from, to] = [Date.parse(query.from), Date.parse(query.to)];
  if (from >= to) throw new Refusal('bad-request', said('time.toAfterFrom'));
  if ((to - from) / step > MOST_STEPS)
    throw new Refusal('bad-request', said('time.tooManySteps', { most: MOST_STEPS }));
  const range = { from, to, project, workflow, limit: MOST_SCHEDULES };
  const [past, ahead] = await Promise.all([
    store.countTicks({ from, to, step, project, workflow }),
    store.schedulesDueBefore(range),
  ]);
  const steps = new Map(past.map(({ at, ...counts }) => [at, { ...counts, due: 0 }]));
  let left = MOST_COMING;
  let worked = 0;
  for (const { spec, nextDue } of ahead) {
    const dues = ticksBetween(timingOf(spec), Math.max(nextDue ?? to, from) - 1, to - 1, left + 1);
    left -= dues.length;
    worked += 1 + dues.length;
    for (const due of left < 0 ? dues.slice(0, left) : dues) {
      const at = Math.floor((due - from) / step);
      const counts = steps.get(at) ?? { fired: 0, skipped: 0, due: 0 };
      counts.due++;
      steps.set(at, counts);
    }
    if (left < 0) break;
    if (worked > IN_A_ROW) {
      worked = 0;
      await nextTurn();
    }
  }
  const found = [...steps].sort(([one], [other]) => one - other);
  return {
    steps: {
      at: found.map(([at]) => timeText(from + at * step)),
      fired: found.map(([, { fired }]) => fired),
      skipped: found.map(([, { skipped }]) => skipped),
      due: found.map(([, { due }]) => due),
    },
    partial: left < 0 || ahead.length === MOST_SCHEDULES,
  };
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
    // Ticks after a full page need not be computed.
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
  return { ...head, state: 'skipped', until: timeText(until), count, reason, ...recordedWording(reason) };
}

function showComing({ schedule: { id, project, workflowName, name }, due }: Coming): Tick {
  return { schedule: id, project, workflow: workflowName, name, due: timeText(due), state: 'due' };
}
