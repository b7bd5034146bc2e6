/** Single runs of many tasks: how long they take, and the longest step that held up the event loop of the master. */
import { setTimeout } from 'node:timers/promises';
import type { Control } from '@orrery/core/run';
import type { RunState } from '@orrery/core/state';
import type { Store } from '@orrery/store';
import { task, workflow } from '@orrery/testkit/workflows';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { aboutPostgres, type Database, databases } from './databases.ts';
import { slots, withEngine } from './engine.ts';
import { watchSteps } from './figures.ts';
import { chain, parallel, publish, type Shape, warmUp } from './load.ts';

export const title = 'single runs of many no-op tasks';
export const about = aboutPostgres;

const WIDTH = bySize(100, 10);
const SIZES = bySize([1_000, 10_000], [50]);
/** The same at every size: a smaller run could end before it is paused. */
const CONTROLLED = 10_000;

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const database of databases) {
    for (const size of SIZES) {
      for (const shape of [parallel(size), chain(size), lattice(size)])
        rows.push(...(await one(database, shape)));
    }
    rows.push(...(await controlled(database, parallel(CONTROLLED))));
  }
  return rows;
}

/** Rows of tasks, each of which needs three of the previous row. */
function lattice(tasks: number): Shape {
  const specs = Array.from({ length: tasks }, (_, k) => {
    const [row, column] = [Math.floor(k / WIDTH), k % WIDTH];
    const above = [column - 1, column, column + 1].map((at) => (at + WIDTH) % WIDTH);
    return task(`t${k}`, { needs: row === 0 ? [] : above.map((at) => `t${(row - 1) * WIDTH + at}`) });
  });
  return { name: `lattice of ${tasks}`, tasks, workflow: workflow(specs) };
}

/** The longest steps when all tasks of a run are held, let go, called off and run again at once. */
async function controlled(database: Database, shape: Shape): Promise<Row[]> {
  const rows: Row[] = [];
  await database.withStore((store) =>
    withEngine(store, async (engine) => {
      const command = await publish(store, shape);
      const { run } = await store.submitCommand({ command, now: Date.now() });
      engine.hint();
      await engine.begun(bySize(1_000, 1));
      const steps: [Control, RunState][] = [
        [{ type: 'pause' }, 'paused'],
        [{ type: 'resume' }, 'running'],
        [{ type: 'stop' }, 'stopped'],
        [{ type: 'rerun', scope: { kind: 'all', tasks: [] } }, 'success'],
      ];
      for (const [control, until] of steps) {
        const longest = watchSteps();
        await store.sendControls({ runs: [run], control, by: 'bench', now: Date.now() });
        engine.hint();
        await reached(store, run, until);
        rows.push(stepRow(`${database.name}, ${shape.name}, ${control.type}`, longest()));
      }
    }),
  );
  return rows;
}

/** Settles when a run is in a state. */
async function reached(store: Store, run: number, state: RunState): Promise<void> {
  for (;;) {
    const { runs } = await store.readRunsById({ ids: [run] });
    if (runs[0]?.state === state) return;
    if (runs[0]?.state === 'success') throw new Error(`the run ended before it was ${state}`);
    await setTimeout(20);
  }
}

async function one(database: Database, shape: Shape): Promise<Row[]> {
  const small = chain(3);
  const { seconds, longest } = await database.withStore((store) =>
    withEngine(store, async (engine) => {
      await warmUp(engine, await publish(store, small), small);
      const command = await publish(store, { ...shape, workflow: { ...shape.workflow, name: 'large' } });
      const steps = watchSteps();
      const begin = performance.now();
      await store.submitCommand({ command, now: Date.now() });
      engine.hint();
      const end = await engine.committed(shape.tasks);
      return { seconds: (end - begin) / 1_000, longest: steps() };
    }),
  );
  const what = `${database.name}, ${shape.name}`;
  const note = `${database.settings}; 1 master, 1 worker with ${slots} slots, one process`;
  return [{ what, value: shape.tasks / seconds, unit: 'tasks/s', note }, stepRow(what, longest)];
}

function stepRow(what: string, longest: number): Row {
  return {
    what: `${what}, longest step`,
    value: longest,
    unit: 'ms',
    note: 'CPU of one turn of the event loop, which master and worker share; bar 50',
  };
}
