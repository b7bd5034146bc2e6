/** `orrery db backup` and `orrery db restore`: a copy of a database as one file, and back. */
import { join } from 'node:path';
import { backUp, restore, type StorePlace } from '@orrery/store';
import { printJson } from '../client/output.ts';
import { machineClock } from '../node/machine-clock.ts';
import { type DbOptions, DEFAULT_DATA, placeOf } from './place.ts';

/** Runs `orrery db backup`. */
export async function backup(file: string, options: DbOptions): Promise<void> {
  await backUp(placeOf(options), file);
  if (options.json) return printJson({ backup: file });
  console.log(`backup written to ${file}`);
}

/** Runs `orrery db restore`. */
export async function restoreBackup(
  file: string,
  options: DbOptions & { readonly replace?: boolean },
): Promise<void> {
  const { runs, kept } = await restore(file, targetOf(options), {
    replace: options.replace === true,
    now: machineClock.now(),
  });
  if (options.json) return printJson({ restored: file, openRuns: runs, kept: kept ?? null });
  if (kept !== undefined) console.log(`what was there is now ${kept}`);
  console.log(`restored ${file}; ${runs} runs that were open go on when a master starts`);
}

/** An embedded database need not be there yet. */
function targetOf(options: DbOptions): StorePlace {
  if (options.database !== undefined) return placeOf(options);
  return { file: join(options.data ?? DEFAULT_DATA, 'orrery.db') };
}
