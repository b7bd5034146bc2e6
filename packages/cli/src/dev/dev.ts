/** `orrery dev`: everything in one process, reachable only from this machine, until it is stopped. */
import { readFileSync } from 'node:fs';
import type { Log, LogLevel } from '@orrery/core/log';
import { printed } from '../client/printed.ts';
import { checkCenters, jobCenter } from '../jobs/job-center.ts';
import { keepCompiled } from '../node/keep-compiled.ts';
import { announcer, type LogFormat, openLog } from '../node/open-log.ts';
import { signalled } from '../node/signals.ts';
import { type DevConsole, startConsole } from './console.ts';
import { devSettings } from './dev-settings.ts';
import { startLocalNode } from './local-node.ts';
import { runSample } from './sample.ts';

/** The options of the command line. */
export interface DevOptions {
  readonly data: string;
  readonly port: number;
  readonly database?: string;
  readonly code: string;
  readonly plugin: readonly string[];
  readonly slots?: number;
  readonly jobs: readonly string[];
  readonly secrets?: string;
  readonly token?: string;
  readonly sample: readonly string[];
  readonly console: boolean;
  readonly logFormat: LogFormat;
  readonly logLevel: LogLevel;
}

/** The default port of commands: a printed command need not name it. */
const DEFAULT_PORT = 7070;

/**
 * Starts, prints the address, and waits for a signal. `isGiven` distinguishes options of the command line
 * from defaults.
 */
export async function dev(options: DevOptions, isGiven: (name: string) => boolean): Promise<void> {
  const begin = performance.now();
  let served: DevConsole | undefined;
  const samples = options.sample.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const { logFormat: format, logLevel: level } = options;
  const log = await openLog({ format, level, dated: false });
  const announce = announcer(format, log);
  const token = options.token ?? (process.env.ORRERY_TOKEN || undefined);
  const node = await startLocalNode({
    folder: options.data,
    database: options.database,
    port: options.port,
    // The same variable passes it to clients on this machine.
    token,
    slots: options.slots,
    codeFolder: options.code,
    plugins: options.plugin,
    jobs: checkCenters(options.jobs.map(jobCenter)),
    secrets: options.secrets,
    config: devSettings(options, isGiven),
    console: options.console ? () => served?.folder() : undefined,
    log,
  });
  announce(
    `orrery is ready at ${node.url} (${Math.round(performance.now() - begin)} ms, data in ${options.data})`,
  );
  if (token !== undefined)
    announce(`clients need its token, from ${options.token === undefined ? 'ORRERY_TOKEN' : '--token'}`);
  keepCompiled();
  // After the server answers: a build takes all that a small machine has.
  if (options.console) served = startConsole();
  void served?.built.then((failure) => {
    if (failure !== undefined) log('warn', `the console was not built: ${failure}`);
  });
  for (const { file, text } of samples)
    await startSample({ url: node.url, token }, file, text, { ...options, announce, log });
  const reason = await Promise.race([signalled(), node.over]);
  announce(`stopping: ${reason}`);
  served?.stop();
  await node.stop();
}

interface SampleOptions extends Pick<DevOptions, 'console' | 'port'> {
  readonly announce: (text: string) => void;
  readonly log: Log;
}

/** Prints the result of a sample; the server runs on without a broken one. */
async function startSample(
  server: { readonly url: string; readonly token?: string },
  file: string,
  text: string,
  { console: hasConsole, port, announce, log }: SampleOptions,
): Promise<void> {
  const { url } = server;
  try {
    const { workflow, run } = await runSample(server, text);
    const page = hasConsole ? `${url}/runs/${run}   or ` : '';
    const command = printed(`runs show ${run}`, { url: port === DEFAULT_PORT ? undefined : url });
    announce(`the sample "${workflow}" runs: ${page}${command}`);
  } catch (error) {
    log('warn', `the sample ${file} does not run: ${(error as Error).message}`);
  }
}
