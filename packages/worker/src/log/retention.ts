/** Deletes the logs of runs without writes for a long time, and the oldest logs if there are too many. */
import { readdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Logs written to within this time are never deleted, however many there are. */
const YOUNG = 3_600_000;

/** Retention limits. */
export interface KeptLogs {
  /** Now, and how long a run is kept after its last line; in milliseconds. */
  readonly now: number;
  readonly age: number;
  /** Limit of runs. */
  readonly most: number;
}

/** Removes the folders of runs that are too old or exceed the limit. Returns how many it removed. */
export async function pruneLogs(logs: string, { now, age, most }: KeptLogs): Promise<number> {
  const kept: { readonly folder: string; readonly last: number }[] = [];
  let removed = 0;
  const remove = async (folder: string): Promise<void> => {
    await rm(folder, { recursive: true, force: true });
    removed++;
    // Fails, as intended, while a run is left.
    await rmdir(join(folder, '..')).catch(() => undefined);
  };
  for (const workflow of await entries(logs)) {
    for (const run of await entries(join(logs, workflow))) {
      const folder = join(logs, workflow, run);
      const last = await newest(folder);
      if (last < now - age) await remove(folder);
      else kept.push({ folder, last });
    }
    await rmdir(join(logs, workflow)).catch(() => undefined);
  }
  const tooMany = kept.toSorted((a, b) => a.last - b.last).slice(0, Math.max(0, kept.length - most));
  const gone = tooMany.filter(({ last }) => last < now - YOUNG);
  for (const { folder } of gone) await remove(folder);
  const newestGone = gone.at(-1)?.last ?? 0;
  if (newestGone > (await removedUntil(logs)))
    await writeFile(join(logs, REMOVED_UNTIL), `${newestGone}\n`, { mode: 0o600 });
  return removed;
}

/** Next to the workflow folders, whose names never start with a dot. */
const REMOVED_UNTIL = '.removed-until';

/** When the last line was written to the newest log removed by the limit; 0 if none was. */
export async function removedUntil(logs: string): Promise<number> {
  return Number(await readFile(join(logs, REMOVED_UNTIL), 'utf8').catch(() => '0')) || 0;
}

async function newest(folder: string): Promise<number> {
  let time = (await stat(folder).catch(() => undefined))?.mtimeMs ?? 0;
  for (const file of await readdir(folder, { recursive: true }).catch(() => [])) {
    const found = await stat(join(folder, file)).catch(() => undefined);
    if (found) time = Math.max(time, found.mtimeMs);
  }
  return time;
}

async function entries(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
