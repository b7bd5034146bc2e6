/** Random life of a run: what can happen next is listed, and a seed chooses. */
import type { Workflow } from '@orrery/core/model';
import type { Control, Happening, Outcome, Scope } from '@orrery/core/run';
import type { Random } from './random.ts';
import type { Assignment, RunWorld } from './run-world.ts';

/** How rough life is. */
export interface ChaosOptions {
  /** Chance that a step is a control by a person. */
  readonly controls: number;
  /** Chance that a step is a crash of an owner. */
  readonly crashes: number;
  /** Chance that an attempt fails. */
  readonly failures: number;
}

/** Plays a run to its end: after `steps` of chaos nobody interferes any more, and it must end. */
export function play(world: RunWorld, options: ChaosOptions, steps: number): void {
  for (let i = 0; i < steps && !(world.ended && world.random.chance(0.2)); i++) step(world, options);
  const calm = { controls: 0, crashes: 0, failures: options.failures };
  for (let i = 0; !world.ended; i++) {
    if (i > 20_000)
      throw new Error(`the run does not end: ${JSON.stringify(world.states())}, ${world.state}`);
    const resting = family(world).find(({ state, inbox }) => state === 'paused' && inbox.length === 0);
    if (resting) resting.control('resume');
    else step(world, calm);
  }
  world.deliver();
}

/** Lets one random thing happen, in the run or in one of its children. */
function step(root: RunWorld, options: ChaosOptions): void {
  const { random } = root;
  const worlds = family(root);
  const world = random.chance(0.7) ? root : random.pick(worlds);
  if (random.chance(options.crashes)) world.crash();
  else if (random.chance(options.controls)) meddle(world);
  else {
    const possible = worlds.flatMap((one) => acts(one, options));
    if (possible.length > 0) random.pick(possible)();
    else if (worlds.every(({ ended, state }) => ended || (state !== 'paused' && state !== 'waiting'))) {
      if (!root.ended)
        throw new Error(`nothing can happen any more: ${JSON.stringify(root.states())}, ${root.state}`);
    }
  }
}

/** A run, its child runs and theirs. */
function family(world: RunWorld): RunWorld[] {
  return [world, ...[...world.children.values()].flatMap((child) => family(child.world))];
}

function meddle(world: RunWorld): void {
  const { random } = world;
  if (random.chance(0.02) && !world.ended) world.setAside('a bad entry');
  else world.control(randomControl(random, world.plan.workflow));
}

function acts(world: RunWorld, options: ChaosOptions): (() => void)[] {
  const { random, inbox } = world;
  const list: (() => void)[] = [];
  if (inbox.length > 0) {
    list.push(() => world.happen({ ...(inbox.shift() as Happening), now: world.now }));
  }
  if (world.run.agenda.length > 0) list.push(() => world.happen({ now: world.now, type: 'more' }));
  for (const ticket of world.tokens.values()) {
    const { shard } = ticket.attempt;
    list.push(() =>
      world.take(world.nameOf(ticket.attempt), random.pick(['w1', 'w2', 'w3']), {
        shard,
        told: random.chance(0.8),
      }),
    );
  }
  for (const assignment of world.assigned.values()) list.push(() => endRandomly(world, assignment, options));
  for (const wait of world.waits) {
    const task = Number(wait.split(':')[0]);
    const state = random.chance(options.failures) ? 'failed' : 'success';
    list.push(() => world.depend(world.nameOf({ task }), state));
  }
  for (const approval of world.approvals) {
    const task = Number(approval.split(':')[0]);
    const answer = random.chance(options.failures) ? 'no' : 'yes';
    list.push(() => world.answer(world.nameOf({ task }), answer));
  }
  const [alarm] = world.timers.toSorted((a, b) => a.at - b.at);
  if (alarm) list.push(() => world.fire(alarm));
  return list;
}

function endRandomly(world: RunWorld, { attempt, worker, kill }: Assignment, options: ChaosOptions): void {
  const { random } = world;
  world.now += random.int(1_000);
  const bad = ['failed', 'timed-out', 'lost', 'killed'] as const;
  const state =
    kill && random.chance(0.7) ? 'killed' : random.chance(options.failures) ? random.pick(bad) : 'success';
  const outcome: Outcome = {
    state,
    worker,
    outputs: state === 'success' ? { n: String(attempt.number) } : undefined,
  };
  world.report(attempt, outcome);
  // A worker reports until it is acknowledged: the second time must change nothing.
  if (random.chance(0.1)) {
    const { changes } = world.report(attempt, outcome);
    if (changes.tasks.size > 0 || changes.fields) throw new Error('a second report changed something');
  }
}

/** Any change that people may ask for. */
export function randomControl(random: Random, { tasks }: Pick<Workflow, 'tasks'>): Control {
  const names = tasks.map(({ name }) => name);
  switch (random.int(10)) {
    case 0:
      return { type: 'stop' };
    case 1:
    case 2:
      return { type: 'pause' };
    case 3:
    case 4:
      return { type: 'resume' };
    case 5:
      return { type: 'recover' };
    case 6:
      return { type: 'rerun', scope: randomScope(random, names) };
    case 7:
      return { type: 'set-params', params: { p: String(random.int(3)) } };
    default:
      return {
        type: random.pick(['force', 'kill', 'start-now'] as const),
        task: random.pick(names),
      };
  }
}

function randomScope(random: Random, names: readonly string[]): Scope {
  const tasks = names.filter(() => random.chance(0.2));
  return { kind: random.pick(['all', 'from', 'to', 'only'] as const), tasks };
}
