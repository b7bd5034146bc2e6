/**
 * Everything around one run, as a model: a queue, workers, timers, child runs, dependencies, a store, and an owner
 * that crashes. A seed chooses what happens next; after each step the laws of a run are checked, and what is in
 * memory must equal what would be rebuilt from the store.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Workflow } from '@orrery/core/model';
import {
  type Alarm,
  type AttemptKey,
  apply,
  type Control,
  compile,
  countersOf,
  createRun,
  type Decision,
  decide,
  type Effect,
  type Happening,
  type Outcome,
  type Plan,
  type Run,
  type RunRequest,
  restore,
  rowsOf,
  type Scope,
  type Ticket,
  verdictOn,
} from '@orrery/core/run';
import { isFinal, runMachine, taskMachine } from '@orrery/core/state';
import type { Random } from './random.ts';

type ChildState = 'open' | 'paused' | 'success' | 'failed' | 'stopped';

/** What a worker holds. */
interface Assignment {
  readonly attempt: AttemptKey;
  readonly worker: string;
  kill: boolean;
}

/** What may happen in a world; probabilities are relative weights. */
export interface WorldOptions {
  /** Chance that a step is a control by a person. */
  readonly controls: number;
  /** Chance that a step is a crash of the run's owner. */
  readonly crashes: number;
  /** Chance that an attempt or a child run fails. */
  readonly failures: number;
}

const calm: WorldOptions = { controls: 0, crashes: 0, failures: 0 };

export class RunWorld {
  readonly plan: Plan;
  readonly request: RunRequest;
  run: Run;
  now = 1_000_000;
  readonly effects: Effect[] = [];
  readonly tokens = new Map<string, Ticket>();
  readonly assigned = new Map<string, Assignment>();
  readonly children = new Map<string, { task: number; round: number; element: number; state: ChildState }>();
  /** Events on their way to the owner, in order; they survive a crash. */
  readonly inbox: Happening[] = [];
  private readonly waits = new Set<string>();
  private timers: Alarm[] = [];
  private readonly random: Random;
  /** How often each (task, round) was begun: at most once. */
  private readonly begun = new Map<string, number>();

  constructor(workflow: Workflow, random: Random, dryRun = false) {
    this.plan = compile(workflow);
    this.random = random;
    this.request = {
      id: 1,
      project: workflow.project,
      priority: workflow.priority,
      onFailure: workflow.onFailure,
      businessTime: 0,
      timezone: 'UTC',
      dryRun,
      depth: 0,
    };
    this.run = createRun(this.plan, this.request, {}, this.now);
  }

  get ended(): boolean {
    return isFinal(runMachine, this.run.fields.state);
  }

  /** State of each task by its name. */
  states(): Record<string, string> {
    return Object.fromEntries(this.plan.tasks.map(({ spec }, i) => [spec.name, this.run.tasks[i].state]));
  }

  start(scope: Scope = { kind: 'all', tasks: [] }): void {
    this.happen({ now: this.now, type: 'start', scope });
  }

  control(control: Control): void {
    this.happen({ now: this.now, type: 'control', control });
  }

  /** Takes one event to the run: decide, commit, apply, act. */
  happen(event: Happening): Decision {
    const before = this.run.fields.round;
    const openBefore = this.run.plan.tasks.map((_, i) => this.run.tasks[i].state);
    const decision = decide(this.run, event, { projectParams: {} });
    apply(this.run, decision.changes);
    this.checkStarts(decision, before, openBefore);
    this.carryOut(decision);
    this.checkMemory();
    return decision;
  }

  /** Plays the run to its end: after `steps` of chaos nobody interferes any more, and it must end. */
  play(options: WorldOptions, steps = 200): void {
    for (let i = 0; i < steps && !(this.ended && this.random.chance(0.2)); i++) this.step(options);
    for (let i = 0; !this.ended; i++) {
      if (i > 20_000)
        throw new Error(`the run does not end: ${JSON.stringify(this.states())}, ${this.run.fields.state}`);
      if (this.run.fields.state === 'paused' && this.inbox.length === 0) this.control({ type: 'resume' });
      else this.step({ ...calm, failures: options.failures });
    }
    while (this.inbox.length > 0) this.happen({ ...(this.inbox.shift() as Happening), now: this.now });
  }

  /** Lets one random thing happen. */
  step(options: WorldOptions): void {
    if (this.random.chance(options.crashes)) this.crash();
    else if (this.random.chance(options.controls)) this.control(this.randomControl());
    else {
      const possible = this.possible(options);
      if (possible.length > 0) this.random.pick(possible)();
      else if (!this.ended && this.run.fields.state !== 'paused' && this.run.fields.state !== 'waiting') {
        throw new Error(
          `nothing can happen any more: ${JSON.stringify(this.states())}, ${this.run.fields.state}`,
        );
      }
    }
  }

