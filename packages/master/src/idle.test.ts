import { openPostgres, openSqlite, type Store } from '@orrery/store';
import { testSchema } from '@orrery/testkit/databases';
import { SimStage } from '@orrery/testkit/sim-stage';
import { afterEach, describe, expect, it } from 'vitest';

const SECONDS = 30;

describe('an idle master', () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  /** What a master with an idle worker asks for in that many seconds, while `begun` is told when they begin. */
  async function idle(store: Store, begun = () => {}): Promise<string[]> {
    ends.push(() => store.close());
    const stage = await SimStage.start(store, 5);
    ends.push(() => stage.stop());
    stage.ask();
    await stage.settle();
    stage.asked.length = 0;
    begun();
    await stage.pass(SECONDS * 1_000);
    return stage.asked;
  }

  it('asks the store once a second, and for nothing but its beat', async () => {
    const asked = await idle(await openSqlite(':memory:'));
    expect(new Set(asked)).toEqual(new Set(['beat']));
    expect(asked.length).toBeLessThanOrEqual(SECONDS);
  });

  it('makes one statement a second on PostgreSQL', async () => {
    const schema = await testSchema();
    ends.push(() => schema.drop());
    const texts: string[] = [];
    const pause = (text: string) => void texts.push(text);
    const asked = await idle(await openPostgres({ ...schema.options, pause }), () => {
      texts.length = 0;
    });
    expect(new Set(asked)).toEqual(new Set(['beat']));
    expect(asked.length).toBeLessThanOrEqual(SECONDS);
    const statements = texts.filter((text) => text !== 'BEGIN' && text !== 'COMMIT');
    expect(statements).toHaveLength(asked.length);
  });
});
