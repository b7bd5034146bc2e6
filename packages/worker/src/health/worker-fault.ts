/** Whether an attempt could not be begun through the fault of its worker: then it is handed back and has not failed. */
import { relative } from 'node:path';

/** No task causes these by what it asks for: the machine has run out of something. */
const EXHAUSTED = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);
const FULL = new Set(['ENOSPC', 'EDQUOT']);
/** In the worker's own folders these are its fault as well. */
const BROKEN = new Set([...EXHAUSTED, ...FULL, 'EROFS', 'EIO', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR']);

/** A problem of the worker itself. */
export class WorkerFault extends Error {
  readonly tag = 'worker-fault';
}

/** The worker's fault in words; undefined where the error is the task's. */
export function workerFault(error: unknown, folders: readonly string[]): string | undefined {
  if (error instanceof WorkerFault) return error.message;
  const { code = '', path, syscall = '', message } = (error ?? {}) as NodeJS.ErrnoException;
  const own = path !== undefined && folders.some((folder) => !relative(folder, path).startsWith('..'));
  // An error of writing does not tell the file.
  const written = path === undefined && syscall === 'write' && FULL.has(code);
  const spawned = syscall.startsWith('spawn') && EXHAUSTED.has(code);
  return (own && BROKEN.has(code)) || written || spawned ? message : undefined;
}
