/** Work for an engine: workflows of no-op tasks, published once and started many times. */
import type { Command, Store } from '@orrery/store';
import { edges, task, workflow } from '@orrery/testkit/workflows';
import { bySize } from '../size.ts';
import type { Database } from './databases.ts';
import { type Engine, withEngine } from './engine.ts';
import { type Lap, startLap, type Timing } from './figures.ts';

/** A workflow of no-op tasks. */
export interface Shape {
  readonly name: string;
  readonly tasks: number;
  readonly workflow: ReturnType<typeof workflow>;
}

/** That many tasks that need nothing. */
export function parallel(tasks: number): Shape {
  const names = Array.from({ length: tasks }, (_, i) => `t${i}`);
  return {
    name: tasks === 1 ? '1 task' : `${tasks} parallel tasks`,
    tasks,
    workflow: workflow(names.map((name) => task(name))),
  };
}

/** That many tasks, each after the one before. */
export function chain(tasks: number): Shape {
  const names = Array.from({ length: tasks }, (_, i) => `t${i}`);
  return {
    name: `chain of ${tasks}`,
    tasks,
    workflow: edges(names.slice(1).map((name, i) => [names[i], name])),
  };
}

/** Commands written in one call: a burst of requests as a client would send it. */
const SUBMIT = 500;

/** Runs a shape that many times, with and without the submits, each on a fresh database. */
export async function timeRuns(database: Database, shape: Shape, runs: number): Promise<Timing> {
  return {
    withSubmit: await timeDrain(database, shape, runs),
    withoutSubmit: await database.withStore(async (store) => {
      const command = await publish(store, shape);
      await submit(store, command, runs, () => {});
      const endLap = startLap();
      return withEngine(store, async (engine) => {
        const lap = endLap(await engine.committed(runs * shape.tasks));
        await check(store, runs);
        return lap;
      });
    }),
  };
}

/** Submits a shape that many times to an idle engine, and waits for the last commit. */
export function timeDrain(database: Database, shape: Shape, runs: number): Promise<Lap> {
  return database.withStore((store) =>
    withEngine(store, async (engine) => {
      const command = await publish(store, shape);
      await warmUp(engine, command, shape);
      const endLap = startLap();
      await submit(store, command, runs, () => engine.hint());
      const lap = endLap(await engine.committed(runs * shape.tasks));
      await check(store, runs);
      return lap;
    }),
  );
}

/**
 * Runs a shape repeatedly by itself at a warm, idle engine. Returns the seconds of each run from its submit
 * to its last commit.
 */
export function timeAlone(database: Database, shape: Shape, times: number): Promise<number[]> {
  return database.withStore((store) =>
    withEngine(store, async (engine) => {
      const command = await publish(store, shape);
      await warmUp(engine, command, shape);
      const taken: number[] = [];
      for (let i = 0; i < times; i++) {
        const begin = performance.now();
        await store.submitCommand({ command, now: Date.now() });
        engine.hint();
        taken.push(((await engine.committed(shape.tasks)) - begin) / 1_000);
      }
      return taken;
    }),
  );
}

/** Publishes a shape; the command that starts it. */
export async function publish(store: Store, shape: Shape): Promise<Command> {
  const { workflow } = shape;
  const now = Date.now();
  const { id, version } = await store.publishWorkflow({
    workflow,
    hash: shape.name,
    source: '',
    note: '',
    author: '',
    due: {},
    now,
  });
  return {
    workflow: id,
    version,
    project: workflow.project,
    name: workflow.name,
    priority: 2,
    kind: 'normal',
    trigger: 'manual',
    request: {
      project: workflow.project,
      priority: 'medium',
      onFailure: workflow.onFailure,
      businessTime: now,
      timezone: workflow.timezone,
      dryRun: false,
      depth: 0,
    },
    params: {},
    scope: { kind: 'all', tasks: [] },
  };
}

/** A thousand tasks at full size, so that what follows is measured warm. */
export async function warmUp(engine: Engine, command: Command, { tasks }: Shape): Promise<void> {
  const runs = Math.ceil(bySize(1_000, 1) / tasks);
  await submit(engine.store, command, runs, () => engine.hint());
  await Promise.all([engine.begun(runs * tasks), engine.committed(runs * tasks)]);
}

/** Queues that many runs in calls of `SUBMIT`, each with a hint. */
export async function submit(store: Store, command: Command, runs: number, hint: () => void): Promise<void> {
  for (let left = runs; left > 0; left -= SUBMIT) {
    const commands = Array.from({ length: Math.min(left, SUBMIT) }, () => command);
    await store.submitCommands({ commands, now: Date.now() });
    hint();
  }
}

/** The newest runs have all ended well, and what they did can be read. */
async function check(store: Store, runs: number): Promise<void> {
  const newest = await store.listRuns({ limit: runs });
  const well = newest.filter(({ state }) => state === 'success').length;
  if (well !== runs) throw new Error(`${well} of ${runs} runs were successful`);
  const attempts = await store.pageAttempts({ run: newest[0].id, task: 0, limit: 1 });
  if (attempts.length === 0) throw new Error(`run ${newest[0].id} has no history`);
}
