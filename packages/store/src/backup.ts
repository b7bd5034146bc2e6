/**
 * Backups: a copy of a database as one file. The file is always an embedded database, whatever its source, so
 * a backup of PostgreSQL needs no other program, can be checked by `orrery db doctor`, and can be restored to
 * either. A backup is one snapshot, taken while servers work.
 */
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { InvalidInput } from '@orrery/core/errors';
import { Conflict, StoreAway } from './errors.ts';
import type { StorePlace } from './found-store.ts';
import { pendingMigrations } from './migrate.ts';
import { raiseRestored } from './operations/cluster/generation.ts';
import { lock, SqliteDriver } from './sqlite.ts';

/** Copies a database into a new file. */
export async function backUp(place: StorePlace, file: string): Promise<void> {
  if (existsSync(file)) throw new InvalidInput(`${file} is there already; name another file`);
  // Nobody else may read the copy, from its first byte on.
  const folder = mkdtempSync(join(dirname(file), '.orrery-backup-'));
  const copy = join(folder, 'copy.db');
  try {
    if ('file' in place) copySqlite(place.file, copy);
    else {
      const { copyFromPostgres } = await import('./postgres-copy.ts');
      await copyFromPostgres(place, copy);
    }
    renameSync(copy, file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Restores a backup over a database. No server may use an embedded database meanwhile; on PostgreSQL running
 * servers stop. Existing data is replaced only with `replace`; an embedded database is then kept beside the
 * new one.
 */
export async function restore(
  file: string,
  place: StorePlace,
  { replace, now }: { readonly replace: boolean; readonly now: number },
): Promise<{ readonly runs: number; readonly kept?: string }> {
  if (!existsSync(file)) throw new InvalidInput(`there is no backup ${file}`);
  if ('file' in place) mkdirSync(dirname(place.file), { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(dirname('file' in place ? place.file : file), '.orrery-restore-'));
  const copy = join(folder, 'orrery.db');
  try {
    copySqlite(file, copy);
    const driver = new SqliteDriver(copy);
    let runs: number;
    try {
      const damages = driver.damages();
      if (damages.length > 0) throw new Conflict(`${file} is damaged: ${damages[0]}`);
      runs = driver.transact(() => raiseRestored({ now })).runs;
    } finally {
      driver.close();
    }
    if ('file' in place) return { runs, kept: putInPlace(copy, place.file, replace) };
    const { copyToPostgres } = await import('./postgres-copy.ts');
    await copyToPostgres(copy, place, replace);
    return { runs };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Copies one snapshot, even while another process writes. */
function copySqlite(from: string, to: string): void {
  const source = new SqliteDriver(from, { readOnly: true });
  try {
    // Refuses an empty or foreign database before copying anything.
    if (source.read(pendingMigrations).some(({ number }) => number === 1))
      throw new InvalidInput(`${from} is no database of Orrery`);
    closeSync(openSync(to, 'wx', 0o600));
    source.copyTo(to);
  } catch (error) {
    throw error instanceof StoreAway ? new StoreAway(`${from}: ${error.message}`, false, error) : error;
  } finally {
    source.close();
  }
}

/** Moves the copy into place; returns where the old file is kept, if there was one. */
function putInPlace(copy: string, file: string, replace: boolean): string | undefined {
  const guard = lock(file);
  try {
    const kept = `${file}.before-restore`;
    if (existsSync(file)) {
      if (!replace)
        throw new Conflict(`there is a database ${file}; say --replace to keep it as ${kept} and go on`);
      for (const end of ['', '-wal', '-shm']) {
        rmSync(kept + end, { force: true });
        if (existsSync(file + end)) renameSync(file + end, kept + end);
      }
      renameSync(copy, file);
      return kept;
    }
    // A leftover WAL must not be replayed into another database.
    for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
    renameSync(copy, file);
    return undefined;
  } finally {
    guard.close();
  }
}
