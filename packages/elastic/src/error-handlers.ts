/** What a job does with its errors: the handlers of its definition as one function. */
import { InvalidInput } from '@orrery/core/errors';
import type { Job } from '@orrery/core/model';
import type { ErrorHandler } from './define.ts';
import type { Host } from './elastic.ts';
import { ErrorDigest } from './run/error-digest.ts';
import type { RunnerOptions } from './run/job-runner.ts';
import { userCallback } from './run/user-callback.ts';

/** The handlers of a job that runs. */
export interface ErrorHandlers {
  readonly tell: RunnerOptions['onError'];
  /** Sends the remaining messages. */
  stop(): Promise<void>;
}

/** Opens the handlers. Refuses a channel with invalid settings before the job starts. */
export async function openErrorHandlers(
  given: ErrorHandler | readonly ErrorHandler[],
  job: Job,
  host: Host,
): Promise<ErrorHandlers> {
  const several: readonly ErrorHandler[] = Array.isArray(given) ? given : [given];
  const digests: ErrorDigest[] = [];
  const tell: RunnerOptions['onError'][] = [];
  for (const one of several) {
    if (typeof one !== 'object') {
      tell.push(typeof one === 'function' ? userCallback(at(job), one, host.log) : builtIn(one, job, host));
      continue;
    }
    const { every } = one;
    if (every !== undefined && !(Number.isSafeInteger(every) && every >= 0))
      throw new InvalidInput(`every ${String(every)} is not accepted; a whole number is needed`, at(job));
    const about = { namespace: job.namespace, job: job.name, server: host.server };
    const digest = new ErrorDigest(about, every, { ...host, send: await host.openChannel(one) });
    digests.push(digest);
    tell.push((error, _, outcome) => digest.add(textOf(error, outcome?.shard)));
  }
  return {
    tell: (...error) => {
      for (const each of tell) each(...error);
    },
    stop: async () => {
      await Promise.all(digests.map((digest) => digest.stop()));
    },
  };
}

const at = ({ name }: Job) => `onError of job ${name}`;
const textOf = (error: string, shard: number | undefined) =>
  shard === undefined ? error : `shard ${shard}: ${error}`;

function builtIn(how: unknown, job: Job, { log, raise }: Host): RunnerOptions['onError'] {
  const text = (error: string, shard?: number) =>
    `job ${job.name}${shard === undefined ? '' : ` shard ${shard}`}: ${error}`;
  switch (how) {
    case 'log':
      return (error, _, outcome) => log('error', text(error, outcome?.shard));
    case 'ignore':
      return () => {};
    case 'throw':
      return (error, _, outcome) => raise(new Error(text(error, outcome?.shard)));
    default:
      throw new InvalidInput(
        `${JSON.stringify(how)} is not accepted; use log, throw, ignore, a function or a channel`,
        at(job),
      );
  }
}
