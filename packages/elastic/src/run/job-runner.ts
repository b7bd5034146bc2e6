/**
 * One job on one instance: fires its ticks, runs its shards, makes up for missed ticks, takes over crashed
 * shards.
 *
 * Rounds run one at a time: idle -> preparing -> running -> idle. A tick during a running round is missed;
 * one round right after it makes up for all missed ticks. A tick while a round prepares joins that round.
 * Triggers queue up. Crashed shards are taken over beside the current round. `away` (the registry may have
 * given our shards to other instances) aborts everything.
 */
import type { Log } from '@orrery/core/log';
import type { Job } from '@orrery/core/model';
import type { Clock } from '@orrery/core/timing';
import type {
  Cause,
  Grant,
  JobBoard,
  JobSeat,
  SeatEvent,
  SeatRequest,
  ShardOutcome,
  Trigger,
} from '../board/board.ts';
import { NO_CLOCK } from '../board/change-job.ts';
import type { ShardHandler } from './context.ts';
import { CronTimer, type Tick } from './cron-timer.ts';
import { type Listeners, meetAll } from './listeners.ts';
import { runShard, type ShardLimits, textOf } from './run-shard.ts';
import { JobStatistics } from './statistics.ts';

/** What a runner needs from its host. */
export interface RunnerPorts {
  readonly clock: Clock;
  /** A text that no other call returns. */
  readonly id: () => string;
  readonly log: Log;
}

/** How a job is run on this instance; never shared with other instances. */
export interface RunnerOptions {
  readonly handler: ShardHandler;
  readonly limits: ShardLimits;
  /** Shards that run at the same time; all of them if undefined. */
  readonly parallel?: number;
  readonly listeners: Listeners;
  /** Called for every shard that failed for good, and for rounds that could not run. Never throws. */
  readonly onError: (error: string, job: string, outcome?: ShardOutcome) => void;
  /** Called for every finished round. Never throws. */
  readonly onRound?: (round: FinishedRound) => void;
}

/** A round that has ended on this instance. */
export interface FinishedRound {
  readonly id: string;
  readonly instance: string;
  readonly cause: Cause;
  readonly due: number | undefined;
  readonly outcomes: readonly ShardOutcome[];
}

/** Triggers that may wait in line; more are refused. */
const MOST_TRIGGERS = 100;

interface Round {
  readonly cause: Cause;
  readonly due?: number;
  readonly trigger?: Trigger;
}

interface OpenStep {
  /** The ticks that came during it, as one. */
  tick?: Tick;
}

export class JobRunner {
  readonly statistics = new JobStatistics();
  private readonly options: RunnerOptions;
  private readonly ports: RunnerPorts;
  private readonly timer: CronTimer;
  private readonly triggers: Trigger[] = [];
  /** Aborts what runs now. */
  private abort = new AbortController();
  /** Rounds and take-overs that have not ended. */
  private readonly open = new Set<Promise<void>>();
  private seat: JobSeat | undefined;
  private current: Round | undefined;
  /** The current round has not begun its shards. */
  private preparing = false;
  /** A step during which it is open whether a tick is missed or part of a round. */
  private step: OpenStep | undefined;
  /** The last tick that came due. */
  private lastDue: number | undefined;
  private away: string | undefined;
  private claiming = false;
  /** Aborted by a stop: a round that has not begun its shards is given up. */
  private readonly quit = new AbortController();
  private ending: Promise<void> | undefined;

  private constructor(options: RunnerOptions, ports: RunnerPorts) {
    this.options = options;
    this.ports = ports;
    this.timer = new CronTimer(ports.clock, (tick) => this.ticked(tick));
  }

  /** Sits down at the job and begins to follow its cron. */
  static async start(
    board: JobBoard,
    request: Omit<SeatRequest, 'onEvent'>,
    options: RunnerOptions,
    ports: RunnerPorts,
  ): Promise<JobRunner> {
    const runner = new JobRunner(options, ports);
    const early: SeatEvent[] = [];
    // Other instances may rely on this one from now on.
    const since = ports.clock.now();
    const seat = await board.join({
      ...request,
      onEvent: (event) => (runner.seat ? runner.hear(event) : early.push(event)),
    });
    try {
      if (seat.job.maxTimeDiff !== undefined) await clockSkew(seat);
    } catch (error) {
      // An instance that is there and runs nothing would stop the job.
      await seat.leave();
      throw error;
    }
    runner.seat = seat;
    runner.timer.follow(seat.job.cron, seat.job.timezone, since);
    for (const event of early) runner.hear(event);
    return runner;
  }

