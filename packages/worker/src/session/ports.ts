/** The configuration, ports and status of a session. */
import type { Log } from '@orrery/core/log';
import type { Clock } from '@orrery/core/timing';
import type { Channel } from '@orrery/wire/channel';
import type { AttemptId, MasterFrame, WorkerFrame } from '@orrery/wire/frames';
import type { Executor } from './executor.ts';
import type { SpoolStore } from './spool.ts';

/** The worker's identity and its masters. */
export interface SessionConfig {
  readonly name: string;
  /** The address at which its logs can be read. */
  readonly address: string;
  readonly groups: readonly string[];
  readonly slots: number;
  /** Resources for attempts that request them: cores, and memory in bytes. */
  readonly cores?: number;
  readonly memory?: number;
  /** JSON: the task types it can run. */
  readonly taskTypes?: string;
  /** Proves to every master that its session continues. */
  readonly key?: string;
  /** Addresses of masters to connect to first; it learns the others from them. */
  readonly masters: readonly string[];
  /** Limit of the wait for a master's welcome. */
  readonly connectTimeout: number;
}

/** Everything outside that a session uses. */
export interface SessionPorts {
  readonly clock: Clock;
  readonly connect: (address: string) => Channel<WorkerFrame, MasterFrame>;
  readonly executor: Executor;
  readonly spool: SpoolStore;
  readonly log: Log;
  /** Between 0 and 1. */
  readonly random: () => number;
  /** Runs a function at the end of this turn, so that the events of a turn are sent together. */
  readonly soon: (run: () => void) => void;
  /** Called with each new epoch: how often the database was restored. */
  readonly onRestores?: (restores: number) => void;
  /** Without it the worker counts as healthy. */
  readonly health?: WorkerHealth;
}

/** Whether the worker is able to run attempts. */
export interface WorkerHealth {
  /** Why it takes no work; undefined while it is healthy. */
  readonly problem: string | undefined;
  /** Whether the worker may take work now. False also during a check; listeners get the result. */
  mayTake(): boolean;
  /** Checks again, unless the last check is recent. */
  refresh(): void;
  /** An attempt was handed back for this reason. */
  failed(reason: string): void;
  /** An attempt succeeded. */
  succeeded(): void;
  /** Subscribes to the result of each check. */
  listen(told: () => void): void;
  stop(): void;
}

/** The status of a session. */
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
