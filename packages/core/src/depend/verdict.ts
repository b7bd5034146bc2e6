/**
 * Judges one interval of business time for one item. Its latest business time decides, and there the latest
 * round, so that a rerun repairs a failure and an old success does not hide a new failure.
 */
import { formatDate } from '../params/date-pattern.ts';
import { type Said, said } from '../texts/index.ts';
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

/** State of one interval, and its reason. */
export interface IntervalVerdict {
  from: number;
  to: number;
  state: DependencyState;
  reason: Said;
  /** Met only because its workflow has no due time there. */
  noDue?: true;
  /** When the state changes by time alone: the end of a wait after failure. */
  recheckAt?: number;
}

/** State of the watched thing by its rounds, before any policy, and a text to add to the reason. */
interface Finding {
  state: DependencyState;
  text: Said;
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
    const reason = said('depend.noDue', {
      workflow: `${item.project}/${item.workflow}`,
      from: shown(from, time.zone),
      to: shown(to, time.zone),
    });
    return { from, to, state: 'success', reason, noDue: true };
  }
  const fields = { what: subject(item, shown(latest, time.zone)), text };
  if (state === 'success') return { from, to, state, reason: said('depend.is', fields) };
  if (state === 'waiting') return { from, to, state, reason: said('depend.waits', fields) };
  const until = waitsUntil(item.onFailure, decisive, time.since);
  if (time.now >= until) return { from, to, state, reason: said('depend.is', fields) };
  const reason = said('depend.waitsUntil', { ...fields, until: shown(until, time.zone) });
  return { from, to, state: 'waiting', reason, recheckAt: until };
}

function find(watch: Watched, rounds: readonly RoundFact[]): Finding {
  const last = rounds.at(-1);
  if (!last) return { state: 'waiting', text: said('depend.noRun') };
  if (watch === 'workflow') return whole(last);
  if (watch === 'all') return last.state === 'success' ? everyTask(rounds) : whole(last);
  const round = rounds.findLast(({ tasks }) => Object.hasOwn(tasks, watch.task));
  if (round) return oneTask(round.tasks[watch.task], round);
  if (last.state === 'running') return whole(last);
  return { state: 'failed', text: said('depend.noTask') };
}

function whole({ state, open }: RoundFact): Finding {
  return open
    ? { state: 'waiting', text: said('depend.open', { run: open.run, state: open.state }) }
    : plain(state);
}

function everyTask(rounds: readonly RoundFact[]): Finding {
  const tasks = new Map(rounds.flatMap((round) => Object.entries(round.tasks)));
  for (const [name, state] of tasks) {
    if (state !== 'success' && state !== 'skipped') {
      const { state: judged, text } = plain(state);
      return { state: judged, text: said('depend.ofTask', { task: name, text }) };
    }
  }
  return plain('success');
}

/** A task that was passed over counts as its run did. */
function oneTask(state: TaskFact, round: RoundFact): Finding {
  if (state !== 'skipped') return plain(state);
  const { state: judged, text } = plain(round.state);
  return { state: judged, text: said('depend.skipped', { text }) };
}

function plain(state: RoundFact['state']): Finding {
  if (state === 'running') return { state: 'waiting', text: said('depend.notFinished') };
  if (state === 'stopped') return { state: 'failed', text: said('depend.stopped') };
  return { state, text: said(state === 'success' ? 'depend.succeeded' : 'depend.failed') };
}

function waitsUntil(onFailure: OnFailure, rounds: readonly RoundFact[], since: number): number {
  if (onFailure === 'fail') return Number.NEGATIVE_INFINITY;
  return Math.max(since, ...rounds.map(({ endedAt }) => endedAt ?? since)) + onFailure.wait;
}

function ended({ endedAt }: RoundFact): number {
  return endedAt ?? Number.MAX_SAFE_INTEGER;
}

function subject({ project, workflow: name, watch }: Parameters<typeof judge>[0], at: string): Said {
  const workflow = `${project}/${name}`;
  if (watch === 'workflow') return said('depend.whole', { workflow, at });
  return watch === 'all'
    ? said('depend.every', { workflow, at })
    : said('depend.task', { task: watch.task, workflow, at });
}

function shown(at: number, zone: Zone): string {
  return formatDate(at % MINUTE === 0 ? 'yyyy-MM-dd HH:mm' : 'yyyy-MM-dd HH:mm:ss', at, zone);
}
