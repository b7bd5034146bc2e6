/**
 * Whether an attempt could not start because of its worker. Such an attempt is handed back and has not
 * failed.
 */
import { relative } from 'node:path';

/** No task causes these errors by its request: the machine has run out of a resource. */
const EXHAUSTED = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);
const FULL = new Set(['ENOSPC', 'EDQUOT']);
/** In the worker's own folders these errors are its fault as well. */
const BROKEN = new Set([...EXHAUSTED, ...FULL, 'EROFS', 'EIO', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR']);

/** A problem of the worker itself. */
export class WorkerFault extends Error {
  readonly tag = 'worker-fault';
}

/** The worker's fault as text; undefined if the error is the task's. */
export function workerFault(error: unknown, folders: readonly string[]): string | undefined {
  if (error instanceof WorkerFault) return error.message;
  const { code = '', path, syscall = '', message } = (error ?? {}) as NodeJS.ErrnoException;
  const own = path !== undefined && folders.some((folder) => !relative(folder, path).startsWith('..'));
  // An error of a write does not name the file.
  const written = path === undefined && syscall === 'write' && FULL.has(code);
  const spawned = syscall.startsWith('spawn') && EXHAUSTED.has(code);
  return (own && BROKEN.has(code)) || written || spawned ? message : undefined;
}
