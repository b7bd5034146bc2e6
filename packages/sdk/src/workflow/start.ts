/** Starting a run of a workflow that is defined in TypeScript: the compiler checks the values it is given. */
import type { AnswerOf, Client, InputOf } from '../client/client.ts';
import type { Declarations, ValuesOf } from './parameters.ts';

/** What a start may say beside its parameters. */
export type StartOptions = Omit<InputOf<'startRun'>['body'], 'workflow' | 'params'>;

/** Starts the live version of a workflow, which must be published. Its parameters are those of the definition here. */
export function startWorkflow<const Params extends Declarations>(
  client: Pick<Client, 'startRun'>,
  workflow: { readonly ref: string; readonly declared: Params },
  params: ValuesOf<Params>,
  options: StartOptions = {},
): Promise<AnswerOf<'startRun'>> {
  return client.startRun({ body: { ...options, workflow: workflow.ref, params } });
}
