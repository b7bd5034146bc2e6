/** `orrery dev`: everything in one process, on this machine alone, until it is told to stop. */
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
  readonly sample?: string;
}

/** Starts, says where, and waits for a signal. */
export async function dev(options: DevOptions): Promise<void> {
  const begin = performance.now();
  const node = await startLocalNode({
    folder: options.data,
    database: options.database,
    port: options.port,
    slots: options.slots,
    codeFolder: options.code,
    plugins: options.plugin,
    log: (level, text) => {
      if (level !== 'info') console.error(`${level}: ${text}`);
    },
  });
  console.log(
    `orrery is ready at ${node.url} (${Math.round(performance.now() - begin)} ms, data in ${options.data})`,
  );
  if (options.sample !== undefined) {
    const run = await runSample(node.url, options.sample);
    console.log(`the sample runs: npx orrery runs show ${run}   or ${node.url}/api/v1/runs/${run}`);
  }
  const reason = await Promise.race([signalled(), node.over]);
  console.log(`stopping: ${reason}`);
  await node.stop();
}

function signalled(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal));
  });
}
