/** How long it takes from a request to the first line of its task. */
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { aboutPostgres, type Database, databases } from './databases.ts';
import { withEngine } from './engine.ts';
import { quantile } from './figures.ts';
import { parallel, publish, warmUp } from './load.ts';

export const title = 'from the submit of a command to the begin of its attempt at the worker';
export const about = aboutPostgres;

const SAMPLES = bySize(500, 5);

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const database of databases) {
    const taken = await latencies(database);
    for (const [name, share] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const) {
      rows.push({
        what: `${database.name}, ${name}`,
        value: quantile(taken, share),
        unit: 'ms',
        note: `${SAMPLES} one after another at an idle engine, with a hint; ${database.settings}`,
      });
    }
  }
  return rows;
}

function latencies(database: Database): Promise<number[]> {
  const shape = parallel(1);
  return database.withStore((store) =>
    withEngine(store, async (engine) => {
      const command = await publish(store, shape);
      await warmUp(engine, command, shape);
      const taken: number[] = [];
      for (let i = 0; i < SAMPLES; i++) {
        const committed = engine.committed(1);
        const begun = engine.begun(1);
        const begin = performance.now();
        await store.submitCommand({ command, now: Date.now() });
        engine.hint();
        taken.push((await begun) - begin);
        await committed;
      }
      return taken;
    }),
  );
}
