import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openSqlite } from '../index.ts';
import { first } from './001-first.ts';

it('brings a database of the first schema up to date, with the tags its workflows have', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-migration-'));
  const file = join(folder, 'orrery.db');
  const db = new DatabaseSync(file);
  for (const text of first.statements) db.exec(typeof text === 'string' ? text : text.sqlite);
  db.exec('CREATE TABLE migration (number BIGINT PRIMARY KEY, name TEXT NOT NULL)');
  db.exec(`INSERT INTO migration VALUES (1, 'first')`);
  db.exec(`INSERT INTO workflow_version (workflow, version, body, hash, source, note, author, origin, created_at)
    VALUES (1, 1, '{"tags":["eu"]}', 'a', '', '', 'me', 'api', 1), (1, 2, '{}', 'b', '', '', 'me', 'api', 2)`);
  db.close();
  await (await openSqlite(file)).close();
  const now = new DatabaseSync(file);
  expect(now.prepare('SELECT tags FROM workflow_version ORDER BY version').all()).toMatchObject([
    { tags: '["eu"]' },
    { tags: '[]' },
  ]);
  expect(now.prepare('SELECT max(number) AS number FROM migration').get()).toMatchObject({ number: 2 });
  now.close();
  rmSync(folder, { recursive: true });
});
