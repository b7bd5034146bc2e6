import { testSchema } from '@orrery/testkit/databases';
import { describe, expect, it } from 'vitest';
import { type Operation, row } from './operation.ts';
import { PostgresDriver } from './postgres.ts';
import { SqliteDriver } from './sqlite.ts';

/** More texts than anybody keeps, each with its answer. */
const TEXTS = 2_100;
const ask = (k: number) => row<{ answer: number }>(`SELECT ${k} AS answer WHERE ?1 = 1`, 1);

function* askAll(): Operation<number> {
  let right = 0;
  for (let k = 0; k < TEXTS; k++) if ((yield* ask(k))?.answer === k) right++;
  return right;
}

function* countPrepared(): Operation<number> {
  return (yield* row<{ count: number }>('SELECT count(*) AS count FROM pg_prepared_statements'))?.count ?? 0;
}

describe('statements that are all different', () => {
  it('are answered by SQLite without all being kept', () => {
    const driver = new SqliteDriver(':memory:');
    expect(driver.read(askAll)).toBe(TEXTS);
    expect(driver.read(askAll)).toBe(TEXTS);
    expect(Reflect.get(driver, 'statements').size).toBeLessThanOrEqual(2_000);
    driver.close();
  });

  it('are answered by PostgreSQL without all being kept by the server', async () => {
    const schema = await testSchema();
    const driver = await PostgresDriver.open({ ...schema.options, readers: 1 });
    try {
      expect(await driver.read(askAll)).toBe(TEXTS);
      const kept = await driver.read(countPrepared);
      expect(kept).toBeGreaterThan(1_000);
      expect(kept).toBeLessThanOrEqual(2_000);
    } finally {
      await driver.close();
      await schema.drop();
    }
  });
});
