/** What task runs wait for, told by their state, their type, and of queued ones by what the server says of now. */

/** What a queued task run waits for, as the server tells it. */
export type QueueWait = 'no-worker' | 'task-group' | 'priority' | 'slots';

/** What a task run waits for; `queue` where more is not known. */
export type WaitKind =
  | QueueWait
  | 'queue'
  | 'delay'
  | 'retry'
  | 'paused'
  | 'sub-run'
  | 'dependency'
  | 'person';

/** What a task run of this type waits for in this state; `queued` is only known of a wait that lasts. */
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