  /** The owner dies; another rebuilds the run from what was committed and takes it over. */
  crash(): void {
    const rows = structuredClone(rowsOf(this.run));
    this.run = restore(this.plan, this.request, rows);
    this.timers = [];
    const coming = new Set(
      this.inbox.map((event) => (event.type === 'outcome' ? keyText(event.attempt) : '')),
    );
    const alive = (key: AttemptKey) =>
      this.tokens.has(keyText(key)) || this.assigned.has(keyText(key)) || coming.has(keyText(key));
    this.happen({ now: this.now, type: 'adopt', alive });
  }

  /** A worker takes the token that matches. */
  take(task: string, worker = 'w1', hint = true): AttemptKey {
    const entry = [...this.tokens.entries()].find(([, ticket]) => this.nameOf(ticket.attempt) === task);
    if (!entry) throw new Error(`no token of ${task}`);
    const [text, { attempt }] = entry;
    this.tokens.delete(text);
    this.assigned.set(text, { attempt, worker, kill: false });
    if (hint) this.happen({ now: this.now, type: 'begun', attempt, worker });
    return attempt;
  }

  /** A worker reports an outcome. */
  report(attempt: AttemptKey, outcome: Outcome): void {
    this.assigned.delete(keyText(attempt));
    this.happen({ now: this.now, type: 'outcome', attempt, outcome });
  }

  /** Takes and ends the attempt of a task that is queued. */
  end(task: string, state: Outcome['state'] = 'success', more: Partial<Outcome> = {}): void {
    this.report(this.take(task), { ...more, state, worker: 'w1' });
  }

  /** Hands the owner everything that is on its way. */
  deliver(): void {
    for (let event = this.inbox.shift(); event; event = this.inbox.shift())
      this.happen({ ...event, now: this.now });
  }

  /** Lets time pass; due timers go off in order. */
  pass(ms: number): void {
    const until = this.now + ms;
    for (;;) {
      const [alarm] = this.timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (!alarm) break;
      this.fire(alarm);
    }
    this.now = until;
  }

  private possible(options: WorldOptions): (() => void)[] {
    const acts: (() => void)[] = [];
    if (this.inbox.length > 0) {
      acts.push(() => this.happen({ ...(this.inbox.shift() as Happening), now: this.now }));
    }
    for (const { attempt } of this.tokens.values()) {
      acts.push(() =>
        this.take(this.nameOf(attempt), this.random.pick(['w1', 'w2', 'w3']), this.random.chance(0.8)),
      );
    }
    for (const assignment of this.assigned.values()) acts.push(() => this.endRandomly(assignment, options));
    for (const child of this.children.values()) {
      if (child.state === 'open') acts.push(() => this.endChild(child, options));
    }
    for (const wait of this.waits) {
      const [task, round] = wait.split(':').map(Number);
      const state = this.random.chance(options.failures) ? 'failed' : 'success';
      acts.push(() => this.happen({ now: this.now, type: 'dependency', task, round, state }));
    }
    const [alarm] = this.timers.toSorted((a, b) => a.at - b.at);
    if (alarm) acts.push(() => this.fire(alarm));
    return acts;
  }

  private fire(alarm: Alarm): void {
    this.timers = this.timers.filter((other) => other !== alarm);
    this.now = Math.max(this.now, alarm.at);
    this.happen({ now: this.now, type: 'due', alarm });
  }

  private endRandomly({ attempt, worker, kill }: Assignment, options: WorldOptions): void {
    this.now += this.random.int(1_000);
    const bad = ['failed', 'timed-out', 'lost', 'killed'] as const;
    const state =
      kill && this.random.chance(0.8)
        ? 'killed'
        : this.random.chance(options.failures)
          ? this.random.pick(bad)
          : 'success';
    const outcome: Outcome = {
      state,
      worker,
      outputs: state === 'success' ? { n: String(attempt.number) } : undefined,
    };
    this.report(attempt, outcome);
    // A worker reports until it is acknowledged: the second time must change nothing.
    if (this.random.chance(0.1)) this.report(attempt, outcome);
  }

  private endChild(
    child: { task: number; round: number; element: number; state: ChildState },
    options: WorldOptions,
  ): void {
    child.state = this.random.chance(options.failures) ? this.random.pick(['failed', 'stopped']) : 'success';
    this.inbox.push({ now: this.now, type: 'child', ...child } as Happening);
  }

  private randomControl(): Control {
    const names = this.plan.tasks.map(({ spec }) => spec.name);
    const tasks = names.filter(() => this.random.chance(0.2));
    switch (this.random.int(9)) {
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
        return {
          type: 'rerun',
          scope: { kind: this.random.pick(['all', 'from', 'to', 'only'] as const), tasks },
        };
      default:
        return {
          type: this.random.pick(['force', 'kill', 'start-now'] as const),
          task: this.random.pick(names),
        };
    }
  }

