/**
 * Reads a file that a task has left: only a regular file of the task's user, up to a size limit. It follows
 * no link and waits for no pipe or device, since the worker may read more than the task may.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { TaskFailure } from '../plugin/contract.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Its text; undefined if there is none. Throws a failure for anything but a file of at most `limit` bytes.
 */
export function readBack(
  path: string,
  { owner, limit }: { readonly owner?: number; readonly limit: number },
): string | undefined {
  const file = open(path);
  if (file === undefined) return undefined;
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new TaskFailure(`${path} is not a file`);
    // A second name could belong to a file that the task itself may not read.
    if (owner !== undefined && (stat.uid !== owner || stat.nlink > 1))
      throw new TaskFailure(`${path} is not a file of the task's own`);
    if (stat.size > limit) throw new TaskFailure(`${path} has ${stat.size} bytes; at most ${limit} are read`);
    const bytes = Buffer.alloc(stat.size);
    let read = 0;
    for (let more = 1; more > 0 && read < bytes.length; read += more)
      more = readSync(file, bytes, read, bytes.length - read, null);
    return bytes.toString('utf8', 0, read);
  } finally {
    closeSync(file);
  }
}

function open(path: string): number | undefined {
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') throw new TaskFailure(`${path} is a link; leave a file there`);
    throw error;
  }
}
