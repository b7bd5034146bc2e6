/** The newest generation of the database that this data folder has seen, in a file of its own. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Conflict, type Store } from '@orrery/store';

/** Begins a new generation; refuses a database that is older than what was seen here before. */
export async function beginGeneration(store: Store, folder: string): Promise<void> {
  const file = join(folder, 'generation');
  let number: number;
  try {
    number = await store.beginGeneration({ seen: seenIn(file) });
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    throw new Conflict(
      `${error.message}. Put the newer one back, or go on with this one: "orrery db backup FILE", then "orrery db restore FILE --replace"`,
    );
  }
  writeFileSync(`${file}.new`, `${number}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function seenIn(file: string): number {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || 0;
  } catch {
    return 0;
  }
}
