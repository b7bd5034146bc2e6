/** `orrery dev`: everything in one process, on this machine alone, until it is told to stop. */
import { readFileSync } from 'node:fs';
import { keepCompiled } from '../node/keep-compiled.ts';
import { signalled } from '../node/signals.ts';
import { type DevConsole, startConsole } from './console.ts';
import { startLocalNode } from './local-node.ts';
import { runSample } from './sample.ts';

/** What the command line gives. */
export interface DevOptions {
  readonly data: string;
  readonly port: number;
  readonly database?: string;
  readonly code: string;
  readonly plugin: readonly string[];
  readonly slots?: number;
  readonly secrets?: string;
  readonly sample: readonly string[];
  readonly console: boolean;
}

/** Starts, says where, and waits for a signal. */
export async function dev(options: DevOptions): Promise<void> {
  const begin = performance.now();
  let served: DevConsole | undefined;
  const samples = options.sample.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const node = await startLocalNode({
    folder: options.data,
    database: options.database,
    port: options.port,
    slots: options.slots,
    codeFolder: options.code,
    plugins: options.plugin,
    secrets: options.secrets,
    console: options.console ? () => served?.folder() : undefined,
    log: (level, text) => {
      if (level !== 'info') console.error(`${level}: ${text}`);
    },
  });
  console.log(
    `orrery is ready at ${node.url} (${Math.round(performance.now() - begin)} ms, data in ${options.data})`,
  );
  keepCompiled();
  // After the server answers: a build takes all that a small machine has.
  if (options.console) served = startConsole();
  void served?.built.then((failure) => {
    if (failure !== undefined) console.error(`warn: the console was not built: ${failure}`);
  });
  for (const { file, text } of samples) await startSample(node.url, file, text, options.console);
  const reason = await Promise.race([signalled(), node.over]);
  console.log(`stopping: ${reason}`);
  served?.stop();
  await node.stop();
}

/** Says what became of a sample; the server goes on without one that is wrong. */
async function startSample(url: string, file: string, text: string, hasConsole: boolean): Promise<void> {
  try {
    const { workflow, run } = await runSample(url, text);
    const page = hasConsole ? `${url}/runs/${run}   or ` : '';
    console.log(`the sample "${workflow}" runs: ${page}npx orrery runs show ${run}`);
  } catch (error) {
    console.error(`warn: the sample ${file} does not run: ${(error as Error).message}`);
  }
}
