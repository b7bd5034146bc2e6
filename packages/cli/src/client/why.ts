/** `orrery why`: why a run or a task run is where it is. */
import { type Connection, connect } from './connect.ts';
import { fromNow, printJson, stateText, took } from './output.ts';
import { hasEnded } from './states.ts';

/** Runs the command. */
export async function why(id: string, options: Connection & { readonly json?: boolean }): Promise<void> {
  const answer = await connect(options).explain({ id });
  if (options.json) return printJson(answer);
  const { state, since } = answer;
  const over = hasEnded(state);
  if (over) console.log(`${answer.id} ${answer.why}${since === null ? '' : `, ${fromNow(since)}`}`);
  else {
    const lasting = since === null ? '' : ` for ${took(since, null)}`;
    console.log(`${answer.id} is ${stateText(state)}${lasting}: ${answer.why}`);
  }
  if (answer.frees) console.log(over ? `to go on: ${answer.frees}` : `goes on when: ${answer.frees}`);
}
