/**
 * Random workflows through a real master and store in virtual time, with crashes of the master and a store that fails.
 * In calm seeds nobody interferes: then every run must end as the rules alone say. In rough ones people do, workers die
 * and time limits pass: then every run must still end, and keep the laws. A seed replays exactly.
 */
import type { TaskSpec, Workflow } from '@orrery/core/model';
import { isFinal, type RunState, runMachine } from '@orrery/core/state';
import { openSqlite, type Store } from '@orrery/store';
import { attemptText } from '@orrery/wire/frames';
import { Engine } from './engine.ts';
import { Random } from './random.ts';
import { randomControl } from './run-chaos.ts';
import { RunWorld } from './run-world.ts';
import type { Play, SimWorker } from './sim-worker.ts';
import { randomWorkflow } from './workflows.ts';

/** What a seed is made of. */
export interface ModelOptions {
  readonly runs: number;
  /** Tasks of a workflow, at most. */
  readonly tasks: number;
  /** A fault in the engine, which must be noticed: a wrong rule, or a store that loses attempts. */
  readonly broken?: 'rule' | 'queue';
}

interface Flow {
  readonly flow: Workflow;
  readonly child: Workflow;
  run: number;
}

const FAILURES = 0.25;
const TROUBLE = 40_000;
const PATIENCE = 3_600_000;

/** Plays one seed; how its runs ended. Throws with what went wrong. */
export async function playModel(seed: number, options: ModelOptions): Promise<Record<string, number>> {
  const random = new Random(seed);
  const rough = random.chance(0.5);
  const flows = Array.from({ length: options.runs }, (_, k): Flow => flowOf(random, options.tasks, k, rough));
  const times = new Map<string, number>();
  const play: Play = ({ workflow, taskName, attempt: { run, task, shard } }) => {
    // By how often it ran, not by its number: an attempt that never reached its worker has one too.
    const line = `${run}.${task}.${shard}`;
    const time = (times.get(line) ?? 0) + 1;
    times.set(line, time);
    return {
      after: 1 + random.int(random.chance(0.05) && rough ? 90_000 : 3_000),
      state: fate(seed, [workflow, taskName, shard, time]),
    };
  };
  let troubled = true;
  const memory = await openSqlite(':memory:');
  const engine = await Engine.start(
    play,
    // Few of a small run's tasks begin at once in half of the games, as in a large run.
    random.chance(0.5) ? { beginBatch: 1 + random.int(3) } : {},
    {
      seed,
      store: options.broken === 'queue' ? losing(memory, random) : memory,
      workers: { w1: {} },
      faults: () => (troubled ? { fails: 0.02, unknown: 0.02 } : { fails: 0, unknown: 0 }),
    },
  );
  try {
    let worker = engine.startWorker('w2');
    for (const each of flows) {
      await engine.publish(each.child);
      each.run = await engine.submit(options.broken === 'rule' ? careless(each.flow) : each.flow);
    }
    for (let passed = 0; passed < TROUBLE; ) {
      const step = 100 + random.int(2_000);
      await engine.pass(step);
      passed += step;
      if (random.chance(0.1)) engine.crashMaster();
      if (rough) worker = await meddle(engine, random, worker);
    }
    troubled = false;
    await end(engine);
    checkExecutions(engine);
    for (const each of flows) await (rough ? checkLaws(engine, each.run) : compare(engine, each, seed));
    return await tally(engine.store, flows);
  } finally {
    await memory.close();
  }
}

function isMetElsewhere({ type }: TaskSpec): boolean {
  return type === 'dependent' || type === 'approval';
}

/** A workflow and the one its tasks start. Calm ones have nothing that hangs on how long things take. */
function flowOf(random: Random, most: number, k: number, rough: boolean): Flow {
  const plain = (task: TaskSpec): TaskSpec => ({
    ...task,
    // Dependencies of these tasks are met outside this run.
    type: isMetElsewhere(task) ? 'noop' : task.type,
    with: linked(isMetElsewhere(task) ? {} : task.with, `child${k}`, rough),
    ...(!rough && { timeout: undefined, queueTimeout: undefined }),
  });
  const make = (name: string, size: number, nested: boolean): Workflow => {
    const made = randomWorkflow(random, size, nested);
    const calm: Partial<Workflow> = rough ? {} : { onFailure: 'continue', timeout: undefined };
    return { ...made, ...calm, name, tasks: made.tasks.map(plain) };
  };
  return {
    flow: make(`flow${k}`, 1 + random.int(most), true),
    child: make(`child${k}`, 1 + random.int(3), false),
    run: 0,
  };
}

/** Settings that start a child run, with the name it has here. */
function linked(settings: unknown, child: string, rough: boolean): unknown {
  const starts = typeof settings === 'object' && settings !== null && 'workflow' in settings;
  const calm = !rough && starts && 'onFailure' in settings && { onFailure: 'continue' };
  return starts ? { ...settings, workflow: { name: child }, ...calm } : settings;
}

/** How an attempt ends: the same whenever, wherever and in whatever order it runs. */
function fate(
  seed: number,
  about: readonly [workflow: string, task: string, shard: number, time: number],
): 'success' | 'failed' {
  let mixed = seed;
  for (const letter of about.join('/')) mixed = Math.imul(mixed ^ letter.charCodeAt(0), 0x9e3779b1);
  return new Random(mixed).chance(FAILURES) ? 'failed' : 'success';
}

