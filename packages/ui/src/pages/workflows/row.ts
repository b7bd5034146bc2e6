/** A workflow in the list. */
import { workflowAddress } from '../../app/addresses.ts';
import type { AnswerOf } from '../../data/client.ts';
import type { Thing } from '../../data/same-as.ts';
import { runLine } from '../../model/run-form.ts';
import type { Action } from '../../parts/action-button.tsx';

export type Row = AnswerOf<'listWorkflows'>['workflows'][number];

/** Its full name, by which the list and the address know it. */
export function nameOf({ project, name }: Pick<Row, 'project' | 'name'>): string {
  return `${project}/${name}`;
}

/** It to take elsewhere; the command is the one that runs it. One that was never published cannot be run. */
export function thingOf(row: Pick<Row, 'project' | 'name' | 'version'>): Thing {
  const address = workflowAddress(row.project, row.name);
  const name = nameOf(row);
  const command = row.version === null ? undefined : runLine({ workflow: name, params: {} });
  return { name, address, request: address, command };
}

/** Whether it has schedules and none of them fires. */
export function isPaused(schedules: Row['schedules'] = []): boolean {
  return schedules.length > 0 && schedules.every(({ state }) => state === 'paused');
}

/** The two parts of a full name; without a project, `default`. */
export function namedBy(workflow: string): { project: string; name: string } {
  const at = workflow.indexOf('/');
  if (at < 0) return { project: 'default', name: workflow };
  return { project: workflow.slice(0, at), name: workflow.slice(at + 1) };
}

/** Why an action is not possible; undefined if it is, or if the server does not say. */
export function refusalOf({ actions }: Pick<Row, 'actions'>, name: string): Action | undefined {
  const action = actions.find((each) => each.name === name);
  return action?.allowed === false ? action : undefined;
}
