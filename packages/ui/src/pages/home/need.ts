/** A need, and what may be done about it. */
import type { AnswerOf } from '../../data/client.ts';

export type Need = AnswerOf<'showOverview'>['needs'][number];

/** The first needs, up to this many, have a key that opens them. */
export const KEYS = 9;

/** The server's answer for an action of a need. */
export function actionOf({ actions }: Need, name: string): Need['actions'][number] | undefined {
  return actions.find((action) => action.name === name);
}

/** The same where it is not allowed. */
export function refusalOf(need: Need, name: string): Need['actions'][number] | undefined {
  const action = actionOf(need, name);
  return action?.allowed === false ? action : undefined;
}

/** The run whose wait or duration causes the need, so that it can be explained. */
export function runToExplain({ kind, examples }: Need): string | undefined {
  return kind === 'deadline' || kind === 'overtime' ? examples[0] : undefined;
}

/** The workflow to run where a day has no run at all. */
export function workflowToRun({ kind, examples, fields }: Need): string | undefined {
  return kind === 'deadline' && examples.length === 0 ? String(fields.workflow) : undefined;
}
