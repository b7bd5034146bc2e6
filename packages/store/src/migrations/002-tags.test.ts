import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { testSchema } from '@orrery/testkit/databases';
import { describe, expect, it } from 'vitest';
import { openPostgres, openSqlite } from '../index.ts';
import { SCHEMA } from '../migrate.ts';
import { first } from './001-first.ts';

/** A database of the first schema, with a workflow of two versions, as statements of a dialect. */
const asItWas = (dialect: 'sqlite' | 'postgres') => [
  ...first.statements.map((text) => (typeof text === 'string' ? text : text[dialect])),
  'CREATE TABLE migration (number BIGINT PRIMARY KEY, name TEXT NOT NULL)',
  `INSERT INTO migration VALUES (1, 'first')`,
  `INSERT INTO workflow_version (workflow, version, body, hash, source, note, author, origin, created_at)
    VALUES (1, 1, '{"tags":["eu"]}', 'a', '', '', 'me', 'api', 1), (1, 2, '{}', 'b', '', '', 'me', 'api', 2)`,
];
const tags = 'SELECT tags FROM workflow_version ORDER BY version';
const newest = 'SELECT max(number) AS number FROM migration';

describe('a database of the first schema is brought up to date, with the tags its workflows have', () => {
  it('on SQLite', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'orrery-migration-'));
    const file = join(folder, 'orrery.db');
    const before = new DatabaseSync(file);
    for (const text of asItWas('sqlite')) before.exec(text);
    before.close();
    await (await openSqlite(file)).close();
    const after = new DatabaseSync(file);
    expect(after.prepare(tags).all()).toMatchObject([{ tags: '["eu"]' }, { tags: '[]' }]);
    expect(after.prepare(newest).get()).toMatchObject({ number: SCHEMA });
    after.close();
    rmSync(folder, { recursive: true });
  });

  it('on PostgreSQL', async () => {
    const schema = await testSchema();
    try {
      await schema.query(`CREATE SCHEMA ${schema.options.schema}`);
      for (const text of asItWas('postgres')) await schema.query(text);
      await (await openPostgres(schema.options)).close();
      expect(await schema.query(tags)).toEqual([{ tags: '["eu"]' }, { tags: '[]' }]);
      expect(await schema.query(newest)).toEqual([{ number: String(SCHEMA) }]);
    } finally {
      await schema.drop();
    }
  });
});
