/**
 * The operator's half of the port: sees and drives the jobs of one namespace without taking part in them. It writes
 * what the instances watch, so that it needs no connection to them.
 */
import type { Job } from '@orrery/core/model';

/**
 * How a job does: `broken` entries cannot be read; `idle` has no instance; `crashed` has shards of a lost instance
 * that wait for another; `resharding` waits for the leader to divide its shards again.
 */
export type JobStatus = 'ok' | 'disabled' | 'idle' | 'crashed' | 'resharding' | 'broken';

/** A job in a list. */
export interface JobSummary {
  readonly name: string;
  readonly status: JobStatus;
  /** What is wrong, for a broken job. */
  readonly fault?: string;
  readonly cron?: string;
  readonly timezone?: string;
  readonly shards: number;
  readonly instances: number;
  /** Shards that run now. */
  readonly running: number;
}

/** How the last round of an instance ended. */
export interface LastRound {
  readonly at: number;
  readonly succeeded: number;
  /** The first failures. */
  readonly failed: readonly { readonly shard: number; readonly error: string }[];
}

/** An instance of a job. */
export interface SeenInstance {
  readonly id: string;
  readonly server: string;
  readonly since: number;
  readonly isLeader: boolean;
  readonly disabled: boolean;
  readonly shards: readonly number[];
  readonly running: readonly number[];
  readonly runningSince?: number;
  readonly last?: LastRound;
}

/** A shard of a job. `orphan`: its owner is not there; `unassigned`: not divided yet. */
export interface SeenShard {
  readonly shard: number;
  readonly parameter: string;
  readonly state: 'ready' | 'running' | 'disabled' | 'crashed' | 'orphan' | 'unassigned';
  /** The instance that has it. */
  readonly owner?: string;
  /** The instance that runs it now; another than its owner after a failover. */
  readonly runner?: string;
}

/** A division of the shards: when, why, and how many shards changed their owner. */
export interface Division {
  readonly number: number;
  readonly at: number;
  readonly reasons: readonly string[];
  readonly moved: number;
}

/** Everything about a job. */
export interface JobDetails extends JobSummary {
  readonly job: Job;
  /** What kind of handler it has. */
  readonly identity: string;
  readonly instanceList: readonly SeenInstance[];
  readonly shardList: readonly SeenShard[];
  readonly disabledServers: readonly string[];
  /** Why the shards are to be divided again, and since when. */
  readonly mark?: { readonly reasons: readonly string[]; readonly since: number };
  /** The last divisions, the newest first. */
  readonly divisions: readonly Division[];
  /** Entries that cannot be read. */
  readonly faults: readonly string[];
}

/** What is switched: the whole job, one server or one shard. */
export type SwitchTarget =
  | { readonly kind: 'job' }
  | { readonly kind: 'server'; readonly server: string }
  | { readonly kind: 'shard'; readonly shard: number };

/** Why an operator's request was refused. */
export class JobRefusal extends Error {
  readonly tag: 'not-found' | 'conflict';

  constructor(tag: 'not-found' | 'conflict', message: string) {
    super(message);
    this.tag = tag;
  }
}

/** Sees and drives the jobs of a namespace. All but `list` are refused as `not-found` for a job that is not there. */
export interface JobOperator {
  /** By name. A job whose entries cannot be read is listed as broken. */
  list(): Promise<readonly JobSummary[]>;
  show(job: string): Promise<JobDetails>;
  /** Asks for a round now: of all instances, or of one. Returns the instances that were asked. */
  trigger(
    job: string,
    what: { readonly instance?: string; readonly parameter?: string },
  ): Promise<readonly string[]>;
  /** Switches off or on. Running shards end in good order. */
  setEnabled(job: string, target: SwitchTarget, enabled: boolean): Promise<void>;
  /** Replaces settings of the shared configuration; the others stay. Checked like a new job. */
  configure(job: string, changes: Readonly<Record<string, unknown>>): Promise<Job>;
  /** Ends the part of one or all instances in the job, in good order. Returns who was asked. */
  shutDown(job: string, instance?: string): Promise<readonly string[]>;
  /** Deletes a job without instances, with all that is stored of it. */
  remove(job: string): Promise<void>;
  /** Every entry of the job as it is stored. */
  dump(job: string): Promise<readonly { readonly path: string; readonly value: string }[]>;
}