/** People ask for something, or a worker dies; the worker that lives. */
async function meddle(engine: Engine, random: Random, worker: SimWorker): Promise<SimWorker> {
  if (random.chance(0.05)) {
    worker.crash();
    return engine.startWorker('w2');
  }
  if (!random.chance(0.3)) return worker;
  const runs = await engine.store.listRuns({ limit: 1_000 });
  if (runs.length === 0) return worker;
  const { id, name } = random.pick(runs);
  const found = await engine.store.readWorkflow({ project: 'default', name });
  if (found) await engine.control(id, randomControl(random, found.workflow));
  return worker;
}

/** Lets time pass until every run has ended; resting runs are resumed. */
async function end(engine: Engine): Promise<void> {
  for (let waited = 0; waited < PATIENCE; waited += 10_000) {
    await engine.pass(10_000);
    const runs = await engine.store.listRuns({ limit: 10_000 });
    const open = runs.filter(({ state }) => !isFinal(runMachine, state as RunState));
    if (open.length === 0) return;
    for (const { id, state } of open) if (state === 'paused') await engine.control(id, { type: 'resume' });
  }
  const open = (await engine.store.listRuns({ limit: 10_000 })).filter(
    ({ state }) => !isFinal(runMachine, state as RunState),
  );
  throw new Error(
    `runs do not end: ${open.map(({ id, name, state }) => `${id} ${name} ${state}`).join(', ')}`,
  );
}

/** A calm run ended as the rules alone say, with all its child runs. */
async function compare(engine: Engine, { flow, child, run }: Flow, seed: number): Promise<void> {
  const model = new RunWorld(flow, undefined, { child: () => child });
  model.start();
  playOut(model, (world, key) =>
    fate(seed, [world.plan.workflow.name, world.nameOf(key), key.shard, key.number]),
  );
  const expected = { run: model.state, tasks: model.states(), children: childStates(model) };
  const { run: state, tasks } = await engine.states(run);
  const pending = Object.fromEntries(flow.tasks.map(({ name }) => [name, 'pending']));
  const all = await engine.store.listRuns({ limit: 10_000 });
  const children = all.filter(({ name }) => name === child.name).map((each) => each.state);
  const found = { run: state, tasks: { ...pending, ...tasks }, children: children.toSorted() };
  const [rules, engineText] = [JSON.stringify(expected), JSON.stringify(found)];
  if (rules !== engineText)
    throw new Error(
      `run ${run} of ${flow.name} ended otherwise than the rules say\nrules:  ${rules}\nengine: ${engineText}`,
    );
}

/** Plays a model and its children to their end; attempts end as `fates` says. */
function playOut(
  world: RunWorld,
  fates: (world: RunWorld, key: { task: number; shard: number; number: number }) => 'success' | 'failed',
): void {
  const step = (one: RunWorld): boolean => {
    const [ticket] = one.tokens.values();
    if (!ticket) return [...one.children.values()].some((each) => step(each.world));
    const { attempt } = ticket;
    one.end(one.nameOf(attempt), fates(one, attempt), { shard: attempt.shard });
    return true;
  };
  while (!world.ended) {
    world.deliver();
    if (world.ended || step(world)) continue;
    const due = world.nextAlarm();
    if (!due) throw new Error(`the model does not end: ${JSON.stringify(world.states())}`);
    due.world.fire(due.alarm);
  }
  world.deliver();
}

function childStates(world: RunWorld): string[] {
  return [...world.children.values()].map((each) => each.world.state).toSorted();
}

/** No attempt ran twice. */
function checkExecutions({ executed }: Engine): void {
  const seen = new Set<string>();
  for (const { attempt } of executed) {
    const text = attemptText(attempt);
    if (seen.has(text)) throw new Error(`attempt ${text} ran twice`);
    seen.add(text);
  }
}

/** A run left nothing behind, and no line of a task succeeded twice in one go. */
async function checkLaws({ store }: Engine, id: number): Promise<void> {
  const found = await store.readRun({ id });
  if (!found) throw new Error(`run ${id} is gone`);
  if (found.queued.length > 0) throw new Error(`run ${id} ended and still has open attempts`);
  const { orphans } = await store.checkStore();
  const left = Object.entries(orphans).filter(([, count]) => count > 0);
  if (left.length > 0) throw new Error(`the store has rows that belong to nothing: ${JSON.stringify(left)}`);
}

async function tally(store: Store, flows: readonly Flow[]): Promise<Record<string, number>> {
  const ends: Record<string, number> = {};
  for (const { run } of flows) {
    const state = (await store.readRun({ id: run }))?.run.state ?? 'gone';
    ends[state] = (ends[state] ?? 0) + 1;
  }
  return ends;
}

/** A workflow as an engine sees it that starts tasks whatever became of those before. */
function careless(flow: Workflow): Workflow {
  const wrong = (task: TaskSpec): TaskSpec =>
    task.trigger === 'all-succeeded' && task.needs.length > 0 ? { ...task, trigger: 'all-done' } : task;
  return { ...flow, tasks: flow.tasks.map(wrong) };
}

/** A store that loses some attempts that are put in its queue. */
function losing(store: Store, random: Random): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const operation = Reflect.get(target, name);
      if (name !== 'commitRuns') return operation;
      return (input: Parameters<Store['commitRuns']>[0]) =>
        operation({
          ...input,
          changes: input.changes.map((change) =>
            random.chance(0.2) ? { ...change, enqueue: change.enqueue.slice(1) } : change,
          ),
        });
    },
  });
}
