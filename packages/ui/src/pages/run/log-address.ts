/** Where the log of an attempt is in the console. */
import { taskRunAddress } from '../../app/addresses.ts';
import { formatQuery } from '../../app/search-fields.ts';
import { FIRST_ERROR } from '../../model/log-line.ts';
import { lookOf } from '../../model/state.ts';

interface LogPlace {
  readonly shard: number | null;
  readonly number: number;
  /** Of the attempt: the log of a failed one is opened at its first error. */
  readonly state: string;
}

/** Where the log of an attempt is. */
export function logAddress(taskRun: string, { shard, number, state }: LogPlace): string {
  const line = lookOf(state).family === 'failed' ? FIRST_ERROR : undefined;
  return `${taskRunAddress(taskRun)}${formatQuery({ attempt: number, shard: shard ?? undefined, line })}`;
}
