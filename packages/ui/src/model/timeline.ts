/**
 * The timeline of a run: one row per task, with spans of waiting and running. Spans come from the attempts if
 * they are loaded, or else from the task run itself.
 */
import type { Task } from './run.ts';
import { hasEnded } from './state.ts';

/** A stretch of time. `to` is null while it lasts. */
export interface Span {
  readonly kind: 'wait' | 'run';
  readonly from: number;
  readonly to: number | null;
  /** For a run: its outcome, or that it runs. For a wait: the waiting state, such as `retrying`. */
  readonly state: string;
  readonly attempt: number;
}

/** One try of a task run or of one of its shards. */
export interface Attempt {
  readonly shard: number | null;
  readonly number: number;
  /** Of the run: between two rounds nothing waits. */
  readonly round: number;
  readonly state: string;
  readonly queuedAt: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** The spans of a task run as it knows them itself. */
export function spansOfTask(task: Task): readonly Span[] {
  const { queuedAt, startedAt, endedAt, state, attempt, since } = task;
  const over = hasEnded(state);
  const spans: Span[] = [];
  const waitsFrom = queuedAt ?? (waits(state) ? since : null);
  if (waitsFrom !== null && (startedAt === null || startedAt > waitsFrom)) {
    const to = startedAt ?? (over ? (endedAt ?? since) : null);
    spans.push({
      kind: 'wait',
      from: waitsFrom,
      to,
      state: startedAt === null && !over ? state : waitedIn(startedAt, state, task.type),
      attempt,
    });
  }
  if (startedAt !== null) {
    const to = over ? (endedAt ?? since) : waits(state) ? since : null;
    spans.push({
      kind: 'run',
      from: startedAt,
      to,
      state: over ? state : to === null ? 'running' : 'failed',
      attempt,
    });
    if (to !== null && !over) spans.push({ kind: 'wait', from: to, to: null, state, attempt });
  }
  return spans;
}

/** The spans of attempts side by side in one row: queue, work, and the wait for the next try between them. */
export function spansOfAttempts(attempts: readonly Attempt[]): readonly Span[] {
  const spans: Span[] = [];
  const ordered = [...attempts].sort((a, b) => a.number - b.number);
  let ended: number | null = null;
  let before = 0;
  for (const { number, round, state, queuedAt, startedAt, endedAt } of ordered) {
    if (queuedAt === null) continue;
    if (ended !== null && round === before && queuedAt > ended)
      spans.push({ kind: 'wait', from: ended, to: queuedAt, state: 'retrying', attempt: number });
    const begins = startedAt ?? endedAt;
    if (begins === null || begins > queuedAt)
      spans.push({
        kind: 'wait',
        from: queuedAt,
        to: begins,
        state: waitedIn(startedAt, state),
        attempt: number,
      });
    if (startedAt !== null)
      spans.push({
        kind: 'run',
        from: startedAt,
        to: endedAt,
        state: endedAt === null ? 'running' : state,
        attempt: number,
      });
    ended = endedAt;
    before = round;
  }
  return spans;
}

/**
 * The state of a finished wait: a task that succeeded without a worker waited for something else, such as a
 * run of its own.
 */
function waitedIn(startedAt: number | null, state: string, type?: string): string {
  const forOthers = state === 'success' || (type !== undefined && awaiting.has(type));
  return startedAt === null && forOthers ? 'waiting' : 'submitted';
}

/** Types that wait for runs or people, however that ends; no worker takes them. */
const awaiting = new Set(['sub-workflow', 'dynamic', 'dependent', 'approval']);

const waiting = new Set(['submitted', 'waiting', 'delayed', 'retrying', 'paused']);

function waits(state: string): boolean {
  return waiting.has(state);
}

/** From the first start to the last end, or to now while something is open; undefined before anything began. */
export function extentOf(
  rows: readonly (readonly Span[])[],
  now: number,
): { from: number; to: number } | undefined {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const spans of rows) {
    for (const span of spans) {
      from = Math.min(from, span.from);
      to = Math.max(to, span.to ?? now);
    }
  }
  return from > to ? undefined : { from, to: Math.max(to, from + 1) };
}

/** Stretches in which nothing waited and nothing ran, in order; the one after the last end is not among them. */
export function idleOf(rows: readonly (readonly Span[])[]): readonly Stretch[] {
  const spans = rows.flat().sort((a, b) => a.from - b.from);
  const idle: Stretch[] = [];
  let covered = spans[0]?.from ?? 0;
  for (const { from, to } of spans) {
    if (from > covered) idle.push([covered, from]);
    covered = Math.max(covered, to ?? Number.POSITIVE_INFINITY);
  }
  return idle;
}

/** A stretch of time, from and to. */
export type Stretch = readonly [from: number, to: number];

/** Idle periods longer than a share of the visible range: they are folded. */
export function gapsOf(
  idle: readonly Stretch[],
  { from, to }: { readonly from: number; readonly to: number },
  share = 0.15,
): readonly Stretch[] {
  return idle.flatMap(([start, end]): Stretch[] => {
    const seen: Stretch = [Math.max(start, from), Math.min(end, to)];
    const length = seen[1] - seen[0];
    // A user who looks only at such a period wants to see it.
    return length > (to - from) * share && length < to - from ? [seen] : [];
  });
}
