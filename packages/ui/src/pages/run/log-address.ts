/** Where the log of an attempt is in the console. */
import { taskRunAddress } from '../../app/addresses.ts';
import { formatQuery } from '../../app/search-fields.ts';

/** Where the log of an attempt is. */
export function logAddress(
  taskRun: string,
  { shard, number }: { shard: number | null; number: number },
): string {
  return `${taskRunAddress(taskRun)}${formatQuery({ attempt: number, shard: shard ?? undefined })}`;
}
