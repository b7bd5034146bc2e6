/** `orrery dev`: everything in one process, on this machine alone, until it is told to stop. */
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
  for (const file of options.sample) {
    const { workflow, run } = await runSample(node.url, file);
    const page = options.console ? `${node.url}/runs/${run}   or ` : '';
    console.log(`the sample "${workflow}" runs: ${page}npx orrery runs show ${run}`);
  }
  const reason = await Promise.race([signalled(), node.over]);
  console.log(`stopping: ${reason}`);
  served?.stop();
  await node.stop();
}
