/** What a master stands on; everything it does to the world goes through here. */

import type { Gate, Ownership, OwnershipPorts, RegistryPort, StoreClock } from '@orrery/cluster';
import type { Log } from '@orrery/core/log';
import type { ReadSecret } from '@orrery/core/params';
import type { LoadLimits, LoadReading } from '@orrery/core/queue';
import type { LeasedDelivery, Self, Store, TryResult } from '@orrery/store';
import type { Hint } from '@orrery/wire/frames';
import { type RetentionConfig, retentionDefaults } from './duties/retention.ts';
import type { ReportError } from './error-report.ts';

/** The bag that every system of a master gets. */
export interface Ports {
  /** Measured against the store's clock by each beat. */
  readonly clock: StoreClock;
  readonly store: Store;
  readonly log: Log;
  /** Tells the other masters, or the one at an address, what changed; without it they look with their next beat. */
  readonly tellPeers?: (hint: Hint, address?: string) => void;
  /** Reads the secrets that attempts name when they are given to a worker; without it there are none. */
  readonly readSecret?: ReadSecret;
  /** Sends a message about alerts; without it they wait for a master that can. */
  readonly sendDelivery?: (delivery: LeasedDelivery) => Promise<TryResult>;
  /** Measures this machine and process; without it nothing counts as overload. */
  readonly measure?: () => LoadReading;
  /** The registry that judges who is alive; without it the beat in the store does. */
  readonly registry?: RegistryPort;
  /** Who fires what unless masters claim; by rendezvous hash over the acting masters unless given. */
  readonly ownership?: (ports: OwnershipPorts) => Ownership;
  /** Puts another gate before the membership's own: for tests that break it. */
  readonly gateOver?: (gate: Gate) => Gate;
  /** Told once, when the master has stopped for good: its epoch is over, or it was stopped. */
  readonly onOver?: (reason: string) => void;
}

/** How a master behaves; every time in milliseconds. */
export interface MasterConfig {
  /** Its name; the later of two processes with one name wins. */
  readonly id: string;
  /** What its process does, as others see it. */
  readonly roles: readonly string[];
  /** Where workers and other nodes reach it. */
  readonly address: string;
  /** Between two beats. */
  readonly beatEvery: number;
  /** A peer whose beat has not changed for this long is fenced. */
  readonly sessionTimeout: number;
  /** How long a worker's beat keeps its lease, and how much longer a silent one is given. */
  readonly lease: number;
  readonly leaseGrace: number;
  /** Runs held in memory at most before new starts wait. */
  readonly room: number;
  /** Commands claimed at once. */
  readonly claimBatch: number;
  /** Tasks of one run begun at once, in one commit. */
  readonly beginBatch: number;
  /** Above which load it starts no runs. */
  readonly loadLimits: LoadLimits;
  /** What is kept of what is over. */
  readonly retention: RetentionConfig;
  /** Workers from other machines may join with the join token alone, for any group. */
  readonly openJoin: boolean;
}

/** What a master does unless told otherwise. */
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
  // Its own tasks may use all processors of a machine: a limit on them is for people to set.
  loadLimits: { memory: 0.95, eventLoopDelay: 5_000 },
  retention: retentionDefaults,
};

/** A master's bag once it has joined. */
export interface Context extends Ports {
  readonly config: MasterConfig;
  readonly self: Self;
  /** Asked before anything is taken, fired, dispatched or swept. */
  readonly gate: Gate;
  /** Logs an error that does not stop anything. */
  readonly report: ReportError;
}
