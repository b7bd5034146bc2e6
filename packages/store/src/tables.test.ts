import { type TestSchema, testSchema } from '@orrery/testkit/databases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rows } from './operation.ts';
import { PostgresDriver } from './postgres.ts';
import { SqliteDriver } from './sqlite.ts';
import * as tables from './tables.ts';

describe('tables that rows are inserted into', () => {
  let schema: TestSchema;
  let postgres: PostgresDriver;
  const sqlite = new SqliteDriver(':memory:');
  beforeAll(async () => {
    schema = await testSchema();
    postgres = await PostgresDriver.open(schema.options);
  });
  afterAll(async () => {
    sqlite.close();
    await postgres.close();
    await schema.drop();
  });

  it.each(Object.values(tables))('$name has the columns the code writes', async ({ name, columns }) => {
    const text = `SELECT ${Object.keys(columns).join(', ')} FROM ${name} WHERE 1 = 0`;
    expect(sqlite.read(() => rows(text))).toEqual([]);
    expect(await postgres.read(() => rows(text))).toEqual([]);
  });
});
