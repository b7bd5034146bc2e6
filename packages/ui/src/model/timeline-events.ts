/** The attempts of a run, put together from its history: when each was queued, given to a worker, and ended. */
import type { Attempt } from './timeline.ts';

/** The fields of a history entry that attempts need. */
export interface HistoryEvent {
  readonly at: string;
  readonly kind: string;
  readonly task: string | null;
  readonly shard: number | null;
  readonly number: number | null;
  readonly state: string | null;
}

/** Attempts by the name of their task, in order. */
export function attemptsOfEvents(events: readonly HistoryEvent[]): ReadonlyMap<string, readonly Attempt[]> {
  const found = new Map<string, Map<string, Attempt>>();
  const rounds = events.flatMap(({ kind, at }) => (kind === 'round' ? [Date.parse(at)] : []));
  for (const { at, kind, task, shard, number, state } of events) {
    if (task === null || number === null || !['queued', 'assigned', 'attempt'].includes(kind)) continue;
    const key = `${shard} ${number}`;
    const ofTask = found.get(task) ?? new Map<string, Attempt>();
    found.set(task, ofTask);
    const known = ofTask.get(key) ?? {
      shard,
      number,
      round: 1,
      state: 'queued',
      queuedAt: null,
      startedAt: null,
      endedAt: null,
    };
    ofTask.set(key, changed(known, kind, Date.parse(at), state, rounds));
  }
  return new Map([...found].map(([task, attempts]) => [task, [...attempts.values()].sort(inOrder)]));
}

/** `rounds` is when each round before ended. */
function changed(
  attempt: Attempt,
  kind: string,
  at: number,
  state: string | null,
  rounds: readonly number[],
): Attempt {
  if (kind === 'queued')
    return { ...attempt, queuedAt: at, round: 1 + rounds.filter((end) => end <= at).length };
  if (kind === 'assigned')
    return { ...attempt, startedAt: at, state: attempt.endedAt === null ? 'running' : attempt.state };
  return { ...attempt, endedAt: at, state: state ?? attempt.state };
}

function inOrder(a: Attempt, b: Attempt): number {
  return (a.shard ?? -1) - (b.shard ?? -1) || a.number - b.number;
}
