/**
 * Everything around one run, as a model: a queue, workers, timers, child runs, dependencies, a store, and an owner
 * that crashes. Tests script it step by step, or let a seed choose what happens next (`play`). After each step the
 * laws of a run are checked. Child runs are worlds of their own, on the same clock.
 */

import type { Parameters, Workflow } from '@orrery/core/model';
import {
  type Alarm,
  type AttemptKey,
  apply,
  type ChildControl,
  type ChildStart,
  type Control,
  compile,
  createRun,
  type Decision,
  decide,
  type Effect,
  type GivenParameters,
  type Happening,
  type Outcome,
  outputsOf,
  type Plan,
  type Run,
  type RunRequest,
  refusal,
  restore,
  rowsOf,
  type Scope,
  setAside,
  type TaskRun,
  type Ticket,
} from '@orrery/core/run';
import { isFinal, runMachine } from '@orrery/core/state';
import { english } from '@orrery/core/texts';
import { Random } from './random.ts';
import { type ChaosOptions, play } from './run-chaos.ts';
import { keyText, RunLaws } from './run-laws.ts';
import { randomWorkflow, task, workflow as workflowOf } from './workflows.ts';

/** What a worker holds. */
export interface Assignment {
  readonly attempt: AttemptKey;
  readonly worker: string;
  kill: boolean;
}

/** What a run is started with, where it differs from the ordinary. */
export interface WorldGiven extends Partial<RunRequest> {
  readonly params?: Parameters;
  readonly given?: GivenParameters;
  /** Tasks that one decision begins at most. */
  readonly most?: number;
  /** The workflow of each child run; one task named `work` unless given. */
  readonly child?: (start: ChildStart) => Workflow;
}

type ChildState = Extract<Happening, { type: 'child' }>['state'];

export class RunWorld {
  readonly plan: Plan;
  readonly request: RunRequest;
  run: Run;
  readonly random: Random;
  readonly effects: Effect[] = [];
  readonly tokens = new Map<string, Ticket>();
  readonly assigned = new Map<string, Assignment>();
  readonly children = new Map<string, { readonly start: ChildStart; readonly world: RunWorld }>();
  readonly childControls: ChildControl[] = [];
  /** Events on their way to the owner, in order; they survive a crash. */
  readonly inbox: Happening[] = [];
  /** Dependent tasks that wait, as `task:round`. */
  readonly waits = new Set<string>();
  /** Approvals that wait for a person, as `waits`. */
  readonly approvals = new Set<string>();
  timers: Alarm[] = [];
  private clock = { now: 1_000_000 };
  private readonly given: WorldGiven;
  private readonly laws: RunLaws;
  /** Tells the parent what became of this run, if it has one. */
  private tellUp: (state: ChildState, outputs?: Parameters) => void = () => {};

  constructor(workflow: Workflow, random?: Random, given: WorldGiven = {}) {
    const { params = {}, given: _, most, child, ...request } = given;
    this.plan = compile(workflow);
    this.random = random ?? new Random(1);
    this.given = random ? { child: () => randomWorkflow(random, 1 + random.int(3), false), ...given } : given;
    this.request = {
      id: 1,
      project: workflow.project,
      priority: workflow.priority,
      onFailure: workflow.onFailure,
      businessTime: 0,
      timezone: 'UTC',
      dryRun: false,
      depth: 0,
      ...request,
    };
    this.run = createRun(this.plan, this.request, params, this.now);
    this.laws = new RunLaws(this);
  }

  get now(): number {
    return this.clock.now;
  }

  set now(now: number) {
    this.clock.now = now;
  }

  get state(): string {
    return this.run.fields.state;
  }

  get ended(): boolean {
    return isFinal(runMachine, this.run.fields.state);
  }

  /** State of each task by its name. */
  states(): Record<string, string> {
    return Object.fromEntries(this.plan.tasks.map(({ spec }, i) => [spec.name, this.run.tasks[i].state]));
  }

  /** A task run by its name. */
  task(name: string): TaskRun {
    return this.run.tasks[this.indexOf(name)];
  }

  /** What people were told, in order. */
  alerts(): string[] {
    return this.effects.flatMap((effect) => (effect.type === 'alert' ? [effect.text] : []));
  }

  /** The newest child run of a task, or of one element of its series. */
  child(name: string, element = 0): RunWorld {
    const all = [...this.children.values()].filter(
      ({ start }) => start.task === this.indexOf(name) && start.element === element,
    );
    const newest = all.at(-1);
    if (!newest) throw new Error(`${name} has no child ${element}`);
    return newest.world;
  }

  start(scope: Scope = { kind: 'all', tasks: [] }): void {
    this.happen({ now: this.now, type: 'start', scope });
  }

