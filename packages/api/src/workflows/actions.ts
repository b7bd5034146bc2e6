/** What can be done with a workflow, and why not what cannot. */
import type { Action } from '@orrery/contract';
import { type Said, said } from '@orrery/core/texts';
import { reasonOf } from '../worded.ts';

/** What decides it. */
export interface WorkflowState {
  readonly live: number | null;
  readonly draft: boolean;
  readonly offlineSince: number | null;
  /** Whether its schedules are on; undefined where they were not read. */
  readonly schedules?: readonly boolean[];
}

/** Every action; actions on its schedules only if the schedules were read. */
export function workflowActions({ live, draft, offlineSince, schedules }: WorkflowState): Action[] {
  const published = live === null ? said('workflow.noLive') : undefined;
  const actions = [
    action('run', published ?? (offlineSince === null ? undefined : said('workflow.offlineRun'))),
    action('edit'),
    action('publish', draft ? undefined : said('workflow.noDraft')),
    action('delete'),
    action('move', published),
    action('take-offline', published ?? (offlineSince === null ? undefined : said('workflow.offline'))),
    action('put-online', published ?? (offlineSince === null ? said('workflow.online') : undefined)),
  ];
  if (!schedules) return actions;
  const none = schedules.length === 0 ? said('workflow.noSchedule') : undefined;
  return [
    ...actions,
    action(
      'pause-schedules',
      none ?? (schedules.includes(true) ? undefined : said('workflow.schedulesPaused')),
    ),
    action(
      'resume-schedules',
      none ?? (schedules.includes(false) ? undefined : said('workflow.schedulesOn')),
    ),
  ];
}

/** An action; with a reason it is not allowed. */
export function action(name: string, why?: Said): Action {
  return why ? { name, allowed: false, ...reasonOf(why) } : { name, allowed: true };
}
