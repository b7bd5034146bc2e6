/**
 * Applications that a command starts on a cluster and that outlive it. A handle is committed before the
 * attempt relies on it, so the next attempt takes the application over, and a kill ends it wherever it runs.
 */
import { randomBytes } from 'node:crypto';
import { type TaskContext, TaskFailure } from '@orrery/worker/plugin';

/** The state of an application: running or its outcome, with the cluster's message. */
interface ApplicationState {
  readonly id: string;
  readonly running: boolean;
  readonly succeeded: boolean;
  readonly said: string;
}

/** Asks a cluster about what a handle names. */
export interface Applications {
  /** The applications of it that there are or were; throws where the cluster does not answer. */
  look(context: TaskContext<unknown>): Promise<readonly ApplicationState[]>;
  /** Asks the cluster to end them. */
  kill(context: TaskContext<unknown>, ids: readonly string[]): Promise<void>;
}

/** How long between two looks: at first, and at most. */
const FIRST = 1_000;
const SLOWEST = 10_000;
const GROWTH = 1.5;

/** Waits until they have ended; a cluster that does not answer is asked again. */
export async function follow(context: TaskContext<unknown>, applications: Applications): Promise<void> {
  const { log, note, sleep, output } = context;
  let shown = '';
  for (let pause = FIRST; ; pause = Math.min(SLOWEST, pause * GROWTH)) {
    const found = await applications.look(context).catch((error: Error) => {
      if (context.signal.aborted) throw error;
      note(`no answer: ${error.message}`);
      return undefined;
    });
    if (found?.length === 0) throw new TaskFailure('the cluster knows nothing of it any more');
    const line = found?.map(({ id, said }) => `${id}: ${said}`).join(', ') ?? shown;
    if (line !== shown) log(line);
    shown = line;
    const last = found?.at(-1);
    if (last && !found?.some(({ running }) => running)) {
      output('application', last.id);
      if (last.succeeded) return;
      throw new TaskFailure(`${last.id} ended as ${last.said}`);
    }
    await sleep(pause);
  }
}

/** Ends applications; returns when the cluster reports that none is running. */
export async function endAll(context: TaskContext<unknown>, applications: Applications): Promise<void> {
  for (;;) {
    const running = (await applications.look(context)).filter((each) => each.running).map(({ id }) => id);
    if (running.length === 0) return;
    context.note(`ends ${running.join(', ')}`);
    await applications.kill(context, running);
    await context.sleep(1_000);
  }
}

/** Applications on YARN by the tag that they were submitted with. */
export function onYarn(program: string, tag: string): Applications {
  return {
    async look(context) {
      const args = ['application', '-list', '-appTags', tag, '-appStates', 'ALL'];
      const said = await answerOf(context, program, args);
      return said.split('\n').flatMap((line) => {
        const [id, , , , , state = '', final = ''] = line.split('\t').map((cell) => cell.trim());
        if (!/^application_\d+_\d+$/.test(id ?? '')) return [];
        const running = !['FINISHED', 'FAILED', 'KILLED'].includes(state);
        return { id, running, succeeded: final === 'SUCCEEDED', said: running ? state : final };
      });
    },
    async kill(context, ids) {
      for (const id of ids) await answerOf(context, program, ['application', '-kill', id]);
    },
  };
}

/** Asks for an address and prints the answer: a process, so it may connect to what the command may connect to. */
const ASK = `const [url, method] = process.argv.slice(1);
const answer = await fetch(url, { method });
console.log(await answer.text());
process.exitCode = answer.ok ? 0 : 1;`;

/** A driver on a cluster of Spark's own, by its REST server: the status option of spark-submit 4.1 cannot read the answer. */
export function onSpark(master: string, driver: string): Applications {
  const [host] = master.replace('spark://', '').split(',');
  const ask = async (context: TaskContext<unknown>, what: 'status' | 'kill', method: string) => {
    const url = `http://${host}/v1/submissions/${what}/${driver}`;
    const args = ['--input-type=module', '-e', ASK, url, method];
    return JSON.parse(await answerOf(context, process.execPath, args)) as {
      readonly success: boolean;
      readonly driverState?: string;
    };
  };
  return {
    async look(context) {
      const { success, driverState = 'UNKNOWN' } = await ask(context, 'status', 'GET');
      if (!success) return [];
      const running = ['SUBMITTED', 'RUNNING', 'RELAUNCHING', 'UNKNOWN'].includes(driverState);
      return [{ id: driver, running, succeeded: driverState === 'FINISHED', said: driverState }];
    },
    async kill(context) {
      await ask(context, 'kill', 'POST');
    },
  };
}

/** A name for what one attempt starts: no other attempt, of this or another Orrery, has it. */
export function applicationTag({ run, task, shard, number }: TaskContext<unknown>['attempt']): string {
  const part = shard < 0 ? '' : `-${shard}`;
  return `orrery-${run}-${task}${part}-${number}-${randomBytes(4).toString('hex')}`;
}

/** Logs the answer only if the command fails: a query every few seconds would fill the log. */
const QUIET =
  '"$@" > "$ORRERY_WORK_DIR/answer" 2>&1 || { code=$?; cat "$ORRERY_WORK_DIR/answer"; exit $code; }';
const LOUD = '"$@" > "$ORRERY_WORK_DIR/answer" 2>&1; code=$?; cat "$ORRERY_WORK_DIR/answer"; exit $code';

/** What a command prints; a failure where its exit code is not 0. */
export async function answerOf(
  { exec, readBack }: TaskContext<unknown>,
  program: string,
  args: readonly string[],
  options: { readonly loud?: boolean; readonly environment?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const { loud = false, environment } = options;
  const code = await exec('/bin/sh', ['-c', loud ? LOUD : QUIET, 'sh', program, ...args], { environment });
  if (code !== 0) throw new TaskFailure(`exit code ${code}`);
  return readBack('answer') ?? '';
}
