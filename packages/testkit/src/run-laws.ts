/** The laws of a run, checked by its world after each step; a broken one throws. */
import { isDeepStrictEqual } from 'node:util';
import {
  type Alarm,
  type AttemptKey,
  countersOf,
  type Decision,
  type RunFields,
  restore,
  rowsOf,
  type TaskRun,
  verdictOn,
} from '@orrery/core/run';
import { isFinal, taskMachine } from '@orrery/core/state';
import type { RunWorld } from './run-world.ts';

export class RunLaws {
  private readonly world: RunWorld;
  /** How often each (task, round) was begun: at most once. */
  private readonly begun = new Map<string, number>();

  constructor(world: RunWorld) {
    this.world = world;
  }

  /** A task begins once a round, and only when its rule allows it; what was called off is not tried again. */
  checkStarts({ changes }: Decision, before: { fields: RunFields; tasks: readonly TaskRun[] }): void {
    const { run, plan } = this.world;
    const { round } = run.fields;
    for (const [i, task] of changes.tasks) {
      const reopened = round !== before.fields.round;
      const was = before.tasks[i].state;
      if (task.started === undefined || task.round !== round) continue;
      if (!reopened && was !== 'pending' && was !== 'paused') continue;
      const counters = countersOf(plan, i, (p) => run.tasks[p], run.fields);
      if (verdictOn(plan, i, counters, run.fields) !== 'ready') {
        const name = this.world.nameOf({ task: i });
        throw new Error(`task ${name} started against its rule: ${JSON.stringify(counters)}`);
      }
      if (was === 'paused' && !reopened) continue;
      const key = `${i}:${round}`;
      const times = (this.begun.get(key) ?? 0) + 1;
      this.begun.set(key, times);
      if (times > 1) throw new Error(`task ${this.world.nameOf({ task: i })} began twice in round ${round}`);
    }
    for (const { attempt } of changes.enqueue) {
      const earlier = before.tasks[attempt.task];
      const cause = earlier.shards[Math.max(attempt.shard, 0)]?.cause;
      const calledOff = cause === 'kill' || cause === 'stop' || cause === 'cut';
      if (calledOff && earlier.round === round) {
        throw new Error(`${this.world.nameOf(attempt)} was called off and is tried again`);
      }
    }
  }

  check(): void {
    this.checkLines();
    this.checkTimers();
    this.checkMemory();
    this.checkSuccess();
  }

  /** A run that succeeded has no failure that nothing ran for. */
  private checkSuccess(): void {
    const { run, plan, state } = this.world;
    if (state !== 'success') return;
    run.tasks.forEach((task, i) => {
      if ((task.state !== 'failed' && task.state !== 'killed') || plan.tasks[i].spec.ignoreFailure) return;
      const dealtWith = plan.tasks.some(
        ({ spec }, s) =>
          spec.needs.includes(plan.tasks[i].spec.name) &&
          (spec.type === 'conditions'
            ? (run.tasks[s].branch?.length ?? 0) > 0
            : spec.trigger === 'one-failed' && run.tasks[s].started !== undefined),
      );
      if (!dealtWith) throw new Error(`the run succeeded although ${this.world.nameOf({ task: i })} did not`);
    });
  }

  /** No line of a task run has two attempts in the queue or on workers, but for ones being called back. */
  private checkLines(): void {
    const { run, tokens, assigned } = this.world;
    const open = new Set<string>();
    for (const { attempt } of [...tokens.values(), ...assigned.values()]) {
      const { shards, state } = run.tasks[attempt.task];
      const line = shards[Math.max(attempt.shard, 0)];
      if (line?.attempt !== attempt.number || isFinal(taskMachine, state)) continue;
      const key = `${attempt.task}:${attempt.shard}`;
      if (open.has(key)) throw new Error(`two attempts of ${key} are open`);
      open.add(key);
    }
  }

  /** Whatever waits for a time has a timer for it. */
  private checkTimers(): void {
    const { run, plan, timers } = this.world;
    const moves = run.fields.state === 'running' || run.fields.state === 'failing';
    const set = new Set(timers.map(alarmText));
    const need = (alarm: Alarm) => {
      if (!set.has(alarmText(alarm))) throw new Error(`no timer for ${alarmText(alarm)}`);
    };
    run.tasks.forEach(({ state, due, shards }, task) => {
      if (state === 'delayed') need({ what: 'delay', task, at: due ?? 0 });
      if (isFinal(taskMachine, state)) return;
      const { spec } = plan.tasks[task];
      shards.forEach((line, k) => {
        const shard = spec.shards ? k : -1;
        if (line.state === 'retrying' && moves) need({ what: 'retry', task, shard, at: line.due ?? 0 });
        if (line.state !== 'out' || line.cause) return;
        const attempt = { task, shard, number: line.attempt };
        if (line.worker === undefined && spec.queueTimeout !== undefined)
          need({ what: 'queue', attempt, at: 0 });
        if (line.worker === undefined && spec.onNoWorker) need({ what: 'no-worker', attempt, at: 0 });
        if (line.worker !== undefined && spec.timeout && !line.warned)
          need({ what: 'timeout', attempt, at: 0 });
      });
    });
  }

  /** The state in memory equals the state that the store would return. */
  private checkMemory(): void {
    const { run, plan, request, ended } = this.world;
    const rebuilt = restore(plan, request, rowsOf(run));
    const forgotten = rebuilt.agenda.find((i) => !run.agenda.includes(i));
    if (forgotten !== undefined)
      throw new Error(`nothing will begin ${this.world.nameOf({ task: forgotten })} whose turn it is`);
    if (!isDeepStrictEqual(rebuilt.tally, run.tally)) throw new Error('the tally differs from a rebuilt run');
    run.tasks.forEach((task, i) => {
      const waits = !ended && task.state === 'pending' && task.round === run.fields.round;
      if (waits && !isDeepStrictEqual(rebuilt.counters[i], run.counters[i])) {
        throw new Error(`counters of ${this.world.nameOf({ task: i })} differ from a rebuilt run`);
      }
      if (task.pool && !isDeepStrictEqual(rebuilt.tasks[i].pool, task.pool)) {
        throw new Error(`what ${this.world.nameOf({ task: i })} was handed differs from a rebuilt run`);
      }
    });
  }
}

/** An attempt as the key of a map. */
export function keyText({ task, shard, number }: AttemptKey): string {
  return `${task}.${shard}.${number}`;
}

function alarmText(alarm: Alarm): string {
  switch (alarm.what) {
    case 'delay':
      return `delay of ${alarm.task} at ${alarm.at}`;
    case 'retry':
      return `retry of ${alarm.task}.${alarm.shard} at ${alarm.at}`;
    case 'timeout':
    case 'queue':
    case 'no-worker':
      return `${alarm.what} of ${keyText(alarm.attempt)}`;
    default:
      return alarm.what;
  }
}
