/**
 * The operator's half of the port: sees and drives the jobs of one namespace without taking part in them. It writes
 * what the instances watch, so that it needs no connection to them.
 */
import type { Job } from '@orrery/core/model';
import type { Watch } from '@orrery/registry';
import type { Cause } from './board.ts';
import type { DivisionPreview } from './preview.ts';

/**
 * How a job does: `broken` entries cannot be read; `idle` has no instance; `crashed` has shards of a lost instance
 * that wait for another; `resharding` waits for the leader to divide its shards again.
 */
export type JobStatus = 'ok' | 'disabled' | 'idle' | 'crashed' | 'resharding' | 'broken';

/** A job in a list. */
export interface JobSummary {
  readonly name: string;
  readonly status: JobStatus;
  /** The error of a broken job. */
  readonly fault?: string;
  readonly cron?: string;
  readonly timezone?: string;
  readonly shards: number;
  readonly instances: number;
  /** Shards that run now. */
  readonly running: number;
  /** Shards that no living instance has. */
  readonly unowned: number;
}

/** How a round ended. */
export interface EndedRound {
  readonly at: number;
  readonly succeeded: number;
  /** The first failures. */
  readonly failed: readonly { readonly shard: number; readonly error: string }[];
}

/** A round of an instance, as stored for operators. */
export interface RecentRound extends EndedRound {
  /** Counts the rounds of the instance from 1: a number that is missing was not seen. */
  readonly number: number;
  readonly cause: Cause;
  readonly due?: number;
  readonly startedAt: number;
  /** The shards that ran, such as `0-3,7`. */
  readonly shards: string;
  /** All failures, also those that are not listed. */
  readonly failures: number;
  /** The shards that failed, such as `0-3,7`; undefined if the text would be long. */
  readonly failedShards?: string;
}

/** An instance of a job. */
export interface SeenInstance {
  readonly id: string;
  readonly server: string;
  readonly language: 'typescript' | 'java';
  readonly since: number;
  readonly isLeader: boolean;
  readonly disabled: boolean;
  readonly shards: readonly number[];
  readonly running: readonly number[];
  readonly runningSince?: number;
  /** Its last rounds, the newest last; none where the registry has no room for them. */
  readonly recent: readonly RecentRound[];
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
  /** Whether the registry keeps rounds and divisions: ElasticJob's entries on ZooKeeper have no room for them. */
  readonly isRecorded: boolean;
  /** Entries that cannot be read. */
  readonly faults: readonly string[];
}

/** How far the round of a trigger is. */
export interface TriggerProgress {
  /** Instances whose round is still open. */
  readonly waiting: readonly string[];
  /** Instances whose round has ended. */
  readonly ended: readonly string[];
  /** Shards that succeeded. */
  readonly succeeded: number;
  /** The first failures. */
  readonly failed: readonly { readonly shard?: number; readonly error: string }[];
  /** Whether outcomes are recorded. Where they are not, a round that has not begun looks like one that has ended. */
  readonly isRecorded: boolean;
}

/** The target of a switch: the whole job, one server or one shard. */
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
  /** Sorted by name. A job with unreadable entries is listed as broken. */
  list(): Promise<readonly JobSummary[]>;
  show(job: string): Promise<JobDetails>;
  /** Asks for a round now: of all instances, or of one. Returns the instances that were asked. */
  trigger(
    job: string,
    what: {
      readonly instance?: string;
      readonly parameter?: string;
      /** A name for `progress`, never used before. */
      readonly id?: string;
    },
  ): Promise<readonly string[]>;
  /** How far the trigger of this id is. Instances that are not there any more are in neither list. */
  progress(job: string, id: string): Promise<TriggerProgress>;
  /** Switches off or on. Running shards end in good order. */
  setEnabled(job: string, target: SwitchTarget, enabled: boolean): Promise<void>;
  /** Replaces the given settings of the shared configuration and keeps the rest. Checked like a new job. */
  configure(job: string, changes: Readonly<Record<string, unknown>>): Promise<Job>;
  /** The division that these settings would lead to. Checked like `configure`; undefined where only instances know. */
  preview(job: string, changes: Readonly<Record<string, unknown>>): Promise<DivisionPreview | undefined>;
  /** Shuts one or all instances of the job down gracefully. Returns the instances it asked. */
  shutDown(job: string, instance?: string): Promise<readonly string[]>;
  /** Deletes a job without instances, with all that is stored of it. */
  remove(job: string): Promise<void>;
  /**
   * Tells the name of a job that has changed, or undefined when any may have, until `onEnd`: the session is lost then.
   * Only where the registry keeps rounds.
   */
  watch?(onChange: (job: string | undefined) => void, onEnd: () => void): Promise<Watch>;
  /** Every stored entry of the job. */
  dump(job: string): Promise<readonly { readonly path: string; readonly value: string }[]>;
}
