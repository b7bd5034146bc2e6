import { type TestSchema, testSchema } from '@orrery/testkit/databases';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batch, type Operation } from './operation.ts';
import { PostgresDriver } from './postgres.ts';

describe('columns of a batch on PostgreSQL', () => {
  let schema: TestSchema;
  let driver: PostgresDriver;
  beforeAll(async () => {
    schema = await testSchema();
    driver = await PostgresDriver.open(schema.options);
  });
  afterAll(async () => {
    await driver.close();
    await schema.drop();
  });

  it('arrive as they were sent, whatever they hold', async () => {
    const number = fc.option(fc.maxSafeInteger());
    const text = fc.option(fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed()));
    const property = fc.asyncProperty(fc.array(fc.tuple(number, text), { minLength: 1 }), async (rows) => {
      const back = await driver.read(function* (): Operation<
        readonly { n: number | null; t: string | null }[]
      > {
        const echo =
          'SELECT n, t FROM unnest(?1::int8[], ?2::text[]) WITH ORDINALITY AS k(n, t, place) ORDER BY place';
        return (yield* batch<{ n: number | null; t: string | null }>(
          { sqlite: '', postgres: echo },
          ['int', 'text'],
          rows,
        )).rows;
      });
      expect(back.map(({ n, t }) => [n, t])).toEqual(
        rows.map(([n, t]) => [n, t?.replaceAll('\0', '\ufffd') ?? null]),
      );
    });
    await fc.assert(property, { numRuns: 200 });
  });
});
