/** Whether nodes look alive from the store; only masters decide that a node is dead. */
import type { NodeRow, WorkerRow } from '@orrery/store';

/** A master beats every second, a worker a few times within its lease of 30 s. */
export const SILENT_AFTER = { master: 10_000, worker: 30_000 } as const;

/** How a node is doing. */
export type NodeState = 'alive' | 'silent' | 'paused' | 'draining' | 'unhealthy' | 'gone';

/** Whether a node is a master, perhaps among other roles. */
export function isMaster({ roles }: Pick<NodeRow, 'roles'>): boolean {
  return roles.split(',').includes('master');
}

/** The state of a master. */
export function masterState({ fenced, beatAt, draining, state }: NodeRow, now: number): NodeState {
  if (fenced === 1) return 'gone';
  if (now - beatAt > SILENT_AFTER.master) return 'silent';
  if (draining === 1) return 'draining';
  return state === 'paused' ? 'paused' : 'alive';
}

/** The state of a worker. */
export function workerState({ lost, draining, unhealthy, beatAt }: WorkerRow, now: number): NodeState {
  if (lost === 1) return 'gone';
  if (now - beatAt > SILENT_AFTER.worker) return 'silent';
  if (draining === 1) return 'draining';
  return unhealthy === null ? 'alive' : 'unhealthy';
}

/** The groups that a worker serves. */
export function groupsOf({ groups }: WorkerRow): string[] {
  return JSON.parse(groups);
}
