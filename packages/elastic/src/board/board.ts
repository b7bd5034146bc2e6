/**
 * The port between a job and its registry. A `JobBoard` seats an instance at a job. The `JobSeat` returns the
 * shards it may run and keeps other instances from running them meanwhile. Two implementations share one
 * conformance suite: `native` on the registry interface, and `elasticjob` on ZooKeeper, entry by entry as
 * Java instances expect it.
 */
import type { Job } from '@orrery/core/model';

/** Why shards run. */
export type Cause = 'tick' | 'trigger' | 'misfire' | 'failover';

/** A shard that this instance may run now. Tokens of one shard grow from grant to grant: guard writes with them. */
export interface Grant {
  readonly shard: number;
  readonly token: number;
}

/** How one shard ended. */
export interface ShardOutcome {
  readonly shard: number;
  readonly token: number;
  readonly ok: boolean;
  readonly error?: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Attempts it took. */
  readonly attempts: number;
}

/** A request to run a job now. */
export interface Trigger {
  readonly id: string;
  /** Handed to the handlers of this round. */
  readonly parameter?: string;
}

/** What a seat tells its job. */
export type SeatEvent =
  /** The shared configuration has changed. */
  | { readonly type: 'config'; readonly job: Job }
  /** Someone asks for a round now; `accept` makes sure that it is taken once. */
  | { readonly type: 'trigger'; readonly trigger: Trigger }
  /** Shards of a lost instance wait for someone to take them over. */
  | { readonly type: 'failover' }
  /** Shards that this instance was given have not run the tick of this due time, nor will their last owner. */
  | { readonly type: 'behind'; readonly due: number }
  /** The registry cannot be reached, or this instance may be taken for dead: run nothing until `back`. */
  | { readonly type: 'away'; readonly reason: string }
  /** Seated again. If `lost`, grants from before `away` are void. */
  | { readonly type: 'back'; readonly lost: boolean }
  /**
   * An operator removed this instance from the job. If `gone`, other instances may already have its shards.
   */
  | { readonly type: 'removed'; readonly gone: boolean };

/** What an instance brings along when it sits down. */
export interface SeatRequest {
  readonly job: Job;
  /** What the job's handler is, so that two different jobs under one name are noticed. */
  readonly identity: string;
  /** Strategies of the user, by name. */
  readonly strategies: Readonly<Record<string, ShardStrategy>>;
  readonly onEvent: (event: SeatEvent) => void;
}

/** Divides shards among instances. Instances come in the board's order. */
export type ShardStrategy = (input: {
  readonly items: number;
  readonly servers: readonly string[];
  readonly job: string;
}) => ReadonlyMap<string, readonly number[]>;

/** Where an instance sits down at a job. */
export interface JobBoard {
  /** Registers this instance. The stored configuration wins unless the job has `overwrite`. */
  join(request: SeatRequest): Promise<JobSeat>;
  close(): Promise<void>;
}

/** An instance's place at one job, from `join` to `leave`. */
export interface JobSeat {
  /** This instance's id; a new one after its session was lost. */
  readonly instance: string;
  /** The configuration that all instances share. */
  readonly job: Job;
  readonly isLeader: boolean;
  /** Whether the shards are to be divided again as soon as nothing runs. */
  readonly isOutdated: boolean;
  /**
   * The shards this instance runs in its next round, without those disabled, taken over or still running. If
   * the division is out of date, the leader first makes a new one as soon as nothing runs, and all instances
   * wait for it. `due` is the tick to run: shards that have already run it elsewhere are left out if the
   * board knows.
   */
  prepare(signal: AbortSignal, due?: () => number | undefined): Promise<readonly number[]>;
  /**
   * Marks shards as running here. Shards that are not this instance's any more are left out; undefined if the division
   * has changed since `prepare`. With `due` they count as having run that tick.
   */
  begin(shards: readonly number[], due?: number): Promise<readonly Grant[] | undefined>;
  /** Shards of a round have ended: they are free for the next one. Resolves when that is stored. */
  finish(
    outcomes: readonly ShardOutcome[],
    round: { readonly cause: Cause; readonly due?: number },
  ): Promise<void>;
  /** Accepts a trigger. Returns false if it is already gone. */
  accept(trigger: Trigger): Promise<boolean>;
  /**
   * Stores the result of an accepted trigger's round for its requester; `error` if the round could not run.
   */
  answer(trigger: Trigger, outcomes: readonly ShardOutcome[], error?: string): Promise<void>;
  /** A tick found shards still running: recorded until `takeMissed`. */
  missed(): Promise<void>;
  /** Whether a tick was missed since the last call. */
  takeMissed(): Promise<boolean>;
  /** Takes over this instance's share of the shards that lost instances left running. */
  claimFailover(): Promise<readonly Grant[]>;
  /**
   * Meets the other instances before or after a round. Once all shards have arrived, resolves with true at
   * one instance, and with false at the others when that one calls `disperse`. Undefined before a round whose
   * shards are to be divided again: prepare and meet again.
   */
  meet(
    phase: 'started' | 'completed',
    shards: readonly number[],
    signal: AbortSignal,
  ): Promise<boolean | undefined>;
  /** Ends a meeting for everyone. */
  disperse(phase: 'started' | 'completed'): Promise<void>;
  /** How far this machine's clock is ahead of the registry's, in milliseconds; undefined where it has no clock. */
  clockSkew(): Promise<number | undefined>;
  /** Leaves the seat: its shards are free at once. */
  leave(): Promise<void>;
}
