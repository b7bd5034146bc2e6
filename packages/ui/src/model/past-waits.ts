/** What a task run has waited for, and how long, once that is over: the waits of its timeline, put together by reason. */
import type { Task } from './run.ts';
import { type Attempt, type Span, spansOfAttempts, spansOfTask } from './timeline.ts';
import { type WaitKind, waitKind } from './wait.ts';

/** A reason to wait, and for how long it was one. */
export interface PastWait {
  readonly kind: WaitKind;
  readonly time: number;
}

/** Types that start runs; other ones that no worker takes are decided at once. */
const starting = new Set(['sub-workflow', 'dynamic']);

/** A slot that was had sooner than this may have been free: what passed is the time that queueing takes. */
const SURELY_WAITED = 1_000;

/** The waits of the present round that are over, in the order in which they began; `inGroup`: it is in a task group. */
export function pastWaits(task: Task, attempts: readonly Attempt[], inGroup: boolean): readonly PastWait[] {
  const times = new Map<WaitKind, number>();
  const add = (kind: WaitKind, time: number) => {
    if (time > 0) times.set(kind, (times.get(kind) ?? 0) + time);
  };
  const own = attempts
    .filter(({ queuedAt }) => queuedAt !== null && task.queuedAt !== null && queuedAt >= task.queuedAt)
    .sort((a, b) => a.number - b.number);
  const first = own.at(0)?.queuedAt;
  const alone = task.shards === null && own.length > 0;
  // An attempt is in the queue from when it has a slot of its task group: before that it waited for one.
  if (alone && task.queuedAt !== null && first != null) {
    const before = first - task.queuedAt;
    if (inGroup && before >= SURELY_WAITED) add('task-group', before);
    else if (own[0].state !== 'queued') add('queue', before);
  }
  const spans: readonly Span[] = alone ? spansOfAttempts(own) : spansOfTask(task);
  for (const { kind, state, from, to } of spans) {
    if (kind !== 'wait' || to === null) continue;
    const reason = waitKind(state, task.type);
    if (reason !== 'sub-run' || starting.has(task.type)) add(reason, to - from);
  }
  return [...times].map(([kind, time]) => ({ kind, time }));
}
