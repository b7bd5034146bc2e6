/**
 * Judges one interval of business time for one item. Its latest business time decides, and there the latest
 * round, so that a rerun repairs a failure and an old success does not hide a new failure.
 */
import { formatDate } from '../params/date-pattern.ts';
import { MINUTE, type Zone } from '../time/zone.ts';
import type {
  DependencyItem,
  DependencyState,
  OnFailure,
  RoundFact,
  TaskFact,
  Watched,
} from './condition.ts';
import type { Interval } from './windows.ts';

/** The clock and calendar of an evaluation. */
export interface EvaluationTime {
  zone: Zone;
  now: number;
  /** Since when the dependent waits: a wait after failure counts from here if the failure is older. */
  since: number;
  /** Whether a workflow has a due time in an interval; undefined if it has no schedule. */
  hasDue?(project: string, workflow: string, stretch: Interval): boolean | undefined;
}

/** State of one interval, and the reason in words. */
export interface IntervalVerdict {
  from: number;
  to: number;
  state: DependencyState;
  reason: string;
  /** Met only because its workflow has no due time there. */
  noDue?: true;
  /** When the state changes by time alone: the end of a wait after failure. */
  recheckAt?: number;
}

/** State of the watched thing by its rounds, before any policy, and a text to add to the reason. */
interface Finding {
  state: DependencyState;
  text: string;
}

/** Judges one interval by the rounds of the item's workflow, in any order. */
export function judge(
  item: Pick<DependencyItem, 'project' | 'workflow' | 'watch' | 'onFailure'>,
  [from, to]: Interval,
  rounds: readonly RoundFact[],
  time: EvaluationTime,
): IntervalVerdict {
  const inside = rounds.filter(({ businessTime }) => businessTime >= from && businessTime < to);
  const latest = inside.reduce((newest, { businessTime }) => Math.max(newest, businessTime), from);
  const decisive = inside
    .filter(({ businessTime }) => businessTime === latest)
    .toSorted((a, b) => ended(a) - ended(b));
  const { state, text } = find(item.watch, decisive);
  if (inside.length === 0 && time.hasDue?.(item.project, item.workflow, [from, to]) === false) {
    const reason = `${item.project}/${item.workflow} has no due time from ${shown(from, time.zone)} to ${shown(to, time.zone)}`;
    return { from, to, state: 'success', reason: `${reason}: nothing to wait for`, noDue: true };
  }
  const what = `${subject(item.watch)}${item.project}/${item.workflow} of ${shown(latest, time.zone)}`;
  if (state === 'success') return { from, to, state, reason: `${what}: ${text}` };
  if (state === 'waiting') return { from, to, state, reason: `waits for ${what}: ${text}` };
  const until = waitsUntil(item.onFailure, decisive, time.since);
  if (time.now >= until) return { from, to, state, reason: `${what}: ${text}` };
  return {
    from,
    to,
    state: 'waiting',
    reason: `waits for ${what}: ${text}, for a rerun until ${shown(until, time.zone)}`,
    recheckAt: until,
  };
}

function find(watch: Watched, rounds: readonly RoundFact[]): Finding {
  const last = rounds.at(-1);
  if (!last) return { state: 'waiting', text: 'no run yet' };
  if (watch === 'workflow') return whole(last);
  if (watch === 'all') return last.state === 'success' ? everyTask(rounds) : whole(last);
  const round = rounds.findLast(({ tasks }) => Object.hasOwn(tasks, watch.task));
  if (round) return oneTask(round.tasks[watch.task], round);
  if (last.state === 'running') return whole(last);
  return { state: 'failed', text: 'the run has no such task' };
}

function whole({ state, open }: RoundFact): Finding {
  return open ? { state: 'waiting', text: `run ${open.run} is ${open.state}` } : plain(state);
}

function everyTask(rounds: readonly RoundFact[]): Finding {
  const tasks = new Map(rounds.flatMap((round) => Object.entries(round.tasks)));
  for (const [name, state] of tasks) {
    if (state !== 'success' && state !== 'skipped') {
      const { state: judged, text } = plain(state);
      return { state: judged, text: `task ${name} ${text}` };
    }
  }
  return plain('success');
}

/** A task that was passed over counts as its run did. */
function oneTask(state: TaskFact, round: RoundFact): Finding {
  if (state !== 'skipped') return plain(state);
  const { state: judged, text } = plain(round.state);
  return { state: judged, text: `skipped, its run ${text}` };
}

function plain(state: RoundFact['state']): Finding {
  if (state === 'running') return { state: 'waiting', text: 'not finished' };
  if (state === 'stopped') return { state: 'failed', text: 'was stopped' };
  return { state, text: state === 'success' ? 'succeeded' : 'failed' };
}

function waitsUntil(onFailure: OnFailure, rounds: readonly RoundFact[], since: number): number {
  if (onFailure === 'fail') return Number.NEGATIVE_INFINITY;
  return Math.max(since, ...rounds.map(({ endedAt }) => endedAt ?? since)) + onFailure.wait;
}

function ended({ endedAt }: RoundFact): number {
  return endedAt ?? Number.MAX_SAFE_INTEGER;
}

function subject(watch: Watched): string {
  if (watch === 'workflow') return '';
  return watch === 'all' ? 'every task of ' : `task ${watch.task} of `;
}

function shown(at: number, zone: Zone): string {
  return formatDate(at % MINUTE === 0 ? 'yyyy-MM-dd HH:mm' : 'yyyy-MM-dd HH:mm:ss', at, zone);
}