  get job(): Job {
    return this.seated.job;
  }

  get instance(): string {
    return this.seated.instance;
  }

  /** What it does now, for people. */
  get state(): {
    readonly running: boolean;
    readonly away: string | undefined;
    readonly next: number | undefined;
  } {
    return { running: this.current !== undefined, away: this.away, next: this.timer.next };
  }

  /**
   * Stops firing, lets running shards end and leaves the seat. After `patience` milliseconds, if given,
   * aborts shards that still run.
   */
  async stop(patience?: number): Promise<void> {
    const limit =
      patience === undefined
        ? undefined
        : this.ports.clock.setTimer(patience, () => this.abort.abort(new Error('the job was stopped')));
    this.ending ??= this.end();
    await this.ending.finally(() => limit?.cancel());
  }

  private get stopping(): boolean {
    return this.ending !== undefined;
  }

  private async end(): Promise<void> {
    this.timer.stop();
    this.triggers.length = 0;
    this.quit.abort(new Error('the job was stopped'));
    while (this.open.size > 0) await Promise.all(this.open);
    await this.seated.leave();
  }

  private get seated(): JobSeat {
    if (!this.seat) throw new Error('the job has not started');
    return this.seat;
  }

  private hear(event: SeatEvent): void {
    // Shards that run to their end during a stop must still be aborted if they no longer belong to this
    // instance.
    if (this.stopping && event.type !== 'away') return;
    switch (event.type) {
      case 'config':
        this.timer.follow(event.job.cron, event.job.timezone);
        return;
      case 'trigger':
        this.triggered(event.trigger);
        return;
      case 'failover':
        this.takeOver();
        return;
      case 'behind':
        this.lastDue = Math.max(event.due, this.lastDue ?? event.due);
        if (!this.takesAlong) this.track(this.seated.missed().then(() => this.makeUp()));
        return;
      case 'away':
        if ((this.takesAlong || this.step?.tick) && this.job.misfire) this.track(this.seated.missed());
        this.away = event.reason;
        this.abort.abort(new Error(event.reason));
        this.ports.log('warn', `job ${this.job.name} pauses: ${event.reason}`);
        return;
      case 'back':
        this.away = undefined;
        this.abort = new AbortController();
        this.ports.log('info', `job ${this.job.name} resumes as ${this.instance}`);
        this.drain();
        this.makeUp();
        this.takeOver();
        return;
      case 'removed':
        this.ports.log('info', `job ${this.job.name} was ended on this instance`);
        if (event.gone) this.abort.abort(new Error('the entry of this instance was deleted'));
        void this.stop();
        return;
    }
  }

  private ticked(tick: Tick): void {
    const { due, count } = tick;
    this.statistics.ticks(count);
    this.lastDue = due;
    if (this.takesAlong && this.job.misfire) return;
    if (this.away === undefined && this.step) {
      this.step.tick = { due, count: count + (this.step.tick?.count ?? 0) };
      return;
    }
    if (this.away !== undefined || this.current) {
      this.track(this.miss(tick));
      return;
    }
    this.begin({ cause: 'tick', due });
  }

  private triggered(trigger: Trigger): void {
    if (this.triggers.length >= MOST_TRIGGERS) {
      this.track(this.refuse(trigger, `trigger ${trigger.id} refused: ${MOST_TRIGGERS} are waiting`));
      return;
    }
    this.triggers.push(trigger);
    this.drain();
  }

  private async refuse(trigger: Trigger, error: string): Promise<void> {
    this.options.onError(error, this.job.name);
    if (await this.seated.accept(trigger)) await this.seated.answer(trigger, [], error);
  }