  /** Carries a control out; the reason where it is refused. */
  control(control: Control | 'pause' | 'resume' | 'stop' | 'recover'): string | undefined {
    const asked = typeof control === 'string' ? { type: control } : control;
    const { effects } = this.happen({ now: this.now, type: 'control', control: asked });
    const refused = effects.find((effect) => effect.type === 'refused');
    return refused && english(refused.reason);
  }

  /** Takes one event to the run: decide, commit, apply, act. */
  happen(event: Happening): Decision {
    const before = { fields: this.run.fields, tasks: [...this.run.tasks] };
    const decision = decide(this.run, event, this.given);
    apply(this.run, decision.changes);
    this.laws.checkStarts(decision, before);
    this.carryOut(decision);
    this.tellParent(decision, before.fields.state);
    this.laws.check();
    return decision;
  }

  /** Plays the run to its end with chaos of the given kind; after `steps` nobody interferes, and it must end. */
  play(options: ChaosOptions, steps = 200): void {
    play(this, options, steps);
  }

  /** The owner dies; another rebuilds the run from what was committed and takes it over. */
  crash(): void {
    this.run = restore(this.plan, this.request, JSON.parse(JSON.stringify(rowsOf(this.run))));
    this.timers = [];
    const coming = new Set(
      this.inbox.map((event) => (event.type === 'outcome' ? keyText(event.attempt) : '')),
    );
    const alive = (key: AttemptKey) =>
      this.tokens.has(keyText(key)) || this.assigned.has(keyText(key)) || coming.has(keyText(key));
    this.happen({ now: this.now, type: 'adopt', alive });
  }

  /** One of the run's entries is bad: the run is set aside with its stored state. */
  setAside(reason: string): void {
    const rows = rowsOf(this.run);
    const aside = setAside(rows, reason, this.now);
    const tasks = [...new Map([...rows.tasks, ...aside.tasks])];
    this.run = restore(this.plan, this.request, { fields: aside.fields, tasks });
    this.timers = [];
    this.tokens.clear();
    this.waits.clear();
    this.approvals.clear();
    for (const assignment of this.assigned.values()) assignment.kill = true;
    this.tell();
    this.laws.check();
  }

  /** A worker takes an attempt of a task; the owner may not hear of it. */
  take(
    name: string,
    worker = 'w1',
    { shard = undefined as number | undefined, told = true } = {},
  ): AttemptKey {
    const entry = [...this.tokens.entries()].find(
      ([, { attempt }]) =>
        attempt.task === this.indexOf(name) && (shard === undefined || attempt.shard === shard),
    );
    if (!entry) throw new Error(`no token of ${name}${shard === undefined ? '' : `, shard ${shard}`}`);
    const [text, { attempt }] = entry;
    this.tokens.delete(text);
    this.assigned.set(text, { attempt, worker, kill: false });
    if (told) this.happen({ now: this.now, type: 'begun', attempt, worker });
    return attempt;
  }

  /** A worker reports an outcome. */
  report(attempt: AttemptKey, outcome: Outcome): Decision {
    this.assigned.delete(keyText(attempt));
    return this.happen({ now: this.now, type: 'outcome', attempt, outcome });
  }

  /** Another master records an outcome: it is on its way to the owner. */
  record(attempt: AttemptKey, outcome: Outcome): void {
    this.assigned.delete(keyText(attempt));
    this.inbox.push({ now: this.now, type: 'outcome', attempt, outcome });
  }

  /** Takes and ends a queued attempt of a task. */
  end(
    name: string,
    state: Outcome['state'] = 'success',
    { shard, ...more }: Partial<Outcome> & { shard?: number } = {},
  ): void {
    const worker = more.worker ?? 'w1';
    this.report(this.take(name, worker, { shard }), { ...more, state, worker });
  }

  /** Ends a child run, its only task going as said, and tells the parent. */
  endChild(name: string, state: 'success' | 'failed' = 'success', element = 0, outputs?: Parameters): void {
    this.child(name, element).end('work', state, { outputs });
    this.deliver();
  }

  /** What a dependent task waits for came about, or cannot any more. */
  depend(name: string, state: 'success' | 'failed' = 'success', more: { reason?: string } = {}): void {
    const i = this.indexOf(name);
    this.happen({ now: this.now, type: 'dependency', task: i, round: this.run.fields.round, state, ...more });
  }

  /** A person answers an approval. */
  answer(
    name: string,
    answer: 'yes' | 'no' = 'yes',
    more: { values?: Parameters; comment?: string } = {},
  ): void {
    const { round } = this.run.fields;
    this.control({ type: 'answer', task: name, round, answer, values: {}, by: 'ann', ...more });
  }

  /** Hands all owners everything that is on its way. */
  deliver(): void {
    for (const { world } of this.children.values()) world.deliver();
    while (this.run.agenda.length > 0) this.happen({ now: this.now, type: 'more' });
    for (let event = this.inbox.shift(); event; event = this.inbox.shift()) {
      this.happen({ ...event, now: this.now });
      for (const { world } of this.children.values()) world.deliver();
    }
  }

