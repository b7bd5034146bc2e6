/**
 * The process of a `node` task: reads its input from the worker's folder, calls the function, and leaves
 * outputs and failure in its work folder. It exits when the function has settled, whatever timers and sockets
 * it leaves open.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AttemptId } from '@orrery/wire/frames';
import type { OutputValue, ShardInfo } from '../plugin/contract.ts';

/** The contents of `input.json`, written by the worker. */
export interface NodeTaskInput {
  readonly file: string;
  readonly export: string;
  readonly args: unknown;
  readonly params: Readonly<Record<string, string>>;
  readonly attempt: AttemptId;
  readonly shard: ShardInfo | undefined;
}

/** The contents of `result.json`, written by the process if the function threw. */
export interface NodeTaskResult {
  readonly failure?: { readonly message: string; readonly fatal: boolean };
}

/** The argument of the function. */
export interface NodeTaskContext extends Omit<NodeTaskInput, 'file' | 'export'> {
  /** Aborted when the attempt is to end early. */
  readonly signal: AbortSignal;
  readonly workDir: string;
  /** Sets an output for later tasks. */
  output(name: string, value: OutputValue): void;
}

const folder = process.argv[2];
const workDir = process.env.ORRERY_WORK_DIR ?? folder;
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort(new Error('the attempt is to end')));
process.on('exit', onUnsettled);

try {
  await call(JSON.parse(readFileSync(join(folder, 'input.json'), 'utf8')));
  process.off('exit', onUnsettled);
  process.exit(0);
} catch (error) {
  process.off('exit', onUnsettled);
  console.error(error);
  const { message, fatal } = (error ?? {}) as { message?: unknown; fatal?: unknown };
  writeFailure(String(message ?? error), fatal === true);
  process.exit(1);
}

/** Node exits when a process awaits a promise that nothing can settle any more. */
function onUnsettled(): void {
  writeFailure('the function waits for something that nothing is left to bring about', false);
}

function writeFailure(message: string, fatal: boolean): void {
  const result: NodeTaskResult = { failure: { message, fatal } };
  writeFileSync(join(workDir, 'result.json'), JSON.stringify(result));
}

async function call({ file, export: name, ...input }: NodeTaskInput): Promise<void> {
  const run = (await import(pathToFileURL(file).href))[name];
  if (typeof run !== 'function')
    throw Object.assign(new Error(`the module exports no function "${name}"`), { fatal: true });
  const outputs: Record<string, OutputValue> = {};
  const context: NodeTaskContext = {
    ...input,
    signal: stop.signal,
    workDir,
    output(key, value) {
      outputs[key] = value;
    },
  };
  await run(context);
  if (Object.keys(outputs).length > 0)
    writeFileSync(process.env.ORRERY_OUTPUT ?? '', JSON.stringify(outputs));
}
