/** What a process tells of its own health: its disk, and its worker where it has one. */
import { statfs } from 'node:fs/promises';
import type { HealthPart } from '@orrery/api';
import type { Worker } from '@orrery/worker';

/** With less nothing can be relied on to be written. */
const MIN_FREE_DISK = 16 * 1_048_576;

/** Looks at them. */
export async function ownParts(folder: string, worker: Worker | undefined): Promise<HealthPart[]> {
  const disk = await diskProblem(folder);
  const parts: HealthPart[] = [{ name: 'disk', ...(disk !== undefined && { problem: disk }) }];
  if (worker) {
    const { unhealthy, connected } = worker.status();
    const problem = unhealthy ?? (connected ? undefined : 'the worker has no connection to a master');
    parts.push({ name: 'worker', ...(problem !== undefined && { problem }) });
  }
  return parts;
}

async function diskProblem(folder: string): Promise<string | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    return free < MIN_FREE_DISK ? `no space left in ${folder}: ${free} bytes free` : undefined;
  } catch (error) {
    return `${folder} cannot be read: ${(error as Error).message}`;
  }
}
