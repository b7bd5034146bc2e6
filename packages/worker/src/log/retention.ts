/** Deletes the logs of runs in which nothing was written for a long time. */
import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes the run folders whose newest log is older than `before` (epoch milliseconds); how many went. */
export async function pruneLogs(logs: string, before: number): Promise<number> {
  let removed = 0;
  for (const workflow of await entries(logs)) {
    const folder = join(logs, workflow);
    for (const run of await entries(folder)) {
      if ((await newest(join(folder, run))) >= before) continue;
      await rm(join(folder, run), { recursive: true, force: true });
      removed++;
    }
    // Fails as it should while a run is left.
    await rmdir(folder).catch(() => undefined);
  }
  return removed;
}

async function newest(folder: string): Promise<number> {
  let time = (await stat(folder).catch(() => undefined))?.mtimeMs ?? 0;
  for (const file of await entries(folder)) {
    const found = await stat(join(folder, file)).catch(() => undefined);
    if (found) time = Math.max(time, found.mtimeMs);
  }
  return time;
}

async function entries(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
