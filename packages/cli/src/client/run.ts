/** `orrery run`: starts a run and, with `--wait`, ends as it ends. */
import { ApiClient, type Connection } from './api-client.ts';
import { faint, printJson, stateText, took } from './output.ts';
import { type ScopeOptions, scopeOf } from './scope.ts';
import type { RunPage } from './shapes.ts';
import { waitForEnd } from './wait.ts';

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
  const api = new ApiClient(options);
  const { param, priority, businessTime, dryRun, key, wait, json } = options;
  const started = await api.post<{ id: number; state: string; repeated: boolean }>(
    '/runs',
    {
      workflow,
      params: param,
      priority,
      businessTime,
      dryRun,
      scope: scopeOf(options),
      trigger: 'manual',
    },
    key === undefined ? {} : { 'idempotency-key': key },
  );
  if (!wait) {
    if (json) printJson(started);
    else
      console.log(
        `run ${started.id} ${stateText(started.state)}${faint(`; see "orrery runs show ${started.id}"`)}`,
      );
    return;
  }
  if (!json) console.log(`run ${started.id} ${stateText(started.state)}`);
  const ended = await waitForEnd(api, started.id, {
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

function summary(run: RunPage): string {
  return `run ${run.id} ${stateText(run.state)} after ${took(run.startedAt ?? run.createdAt, run.endedAt)}`;
}