  /** Begins what waits, if nothing runs. */
  private drain(): void {
    if (this.current || this.stopping || this.away !== undefined) return;
    const trigger = this.triggers.shift();
    if (trigger) this.begin({ cause: 'trigger', trigger });
  }

  /** Whether a tick that comes now is part of the round that prepares. */
  private get takesAlong(): boolean {
    return this.away === undefined && this.preparing && this.current?.trigger === undefined;
  }

  /** Makes up for ticks that were missed while nothing could run. */
  private makeUp(): void {
    if (this.current || this.stopping || this.away !== undefined || !this.job.misfire) return;
    this.begin({ cause: 'misfire' });
  }

  private begin(round: Round): void {
    this.current = round;
    const ended = this.run(round)
      .catch((error) => {
        // A round that a stop gave up has run nothing.
        if (error !== this.quit.signal.reason) this.options.onError(textOf(error), this.job.name);
      })
      .finally(() => {
        this.current = undefined;
        this.preparing = false;
        this.drain();
        this.takeOver();
      });
    this.track(ended);
  }

  private track(work: Promise<void>): void {
    const tracked = work.catch((error) => this.options.onError(textOf(error), this.job.name));
    this.open.add(tracked);
    void tracked.finally(() => this.open.delete(tracked));
  }

  private async run(round: Round): Promise<void> {
    const { seated } = this;
    const { signal } = this.abort;
    if (round.trigger && !(await seated.accept(round.trigger))) return;
    if (!round.trigger) {
      this.preparing = true;
      await this.checkClock();
    }
    let next = round.cause === 'misfire' ? await this.following() : round;
    while (next && !signal.aborted && !this.stopping) {
      this.current = next;
      await this.runAnswered(next, signal);
      if (signal.aborted || this.stopping) return;
      next = await this.following();
    }
  }

  /** The round that follows at once: for missed ticks, or for a tick that came while they were looked up. */
  private async following(): Promise<Round | undefined> {
    this.preparing = false;
    if (!this.job.misfire) return undefined;
    const [isMissed, tick] = await this.noting(() => this.seated.takeMissed());
    if (isMissed) return { cause: 'misfire' };
    return tick && { cause: 'tick', due: tick.due };
  }

  /** Begins shards. A tick that comes meanwhile is missed, unless the round has to prepare again. */
  private async beginShards(
    { trigger }: Round,
    shards: readonly number[],
    due: number | undefined,
  ): Promise<readonly Grant[] | undefined> {
    const { seated } = this;
    if (trigger || !this.job.misfire) return seated.begin(shards, due);
    const [grants, tick] = await this.noting(() => seated.begin(shards, due));
    if (grants) await this.miss(tick);
    return grants;
  }

  /** Does an open step; its result, and the ticks that came meanwhile. If it fails they are missed. */
  private async noting<T>(work: () => Promise<T>): Promise<readonly [T, Tick | undefined]> {
    const step: OpenStep = {};
    this.step = step;
    try {
      const result = await work();
      return [result, step.tick];
    } catch (error) {
      this.step = undefined;
      await this.miss(step.tick);
      throw error;
    } finally {
      this.step = undefined;
    }
  }

  private async miss(tick: Tick | undefined): Promise<void> {
    if (!tick) return;
    this.statistics.missed(tick.count);
    if (this.job.misfire) await this.seated.missed();
  }

  /** Runs a round, and answers its trigger. */
  private async runAnswered(round: Round, signal: AbortSignal): Promise<void> {
    const { trigger } = round;
    if (!trigger) {
      await this.runRound(round, signal);
      return;
    }
    try {
      await this.checkClock();
      await this.seated.answer(trigger, await this.runRound(round, signal));
    } catch (error) {
      await this.seated.answer(trigger, [], textOf(error));
      throw error;
    }
  }

