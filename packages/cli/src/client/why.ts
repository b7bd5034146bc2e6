/** `orrery why`: why a run or a task run is where it is. */
import { ApiClient, type Connection } from './api-client.ts';
import { printJson, stateText, took } from './output.ts';
import type { Why } from './shapes.ts';

/** Runs the command. */
export async function why(id: string, options: Connection & { readonly json?: boolean }): Promise<void> {
  const answer = await new ApiClient(options).get<Why>(`/why/${encodeURIComponent(id)}`);
  if (options.json) return printJson(answer);
  const since = answer.since === null ? '' : ` for ${took(answer.since, null)}`;
  console.log(`${answer.id} is ${stateText(answer.state)}${since}: ${answer.why}`);
  if (answer.frees) console.log(`goes on when: ${answer.frees}`);
}