  /** Lets time pass; due timers go off in order, here and in child runs. */
  pass(ms: number): void {
    const until = this.now + ms;
    for (let due = this.nextAlarm(); due && due.alarm.at <= until; due = this.nextAlarm()) {
      due.world.fire(due.alarm);
    }
    this.now = until;
  }

  /** From here on all goes well and nobody interferes: plays the run to its end. */
  complete(): void {
    while (!this.ended) {
      this.deliver();
      if (this.ended || this.completeOne()) continue;
      const due = this.nextAlarm();
      if (!due) throw new Error(`the run does not end: ${JSON.stringify(this.states())}, ${this.state}`);
      due.world.fire(due.alarm);
    }
  }

  /** A timer goes off. */
  fire(alarm: Alarm): void {
    this.timers = this.timers.filter((other) => other !== alarm);
    this.now = Math.max(this.now, alarm.at);
    this.happen({ now: this.now, type: 'due', alarm });
  }

  /** The timer that is due first, here or in a child run. */
  nextAlarm(): { readonly world: RunWorld; readonly alarm: Alarm } | undefined {
    const due = this.timers.map((alarm) => ({ world: this as RunWorld, alarm }));
    for (const { world } of this.children.values()) {
      const first = world.nextAlarm();
      if (first) due.push(first);
    }
    return due.toSorted((a, b) => a.alarm.at - b.alarm.at)[0];
  }

  nameOf({ task: i }: { readonly task: number }): string {
    return this.plan.tasks[i].spec.name;
  }

  private indexOf(name: string): number {
    const i = this.plan.index.get(name);
    if (i === undefined) throw new Error(`no task ${name}`);
    return i;
  }

  private completeOne(): boolean {
    const [assignment] = this.assigned.values();
    const [ticket] = this.tokens.values();
    const [wait] = this.waits;
    const [approval] = this.approvals;
    const child = [...this.children.values()].find(({ world }) => !world.ended)?.world;
    if (assignment) this.report(assignment.attempt, { state: 'success', worker: assignment.worker });
    else if (ticket) this.end(this.nameOf(ticket.attempt));
    else if (wait) this.depend(this.nameOf({ task: Number(wait.split(':')[0]) }));
    else if (approval) this.answer(this.nameOf({ task: Number(approval.split(':')[0]) }));
    else return child?.completeOne() ?? false;
    return true;
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
    for (const start of changes.children) this.startChild(start);
    for (const control of changes.childControls) this.controlChild(control);
    for (const { task: i, round, open } of changes.waits) {
      if (open) this.waits.add(`${i}:${round}`);
      else this.waits.delete(`${i}:${round}`);
    }
    for (const { task: i, round, open } of changes.approvals) {
      if (open) this.approvals.add(`${i}:${round}`);
      else this.approvals.delete(`${i}:${round}`);
    }
    this.effects.push(...effects);
    for (const effect of effects) if (effect.type === 'timer') this.timers.push(effect.alarm);
  }

  private startChild(start: ChildStart): void {
    const text = childText(start);
    if (this.children.has(text)) throw new Error(`child ${text} was started twice`);
    const { params, businessTime, depth } = start;
    const { child = () => workflowOf([task('work')]) } = this.given;
    const given = { ...this.given, child, params, businessTime, depth };
    const world = new RunWorld(child(start), this.random, given);
    world.clock = this.clock;
    const { task: i, round, element } = start;
    world.tellUp = (state, outputs) =>
      this.inbox.push({ now: this.now, type: 'child', task: i, round, element, state, outputs });
    this.children.set(text, { start, world });
    world.start();
  }

  /** A child that cannot follow a control reports its state: its parent may not know it. */
  private controlChild(control: ChildControl): void {
    const child = this.children.get(childText(control))?.world;
    if (!child) throw new Error('a control went to a child that was never started');
    this.childControls.push(control);
    const asked = { type: control.control };
    if (refusal(child.run, asked) === undefined) child.control(asked);
    else child.tell();
  }

  private tellParent({ changes }: Decision, before: string): void {
    const goesOn = this.state === 'running' && before !== 'running' && before !== 'waiting';
    if (changes.settled || goesOn) this.tell();
  }

  private tell(): void {
    const { state } = this.run.fields;
    if (state === 'success') this.tellUp(state, outputsOf(this.run));
    else if (state === 'failed' || state === 'stopped' || state === 'paused') this.tellUp(state);
    else this.tellUp(state === 'broken' ? 'failed' : 'running');
  }
}

function childText({ task: i, round, element }: { task: number; round: number; element: number }): string {
  return `${i}:${round}:${element}`;
}

/** A world of its own for a run that has just been started. */
export function started(workflow: Workflow, given: WorldGiven = {}, scope?: Scope): RunWorld {
  const world = new RunWorld(workflow, undefined, given);
  world.start(scope);
  return world;
}