  /** One round: which shards, listeners, shards, listeners. */
  private async runRound(round: Round, signal: AbortSignal): Promise<readonly ShardOutcome[]> {
    const { seated, options } = this;
    let grants: readonly Grant[] | undefined;
    let met = false;
    const dueOf = () => (round.trigger ? undefined : this.job.misfire ? this.lastDue : round.due);
    let due: number | undefined;
    const preparing = AbortSignal.any([signal, this.quit.signal]);
    this.preparing = true;
    try {
      while (!grants) {
        const shards = await seated.prepare(preparing, dueOf);
        if (shards.length === 0 || preparing.aborted) return [];
        met ||= await meetAll(seated, options.listeners, 'started', shards, preparing, this.ports.clock);
        if (!met) continue;
        due = dueOf();
        // From here on a tick comes too late for this round.
        this.preparing = false;
        grants = await this.beginShards(round, shards, due);
        this.preparing = grants === undefined;
      }
    } finally {
      this.preparing = false;
    }
    if (grants.length === 0) return [];
    const shards = grants.map(({ shard }) => shard);
    const outcomes = await this.runShards({ ...round, due }, grants, signal);
    await meetAll(seated, options.listeners, 'completed', shards, signal, this.ports.clock);
    await options.listeners.after?.({ job: this.job.name, shards, outcomes });
    return outcomes;
  }

  /** Runs granted shards and frees them. */
  private async runShards(
    round: Round,
    grants: readonly Grant[],
    signal: AbortSignal,
  ): Promise<readonly ShardOutcome[]> {
    const { seated, options, ports, job } = this;
    const id = ports.id();
    try {
      await options.listeners.before?.({ job: job.name, shards: grants.map(({ shard }) => shard) });
    } catch (error) {
      await seated.finish(
        grants.map((grant) => notRun(grant, textOf(error), ports.clock.now())),
        round,
      );
      throw error;
    }
    const waiting = grants.values();
    const outcomes: ShardOutcome[] = [];
    const work = async () => {
      for (const grant of waiting) {
        const outcome = await runShard({
          grant,
          handler: options.handler,
          limits: options.limits,
          signal,
          clock: ports.clock,
          context: {
            job: job.name,
            namespace: job.namespace,
            instance: seated.instance,
            round: id,
            cause: round.cause,
            total: job.shards,
            parameter: job.shardParameters[grant.shard] ?? '',
            jobParameter: job.parameter ?? '',
            triggerParameter: round.trigger?.parameter,
            due: round.due,
            isOutdated: () => seated.isOutdated,
            log: ports.log,
          },
        });
        outcomes.push(outcome);
        if (!outcome.ok) options.onError(outcome.error ?? 'failed', job.name, outcome);
      }
    };
    const lanes = Math.min(options.parallel ?? grants.length, grants.length);
    await Promise.all(Array.from({ length: lanes }, work));
    this.statistics.round(round.cause, outcomes);
    options.onRound?.({ id, instance: seated.instance, cause: round.cause, due: round.due, outcomes });
    await seated.finish(outcomes, round);
    return outcomes;
  }

  /** Takes over crashed shards, beside the round that runs. */
  private takeOver(): void {
    if (this.claiming || this.stopping || this.away !== undefined || !this.job.failover) return;
    this.claiming = true;
    const work = async () => {
      const { signal } = this.abort;
      const grants = await this.seated.claimFailover();
      this.claiming = false;
      if (grants.length === 0) return;
      await this.runShards({ cause: 'failover' }, grants, signal);
      this.takeOver();
    };
    this.track(
      work().finally(() => {
        this.claiming = false;
      }),
    );
  }

  /** Refuses a round while this machine's clock is too far off. */
  private async checkClock(): Promise<void> {
    const { maxTimeDiff } = this.job;
    if (maxTimeDiff === undefined) return;
    const skew = await clockSkew(this.seated);
    if (Math.abs(skew) > maxTimeDiff)
      throw new Error(`clock is ${Math.round(skew)} ms off the registry's; maxTimeDiff is ${maxTimeDiff} ms`);
  }
}

async function clockSkew(seat: JobSeat): Promise<number> {
  const skew = await seat.clockSkew();
  if (skew === undefined) throw new Error(`job ${seat.job.name}: ${NO_CLOCK}`);
  return skew;
}

/** The outcome of a shard that was granted and never began. */
function notRun(grant: Grant, error: string, now: number): ShardOutcome {
  return { ...grant, ok: false, error, startedAt: now, endedAt: now, attempts: 0 };
}
