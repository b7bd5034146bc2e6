/** The longest turn of the event loop while starts come faster than they are done and runs of several shapes end. */
import type { Command } from '@orrery/store';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { aboutPostgres, type Database, databases } from './databases.ts';
import { type Engine, slots, withEngine } from './engine.ts';
import { watchSteps } from './figures.ts';
import { chain, parallel, publish, type Shape, submit, warmUp } from './load.ts';

export const title = 'the longest turn of the event loop under load';
export const about = aboutPostgres;

const SHAPES = [parallel(1), chain(3), parallel(20)];
const SECONDS = bySize(10, 0.1);
/** Runs of each shape that are started at once. */
const BURST = bySize(2_000, 5);

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const database of databases) rows.push(await longestTurn(database));
  return rows;
}

/** Starts bursts, each when the one before it is done to the half: starts, outcomes and takes come together. */
async function longestTurn(database: Database): Promise<Row> {
  const { longest, rate } = await database.withStore((store) =>
    withEngine(store, async (engine) => {
      const commands: Command[] = [];
      for (const [k, shape] of SHAPES.entries()) {
        commands.push(await publish(store, { ...shape, workflow: { ...shape.workflow, name: `shape${k}` } }));
        await warmUp(engine, commands[k], shape);
      }
      const turns = watchSteps();
      const begin = performance.now();
      const tasks = await keepBusy(engine, commands, begin + SECONDS * 1_000);
      return { longest: turns(), rate: (1_000 * tasks) / (performance.now() - begin) };
    }),
  );
  const note = [
    'CPU of one turn, which master and worker share; bar 50',
    `${BURST} runs each of ${SHAPES.map(({ name }) => name).join(', ')} at once, again and again for ${SECONDS} s`,
    `${Math.round(rate).toLocaleString('en-US')} tasks/s meanwhile`,
    database.settings,
    `1 master, 1 worker with ${slots} slots, one process`,
  ].join('; ');
  return { what: `${database.name}, longest turn`, value: longest, unit: 'ms', note };
}

/** Starts bursts until a time; how many tasks were done when the last has ended. */
async function keepBusy(engine: Engine, commands: readonly Command[], until: number): Promise<number> {
  const each = SHAPES.reduce((sum: number, { tasks }: Shape) => sum + BURST * tasks, 0);
  let done = 0;
  let left = 0;
  do {
    for (const command of commands) await submit(engine.store, command, BURST, () => engine.hint());
    const half = Math.floor((left + each) / 2);
    await engine.committed(half);
    done += half;
    left += each - half;
  } while (performance.now() < until);
  await engine.committed(left);
  return done + left;
}
