/** Opens the store of a process. A PostgreSQL that cannot be reached yet is waited for: nodes often start before it. */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@orrery/core/log';
import { QuietLog } from '@orrery/core/quiet-log';
import { isOutage, openPostgres, openSqliteThread, type Store } from '@orrery/store';
import { machineClock } from './machine-clock.ts';
import type { NodeOptions } from './options.ts';

const RETRY_EVERY = 1_000;

/** Opens it; fails at once where waiting would not help, as with a wrong password or a missing database. */
export async function openStore({ folder, database, name, log }: NodeOptions): Promise<Store> {
  if (database === undefined) return openSqliteThread(join(folder, 'orrery.db'));
  return throughOutages(log, () => openPostgres({ url: database, name: `orrery ${name}` }));
}

/** Does a step of a start, again and again while the database does not answer. */
export async function throughOutages<T>(log: Log, step: () => Promise<T>): Promise<T> {
  const away = new QuietLog(log, machineClock);
  for (;;) {
    try {
      const done = await step();
      away.over('the database answers');
      return done;
    } catch (error) {
      if (!isOutage(error)) throw error;
      away.met(`waiting for the database: ${(error as Error).message}`);
      await sleep(RETRY_EVERY);
    }
  }
}
