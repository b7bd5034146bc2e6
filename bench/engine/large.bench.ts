/** Single runs of many tasks: how long they take, and how long the event loop of the master stood still meanwhile. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { task, workflow } from '@orrery/testkit/workflows';
import type { Row } from '../run.ts';
import { aboutPostgres, type Database, databases } from './databases.ts';
import { slots, withEngine } from './engine.ts';
import { chain, parallel, publish, type Shape, warmUp } from './load.ts';

export const title = 'single runs of many no-op tasks';
export const about = aboutPostgres;

const WIDTH = 100;

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const database of databases) {
    for (const size of [1_000, 10_000]) {
      for (const shape of [parallel(size), chain(size), lattice(size)])
        rows.push(...(await one(database, shape)));
    }
  }
  return rows;
}

/** Rows of tasks of which each needs three of the row before. */
function lattice(tasks: number): Shape {
  const specs = Array.from({ length: tasks }, (_, k) => {
    const [row, column] = [Math.floor(k / WIDTH), k % WIDTH];
    const above = [column - 1, column, column + 1].map((at) => (at + WIDTH) % WIDTH);
    return task(`t${k}`, { needs: row === 0 ? [] : above.map((at) => `t${(row - 1) * WIDTH + at}`) });
  });
  return { name: `lattice of ${tasks}`, tasks, workflow: workflow(specs) };
}

async function one(database: Database, shape: Shape): Promise<Row[]> {
  const small = chain(3);
  const { seconds, longest } = await database.withStore((store) =>
    withEngine(store, async (engine) => {
      await warmUp(engine, await publish(store, small), small);
      const command = await publish(store, { ...shape, workflow: { ...shape.workflow, name: 'large' } });
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const begin = performance.now();
      await store.submitCommand({ command, now: Date.now() });
      engine.hint();
      const end = await engine.committed(shape.tasks);
      delay.disable();
      return { seconds: (end - begin) / 1_000, longest: delay.max / 1e6 };
    }),
  );
  const what = `${database.name}, ${shape.name}`;
  const note = `${database.settings}; 1 master, 1 worker with ${slots} slots, one process`;
  return [
    { what, value: shape.tasks / seconds, unit: 'tasks/s', note },
    {
      what: `${what}, longest stand of the event loop`,
      value: longest,
      unit: 'ms',
      note: 'bar 50; master and worker share it',
    },
  ];
}
