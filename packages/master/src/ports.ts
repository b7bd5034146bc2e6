/** The ports of a master: everything it does to the outside goes through them. */

import type { Gate, Ownership, OwnershipPorts, RegistryPort, StoreClock } from '@orrery/cluster';
import type { Log } from '@orrery/core/log';
import type { ReadSecret } from '@orrery/core/params';
import type { LoadLimits, LoadReading } from '@orrery/core/queue';
import type { LeasedDelivery, Self, Store, TryResult } from '@orrery/store';
import type { Hint } from '@orrery/wire/frames';
import { type RetentionConfig, retentionDefaults } from './duties/retention.ts';
import type { ReportError } from './error-report.ts';

/** The ports that every system of a master shares. */
export interface Ports {
  /** Each beat measures it against the store's clock. */
  readonly clock: StoreClock;
  readonly store: Store;
  readonly log: Log;
  /**
   * Tells the other masters, or the one at an address, what changed. Without it they find out with their next
   * beat.
   */
  readonly tellPeers?: (hint: Hint, address?: string) => void;
  /** Reads the secrets that attempts name when they are sent to a worker. Without it no secret exists. */
  readonly readSecret?: ReadSecret;
  /** Sends a message about alerts. Without it messages wait for a master that can send them. */
  readonly sendDelivery?: (delivery: LeasedDelivery) => Promise<TryResult>;
  /** Measures the load of this machine and process. Without it nothing counts as overload. */
  readonly measure?: () => LoadReading;
  /** The registry that decides which nodes are alive. Without it the beat in the store does. */
  readonly registry?: RegistryPort;
  /**
   * The default owners of schedules unless masters claim them: a rendezvous hash over the acting masters if
   * not given.
   */
  readonly ownership?: (ports: OwnershipPorts) => Ownership;
  /** Wraps the membership's gate, for tests that break it. */
  readonly gateOver?: (gate: Gate) => Gate;
  /** Called once, when the master has stopped for good: its epoch is over, or it was stopped. */
  readonly onOver?: (reason: string) => void;
}

/** The configuration of a master. Times are in milliseconds. */
export interface MasterConfig {
  /** Its name. If two processes share a name, the later one wins. */
  readonly id: string;
  /** The roles of its process, as the cluster shows them. */
  readonly roles: readonly string[];
  /** The address at which workers and other nodes reach it. */
  readonly address: string;
  /** Interval between two beats. */
  readonly beatEvery: number;
  /** A peer is fenced when its beat has not changed for this long. */
  readonly sessionTimeout: number;
  /** How long a beat keeps a worker's lease, and how much longer the master waits for a silent worker. */
  readonly lease: number;
  readonly leaseGrace: number;
  /** Limit of runs in memory; further starts wait. */
  readonly room: number;
  /** Limit of commands in one claim. */
  readonly claimBatch: number;
  /** Limit of tasks of one run started in one commit. */
  readonly beginBatch: number;
  /** The load above which it starts no runs. */
  readonly loadLimits: LoadLimits;
  /** How long finished data is kept. */
  readonly retention: RetentionConfig;
  /** Whether workers on other machines may join with only the join token, for any group. */
  readonly openJoin: boolean;
}

/** Defaults of a master's configuration. */
export const masterDefaults: Omit<MasterConfig, 'id' | 'address'> = {
  roles: ['master'],
  openJoin: false,
  beatEvery: 1_000,
  sessionTimeout: 6_000,
  lease: 30_000,
  leaseGrace: 5_000,
  room: 2_000,
  claimBatch: 200,
  beginBatch: 1_000,
  // Its own tasks may use all processors of the machine: a processor limit is left to the operator.
  loadLimits: { memory: 0.95, eventLoopDelay: 5_000 },
  retention: retentionDefaults,
};

/** The ports of a master that has joined, with its identity. */
export interface Context extends Ports {
  readonly config: MasterConfig;
  readonly self: Self;
  /** Checked before the master takes, fires, dispatches or sweeps anything. */
  readonly gate: Gate;
  /** Logs an error that does not stop anything. */
  readonly report: ReportError;
}
