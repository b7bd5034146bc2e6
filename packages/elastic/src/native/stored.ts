/** The values of a job's entries: how they are written, and how they are read with every error named. */
import { InvalidInput } from '@orrery/core/errors';
import { type Job, parseJob } from '@orrery/core/model';
import { settingsOf } from '../board/change-job.ts';
import type { EndedRound, RecentRound } from '../board/operator.ts';
import type { StoredCoverage } from './coverage.ts';

/** The format of the entries; one that is newer than this code is refused. */
const FORMAT = 1;

/** The stored configuration: the job, and what kind of handler it has. */
export interface StoredJob {
  readonly job: Job;
  readonly identity: string;
}

/** What operators have switched off. */
export interface Switches {
  readonly disabled: boolean;
  readonly servers: readonly string[];
  readonly shards: readonly number[];
}

/** An instance that is there. */
export interface InstanceInfo {
  readonly server: string;
  readonly since: number;
}

/** The round of a trigger; `ended` once it has. */
export interface TriggeredRound {
  readonly id: string;
  readonly ended?: Omit<EndedRound, 'failed'> & {
    readonly failed: readonly { readonly shard?: number; readonly error: string }[];
  };
}

/** What an instance is asked: a round, or the end of its part in the job. */
export interface StoredTrigger {
  readonly parameter?: string;
  readonly stop?: boolean;
}

/** The name of the request to end, beside those of rounds. */
export const STOP = 'stop';

/** What an instance runs, and how its last rounds ended. */
export interface RunningInfo {
  /** Shards as text, see `writeShards`. */
  readonly shards: string;
  readonly since?: number;
  /** The last rounds, the newest last. */
  readonly recent?: readonly RecentRound[];
  /** The last triggers that it accepted, the newest last. */
  readonly triggered?: readonly TriggeredRound[];
  /** The last tick of each shard that this instance has run. */
  readonly covered?: StoredCoverage;
}

export const NO_SWITCHES: Switches = { disabled: false, servers: [], shards: [] };

export function writeJob({ job, identity }: StoredJob): string {
  return JSON.stringify({ format: FORMAT, identity, job: settingsOf(job) });
}

/** Configurations that were read: operators list a thousand jobs again and again, and checking one takes long. */
const known = new Map<string, StoredJob>();
const MOST_KNOWN = 5_000;

export function readJob(path: string, text: string): StoredJob {
  const before = known.get(text);
  if (before) return before;
  const stored = parseStored(path, text);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, stored);
  return stored;
}

function parseStored(path: string, text: string): StoredJob {
  const { format, identity, job } = object(path, text);
  if (typeof format !== 'number' || format > FORMAT)
    throw new InvalidInput(`format ${String(format)} needs a newer version; this one reads ${FORMAT}`, path);
  const read = parseJob(job);
  if (!read.job) throw new InvalidInput(read.problems[0]?.message ?? 'cannot be read', path);
  return { job: read.job, identity: String(identity ?? '') };
}

export function readSwitches(path: string, text: string): Switches {
  const { disabled, servers, shards } = object(path, text);
  if (typeof disabled !== 'boolean' || !Array.isArray(servers) || !Array.isArray(shards))
    throw unreadable(path);
  return { disabled, servers: servers.map(String), shards: shards.map(Number) };
}

/** Reads any other value; a fault names the entry. */
export function readValue<T>(path: string, text: string): T {
  return object(path, text) as T;
}

function object(path: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw unreadable(path);
}

/** An entry that holds something else than this code writes. */
export function unreadable(path: string): InvalidInput {
  return new InvalidInput('the registry entry cannot be read', path);
}
