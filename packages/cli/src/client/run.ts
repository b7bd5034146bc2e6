/** `orrery run`: starts a run and, with `--wait`, ends as it ends. */
import type { InputOf } from '@orrery/sdk/client';
import { type Connection, connect } from './connect.ts';
import { faint, printJson, stateText, took } from './output.ts';
import { type ScopeOptions, scopeOf } from './scope.ts';
import { type EndedRun, waitForEnd } from './wait.ts';

/** What the command was given. */
export interface RunOptions extends Connection, ScopeOptions {
  readonly param?: Readonly<Record<string, string>>;
  readonly priority?: string;
  readonly businessTime?: string;
  readonly dryRun?: boolean;
  readonly key?: string;
  readonly wait?: boolean;
  readonly json?: boolean;
}

/** Runs the command. */
export async function run(workflow: string, options: RunOptions): Promise<void> {
  const client = connect(options);
  const { param, businessTime, dryRun, key, wait, json } = options;
  // A priority that is none is told by the server, which knows them.
  const priority = options.priority as StartBody['priority'];
  const scope = scopeOf(options);
  const body = { workflow, params: param, priority, businessTime, dryRun, scope, trigger: 'manual' as const };
  const started = await client.startRun({ body, idempotencyKey: key });
  if (!wait) {
    if (json) printJson(started);
    else
      console.log(
        `run ${started.id} ${stateText(started.state)}${faint(`; see "orrery runs show ${started.id}"`)}`,
      );
    return;
  }
  if (!json) console.log(`run ${started.id} ${stateText(started.state)}`);
  const ended = await waitForEnd(client, started.id, {
    taskEnded: (task) => {
      if (!json)
        console.log(`  ${task.name} ${stateText(task.state)}${task.reason ? `: ${task.reason}` : ''}`);
    },
    stillWaiting: (why) => console.error(faint(`  ${why}`)),
  });
  process.exitCode = ended.state === 'success' ? 0 : 1;
  if (json) printJson(ended);
  else console.log(summary(ended));
}

type StartBody = InputOf<'startRun'>['body'];

function summary(run: EndedRun): string {
  return `run ${run.id} ${stateText(run.state)} after ${took(run.startedAt ?? run.createdAt, run.endedAt)}`;
}
