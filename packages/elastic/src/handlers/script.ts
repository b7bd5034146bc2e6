/** Script jobs: a command line for each shard. */
import type { ShardHandler } from '../run/context.ts';
import { contextText } from './context-text.ts';

/** A command to run. */
export interface Command {
  /** A command line for the shell. */
  readonly line: string;
  /** Appended as the last argument. */
  readonly argument: string;
  /** Added to the environment of this process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ends the command and everything it started. */
  readonly signal: AbortSignal;
  /** Called with each printed line. */
  readonly onLine: (line: string) => void;
}

/** Runs a command; resolves with its exit code, or with the name of the signal that ended it. */
export type RunCommand = (command: Command) => Promise<number | string>;

/** A handler that fails unless the command exits with 0. */
export function scriptHandler(line: string, run: RunCommand): ShardHandler {
  return async (context) => {
    const { job, shard, total, parameter, jobParameter, triggerParameter, token, signal, log } = context;
    const argument = contextText(context);
    const end = await run({
      line,
      argument,
      environment: {
        ORRERY_JOB: job,
        ORRERY_JOB_CONTEXT: argument,
        ORRERY_JOB_PARAMETER: jobParameter,
        ORRERY_SHARD: String(shard),
        ORRERY_SHARD_COUNT: String(total),
        ORRERY_SHARD_PARAMETER: parameter,
        ORRERY_SHARD_TOKEN: String(token),
        ORRERY_TRIGGER_PARAMETER: triggerParameter ?? '',
      },
      signal,
      onLine: (text) => log('info', `job ${job} shard ${shard}: ${text}`),
    });
    signal.throwIfAborted();
    if (end !== 0)
      throw new Error(`the script ${typeof end === 'number' ? `exited with ${end}` : `was ended by ${end}`}`);
  };
}
