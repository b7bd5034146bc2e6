/** Opens the store of a process. A PostgreSQL that cannot be reached yet is waited for: nodes often start before it. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { QuietLog } from '@orrery/cluster';
import { isOutage, openPostgres, openSqliteThread, type Store } from '@orrery/store';
import { machineClock } from './machine-clock.ts';
import type { NodeOptions } from './options.ts';

const RETRY_EVERY = 1_000;

/** Opens it; fails at once where waiting would not help, as with a wrong password or a missing database. */
export async function openStore({ folder, database, name, log }: NodeOptions): Promise<Store> {
  if (database === undefined) return openSqliteThread(join(folder, 'orrery.db'));
  const away = new QuietLog(log, machineClock);
  for (;;) {
    try {
      const store = await openPostgres({ url: database, name: `orrery ${name}` });
      away.over('the database answers');
      return store;
    } catch (error) {
      if (!isOutage(error)) throw error;
      away.met(`waiting for the database: ${(error as Error).message}`);
      await sleep(RETRY_EVERY);
    }
  }
}
