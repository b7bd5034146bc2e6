import { testSchema } from '@orrery/testkit/databases';
import { describe, expect, it } from 'vitest';
import { findStore } from './found-store.ts';
import { openPostgres } from './store.ts';

describe('a PostgreSQL as it is found', () => {
  it('tells what is pending without applying it, and can be checked once nothing is', async () => {
    const schema = await testSchema();
    const found = await findStore(schema.options);
    try {
      for (let again = 0; again < 2; again++) {
        expect(await found.pendingMigrations()).toMatchObject([
          { number: 1, name: 'first' },
          { number: 2, name: 'tags' },
          { number: 3, name: 'life' },
          { number: 4, name: 'elastic' },
        ]);
      }
      await (await openPostgres(schema.options)).close();
      expect(await found.pendingMigrations()).toEqual([]);
      const { counts, orphans } = await found.checkStore();
      expect(counts.run).toBe(0);
      expect(Object.values(orphans).every((count) => count === 0)).toBe(true);
    } finally {
      await found.close();
      await schema.drop();
    }
  });
});
