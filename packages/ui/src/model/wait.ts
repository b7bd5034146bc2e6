/**
 * What task runs wait for, from their state and type, and for queued ones from the server's present answer.
 */

/** What a queued task run waits for, as the server tells it. */
export type QueueWait = 'no-worker' | 'task-group' | 'priority' | 'slots';

/** The cause of a wait; `queue` if nothing more is known. */
export type WaitKind =
  | QueueWait
  | 'queue'
  | 'delay'
  | 'retry'
  | 'paused'
  | 'sub-run'
  | 'dependency'
  | 'person';

/** The cause of a task run's wait, from its type and state; `queued` is only known for a present wait. */
export function waitKind(state: string, type: string, queued?: QueueWait): WaitKind {
  switch (state) {
    case 'retrying':
      return 'retry';
    case 'delayed':
      return 'delay';
    case 'paused':
      return 'paused';
    case 'waiting':
      if (type === 'approval') return 'person';
      return type === 'dependent' ? 'dependency' : 'sub-run';
    default:
      return queued ?? 'queue';
  }
}

/** The waits of a run by the index of their task. */
export function queueWaits(
  waits: readonly { readonly code: QueueWait; readonly tasks: readonly number[] }[],
): ReadonlyMap<number, QueueWait> {
  return new Map(waits.flatMap(({ code, tasks }) => tasks.map((task) => [task, code] as const)));
}
