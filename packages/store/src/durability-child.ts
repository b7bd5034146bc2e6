/**
 * A process for tests to kill: commits runs one at a time and prints each id once it is committed. Arguments:
 * the database file, and `thread` to write on a separate thread.
 */
import { writeSync } from 'node:fs';
import { openSqlite, openSqliteThread } from './store.ts';
import { changeOf, claimStarts, commandOf, commit, fieldsOf, joinMaster, NOW, publish } from './testing.ts';

const [path, how] = process.argv.slice(2);
const store = await (how === 'thread' ? openSqliteThread(path) : openSqlite(path)).catch((error) => {
  writeSync(1, `refused: ${error.message}\n`);
  process.exit(3);
});
const self = await joinMaster(store);
const workflow = await publish(store);
writeSync(1, 'open\n');
while (true) {
  await store.submitCommand({ command: commandOf(workflow), now: NOW });
  const [{ run }] = await claimStarts(store, self, 1);
  await commit(store, self, changeOf(run, { fields: fieldsOf('success'), endedAt: NOW, release: true }));
  writeSync(1, `${run}\n`);
}