  /** What the store and the workers make of a decision. */
  private carryOut({ changes, effects }: Decision): void {
    for (const ticket of changes.enqueue) {
      const text = keyText(ticket.attempt);
      if (this.tokens.has(text) || this.assigned.has(text))
        throw new Error(`attempt ${text} was queued twice`);
      this.tokens.set(text, ticket);
    }
    for (const { attempt, kill } of changes.withdraw) {
      const text = keyText(attempt);
      const assignment = this.assigned.get(text);
      if (assignment) assignment.kill ||= kill;
      else {
        this.tokens.delete(text);
        this.inbox.push({ now: this.now, type: 'outcome', attempt, outcome: { state: 'withdrawn' } });
      }
    }
    for (const { task, round, element } of changes.children) {
      const text = `${task}:${round}:${element}`;
      if (this.children.has(text)) throw new Error(`child ${text} was started twice`);
      this.children.set(text, { task, round, element, state: 'open' });
    }
    for (const { control, ...key } of changes.childControls) this.controlChild(key, control);
    for (const { task, round, open } of changes.waits) {
      if (open) this.waits.add(`${task}:${round}`);
      else this.waits.delete(`${task}:${round}`);
    }
    this.effects.push(...effects);
    for (const effect of effects) if (effect.type === 'timer') this.timers.push(effect.alarm);
  }

  private controlChild(key: { task: number; round: number; element: number }, control: string): void {
    const child = this.children.get(`${key.task}:${key.round}:${key.element}`);
    if (!child) throw new Error('a control went to a child that was never started');
    const tell = (state: 'running' | 'paused' | 'stopped') =>
      this.inbox.push({ now: this.now, type: 'child', ...key, state });
    if (control === 'pause' && child.state === 'open') {
      child.state = 'paused';
      tell('paused');
    } else if (control === 'resume' && child.state === 'paused') {
      child.state = 'open';
      tell('running');
    } else if (control === 'stop' && (child.state === 'open' || child.state === 'paused')) {
      child.state = 'stopped';
      tell('stopped');
    } else if (control === 'recover' && (child.state === 'failed' || child.state === 'stopped'))
      child.state = 'open';
  }

  /** A task begins once a round, and only when its rule allows it. */
  private checkStarts({ changes }: Decision, roundBefore: number, before: readonly string[]): void {
    for (const [i, task] of changes.tasks) {
      const name = this.plan.tasks[i].spec.name;
      const fresh = this.run.fields.round !== roundBefore;
      if (task.started === undefined || task.round !== this.run.fields.round) continue;
      if (!fresh && before[i] !== 'pending' && before[i] !== 'paused') continue;
      const counters = countersOf(this.plan, i, (p) => this.run.tasks[p], this.run.fields);
      if (verdictOn(this.plan, i, counters, this.run.fields) !== 'ready') {
        throw new Error(
          `task ${name} started although its rule does not allow it: ${JSON.stringify(counters)}`,
        );
      }
      if (before[i] === 'paused' && !fresh) continue;
      const key = `${i}:${task.round}`;
      const times = (this.begun.get(key) ?? 0) + 1;
      this.begun.set(key, times);
      if (times > 1) throw new Error(`task ${name} began ${times} times in round ${task.round}`);
    }
    this.checkLines();
  }

  /** No line of a task run has two attempts in the queue or on workers, but for ones being called back. */
  private checkLines(): void {
    const open = new Map<string, number>();
    for (const { attempt } of [...this.tokens.values(), ...this.assigned.values()]) {
      const { shards, state } = this.run.tasks[attempt.task];
      const line = shards[Math.max(attempt.shard, 0)];
      if (line?.attempt !== attempt.number || isFinal(taskMachine, state)) continue;
      const key = `${attempt.task}:${attempt.shard}`;
      open.set(key, (open.get(key) ?? 0) + 1);
      if ((open.get(key) ?? 0) > 1) throw new Error(`two attempts of ${key} are open`);
    }
  }

  /** What is in memory is what the store would give back. */
  private checkMemory(): void {
    const rebuilt = restore(this.plan, this.request, rowsOf(this.run));
    if (!isDeepStrictEqual(rebuilt.tally, this.run.tally))
      throw new Error('the tally differs from a rebuilt run');
    this.run.tasks.forEach((task, i) => {
      const waits = !this.ended && task.state === 'pending' && task.round === this.run.fields.round;
      if (waits && !isDeepStrictEqual(rebuilt.counters[i], this.run.counters[i])) {
        throw new Error(`counters of ${this.plan.tasks[i].spec.name} differ from a rebuilt run`);
      }
      if (task.pool && !isDeepStrictEqual(rebuilt.tasks[i].pool, task.pool)) {
        throw new Error(`what ${this.plan.tasks[i].spec.name} was handed differs from a rebuilt run`);
      }
    });
  }

  private nameOf({ task }: AttemptKey): string {
    return this.plan.tasks[task].spec.name;
  }
}

function keyText({ task, shard, number }: AttemptKey): string {
  return `${task}.${shard}.${number}`;
}
