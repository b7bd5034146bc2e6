/** What can be done with a workflow, and why not what cannot. */
import type { Action } from '@orrery/contract';

/** What decides it. */
export interface WorkflowState {
  readonly live: number | null;
  readonly draft: boolean;
  readonly offlineSince: number | null;
  /** Whether its schedules are on; undefined where they were not read. */
  readonly schedules?: readonly boolean[];
}

/** Every action; those on its schedules only where these are known. */
export function workflowActions({ live, draft, offlineSince, schedules }: WorkflowState): Action[] {
  const published = live === null ? 'it has no live version; publish its draft first' : undefined;
  const actions = [
    action('run', published ?? (offlineSince === null ? undefined : 'it is offline; put it online first')),
    action('edit'),
    action('publish', draft ? undefined : 'it has no draft'),
    action('delete'),
    action('move', published),
    action('take-offline', published ?? (offlineSince === null ? undefined : 'it is offline')),
    action('put-online', published ?? (offlineSince === null ? 'it is online' : undefined)),
  ];
  if (!schedules) return actions;
  const none = schedules.length === 0 ? 'it has no schedule' : undefined;
  return [
    ...actions,
    action('pause-schedules', none ?? (schedules.includes(true) ? undefined : 'its schedules are paused')),
    action(
      'resume-schedules',
      none ?? (schedules.includes(false) ? undefined : 'none of its schedules is paused'),
    ),
  ];
}

/** An action; with a reason it is not allowed. */
export function action(name: string, reason?: string): Action {
  return reason === undefined ? { name, allowed: true } : { name, allowed: false, reason };
}
