/** `orrery runs force`, `kill` and `start-now`: changes of single tasks; `orrery runs set`: parameters of a run. */
import { InvalidInput } from '@orrery/core/errors';
import { type AskOptions, askBody, askEach } from './ask-each.ts';
import { type Connection, connect, numberOf } from './connect.ts';

/** The controls of a single task. */
export type TaskControl = 'force' | 'kill' | 'start-now';

/** Asks for a change of each task run. */
export async function controlTasks(
  control: TaskControl,
  taskRuns: readonly string[],
  options: Connection & AskOptions,
): Promise<void> {
  const client = connect(options);
  const ask = { force: client.forceTask, kill: client.killTask, 'start-now': client.startTaskNow }[control];
  const subjects = taskRuns.map((written) => ({ id: taskOf(written), what: written }));
  await askEach(
    control,
    subjects,
    ({ run, task }) => ask({ id: run, body: { task, ...askBody(options) } }),
    options,
  );
}

/** Changes parameters of runs that wait or are paused, or how many business times of backfills are open at once. */
export async function setRunParameters(
  runs: readonly string[],
  options: Connection &
    AskOptions & { readonly param?: Readonly<Record<string, string>>; readonly parallel?: string },
): Promise<void> {
  const { param: params, parallel } = options;
  if (!params && parallel === undefined)
    throw new InvalidInput('say what to set: --param key=value, or --parallel of a backfill', '--param');
  const client = connect(options);
  const subjects = runs.map((written) => ({ id: numberOf(written, 'a run'), what: `run ${written}` }));
  const asked = askBody(options);
  if (params)
    await askEach('set', subjects, (id) => client.setRunParams({ id, body: { params, ...asked } }), options);
  if (parallel === undefined) return;
  const body = { parallel: numberOf(parallel, 'a number of business times'), ...asked };
  await askEach('set', subjects, (id) => client.setRunParallel({ id, body }), options);
}

function taskOf(written: string): { run: number; task: string } {
  const [, run, task] = /^(\d+)\.(.+)$/s.exec(written) ?? [];
  if (run === undefined || task === undefined)
    throw new InvalidInput(`"${written}" is not a task run; write RUN.TASK, such as 12.extract`);
  return { run: Number(run), task };
}
