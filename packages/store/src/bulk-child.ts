/**
 * A process for the tests to kill: it carries bulks on, a step for each line that it is sent, and says when one is
 * committed. Argument: the database file.
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
