/** What a session is given, and how it shows itself. */
import type { Log } from '@orrery/core/log';
import type { Clock } from '@orrery/core/timing';
import type { Channel } from '@orrery/wire/channel';
import type { AttemptId, MasterFrame, WorkerFrame } from '@orrery/wire/frames';
import type { Executor } from './executor.ts';
import type { SpoolStore } from './spool.ts';

/** Who the worker is and whom it turns to. */
export interface SessionConfig {
  readonly name: string;
  /** Where its logs can be read. */
  readonly address: string;
  readonly groups: readonly string[];
  readonly slots: number;
  /** What it has for attempts that ask for cores and memory, in bytes. */
  readonly cores?: number;
  readonly memory?: number;
  /** JSON: the task types it can run. */
  readonly taskTypes?: string;
  /** Proves to every master that its session goes on. */
  readonly key?: string;
  /** Addresses of masters; it learns the others from them. */
  readonly masters: readonly string[];
  /** How long a master may take to welcome it. */
  readonly connectTimeout: number;
}

/** Everything a session touches. */
export interface SessionPorts {
  readonly clock: Clock;
  readonly connect: (address: string) => Channel<WorkerFrame, MasterFrame>;
  readonly executor: Executor;
  readonly spool: SpoolStore;
  readonly log: Log;
  /** Between 0 and 1. */
  readonly random: () => number;
  /** Runs something at the end of this turn, so that what happened in it is sent together. */
  readonly soon: (run: () => void) => void;
  /** Told with each new epoch how often the database was restored. */
  readonly onRestores?: (restores: number) => void;
  /** Without it the worker counts as healthy. */
  readonly health?: WorkerHealth;
}

/** Whether the worker is able to run attempts. */
export interface WorkerHealth {
  /** Why it takes no work; undefined while it is healthy. */
  readonly problem: string | undefined;
  /** Whether it may take now. False also while that is being checked; listeners are told of the result. */
  mayTake(): boolean;
  /** Checks again, unless that was done just now. */
  refresh(): void;
  /** An attempt was handed back for this reason. */
  failed(reason: string): void;
  /** An attempt succeeded. */
  succeeded(): void;
  /** Tells of the result of each check. */
  listen(told: () => void): void;
  stop(): void;
}

/** How a session stands. */
export interface SessionStatus {
  readonly state: 'joining' | 'serving' | 'fenced' | 'leaving' | 'ended';
  readonly epoch: number | undefined;
  readonly master: string;
  readonly connected: boolean;
  readonly leaseHolds: boolean;
  readonly held: readonly AttemptId[];
  readonly unacknowledged: number;
  /** Why it takes no work; undefined while it is healthy. */
  readonly unhealthy: string | undefined;
}
