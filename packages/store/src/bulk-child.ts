/**
 * A process for tests to kill: performs one bulk step for each input line, and prints when it has committed.
 * Argument: the database file.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { openSqlite } from './store.ts';
import { joinMaster, NOW } from './testing.ts';

const store = await openSqlite(process.argv[2]);
const self = await joinMaster(store, 'carrier');
writeSync(1, 'open\n');
for await (const _ of createInterface(process.stdin)) {
  await store.stepBulk({ self, limit: 500, now: NOW });
  writeSync(1, 'step\n');
}
