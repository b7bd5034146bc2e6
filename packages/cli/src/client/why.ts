/** `orrery why`: why a run or a task run is where it is. */
import { ApiClient, type Connection } from './api-client.ts';
import { fromNow, printJson, stateText, took } from './output.ts';
import { endedStates, endedTaskStates, type Why } from './shapes.ts';

/** Runs the command. */
export async function why(id: string, options: Connection & { readonly json?: boolean }): Promise<void> {
  const answer = await new ApiClient(options).get<Why>(`/why/${encodeURIComponent(id)}`);
  if (options.json) return printJson(answer);
  const { state, since } = answer;
  const over = endedStates.includes(state) || endedTaskStates.includes(state);
  if (over) console.log(`${answer.id} ${answer.why}${since === null ? '' : `, ${fromNow(since)}`}`);
  else {
    const lasting = since === null ? '' : ` for ${took(since, null)}`;
    console.log(`${answer.id} is ${stateText(state)}${lasting}: ${answer.why}`);
  }
  if (answer.frees) console.log(over ? `to go on: ${answer.frees}` : `goes on when: ${answer.frees}`);
}
