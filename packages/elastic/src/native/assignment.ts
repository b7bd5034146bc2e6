/**
 * The assignment of a job: one value that maps shards to instances. A mark declares it out of date; no
 * instance then starts a round, and the leader replaces it once nothing runs. Crashed shards wait in it for
 * an instance to take them.
 */
import type { Job } from '@orrery/core/model';
import { divide, movedItems, sortNodes } from '@orrery/core/shard';
import type { ShardStrategy } from '../board/board.ts';
import type { Division } from '../board/operator.ts';
import { BALANCE, strategyOf } from '../board/strategy.ts';
import {
  type Coverage,
  isAhead,
  mergeCoverage,
  readCoverage,
  type StoredCoverage,
  writeCoverage,
} from './coverage.ts';
import { readShards, writeShards } from './shard-set.ts';
import { readValue, unreadable } from './stored.ts';

/** Why an assignment is out of date, and since when. */
interface Mark {
  readonly reasons: readonly string[];
  readonly since: number;
}

/** Maps shards to instances. */
export interface Assignment {
  /** Grows with every new division. */
  readonly number: number;
  readonly total: number;
  readonly strategy: string;
  /** Shards of each instance that took part in the division, in its order. */
  readonly shards: Readonly<Record<string, string>>;
  readonly mark?: Mark;
  /** Shards that a lost instance left running. */
  readonly crashed?: string;
  /** The last tick of each shard, as known at the division. */
  readonly covered?: StoredCoverage;
  /** Ticks after this instant had an instance to run them; shards that missed the last of them make up for it. */
  readonly since?: number;
  /** The last divisions, the newest first, for operators. */
  readonly divisions?: readonly Division[];
}

/** Why it moves. */
export const NEXT_TURN = 'next turn';
/** Divisions that operators see. */
const DIVISIONS_SHOWN = 10;

/** Before the first division. */
export const NONE: Assignment = { number: 0, total: 0, strategy: '', shards: {} };

/** Reads a stored assignment. */
export function readAssignment(path: string, text: string): Assignment {
  const value = readValue<Assignment>(path, text);
  if (typeof value.number !== 'number' || typeof value.shards !== 'object' || value.shards === null)
    throw unreadable(path);
  return value;
}

/** The shards of an instance, ascending. */
export function shardsOf(assignment: Assignment, instance: string): number[] {
  return readShards(assignment.shards[instance] ?? '');
}

/** Why a division by these facts would differ from the current one; empty if it is up to date. */
export function staleReasons(
  assignment: Assignment,
  job: Job,
  instances: readonly string[],
): readonly string[] {
  if (assignment.number === 0) return ['first division'];
  const reasons: string[] = [];
  if (assignment.total !== job.shards) reasons.push(`${assignment.total} shards became ${job.shards}`);
  if (job.staticSharding) return reasons;
  if (assignment.strategy !== job.strategy) reasons.push(`strategy is ${job.strategy} now`);
  const before = new Set(Object.keys(assignment.shards));
  const now = new Set(instances);
  for (const id of now.difference(before)) reasons.push(`${id} joined`);
  for (const id of before.difference(now)) reasons.push(`${id} left`);
  return reasons;
}

/** Adds reasons to the mark. */
export function marked(assignment: Assignment, reasons: readonly string[], now: number): Assignment {
  const { mark } = assignment;
  const all = [...new Set([...(mark?.reasons ?? []), ...reasons])].slice(0, 20);
  return { ...assignment, mark: { reasons: all, since: mark?.since ?? now } };
}

/** Whether a job's shard moves on after a round of `instances` instances. */
export function takesTurns(job: Job, instances: number): boolean {
  return job.strategy === BALANCE && !job.staticSharding && instances > 1;
}

/** The input of a new division. */
export interface DivisionInput {
  readonly job: Job;
  /** Instances that may get shards. */
  readonly instances: readonly string[];
  /** Strategies of the user. */
  readonly own: Readonly<Record<string, ShardStrategy>>;
  readonly now: number;
  /** What instances have run since the last division. */
  readonly coverage: Iterable<Coverage>;
  /** Since when the leader follows the job's cron. */
  readonly since: number;
}

/** A new division: no mark, nothing crashed. */
export function divided(assignment: Assignment, input: DivisionInput): Assignment {
  const { job, instances, own, now, since } = input;
  const servers = sortNodes(instances);
  const facts = { items: job.shards, servers, job: job.name };
  const strategy = strategyOf(job, own);
  const division = strategy === BALANCE ? nextTurn(assignment, servers) : divide(strategy, facts);
  // Those without a shard have taken part too.
  const parts = [...division, ...servers.filter((id) => !division.has(id)).map((id) => [id, []] as const)];
  const shards = Object.fromEntries(parts.map(([id, items]) => [id, writeShards(items)]));
  const number = assignment.number + 1;
  const reasons = assignment.mark?.reasons ?? [];
  const latest: Division = { number, at: now, reasons, moved: movedItems(divisionOf(assignment), division) };
  return {
    number,
    total: job.shards,
    strategy: job.strategy,
    shards,
    covered: writeCoverage(coverageAt(assignment, input)),
    since,
    divisions: [latest, ...(assignment.divisions ?? [])].slice(0, DIVISIONS_SHOWN),
  };
}

/**
 * The last tick of each shard. A shard without an owner needs the ticks since the mark, and none from before.
 */
function coverageAt(assignment: Assignment, { job, coverage, now }: DivisionInput): Coverage {
  const all = mergeCoverage([readCoverage(assignment.covered), ...coverage]);
  const merged = new Map([...all].filter(([, due]) => !isAhead(due, now)));
  const owned = new Set([...divisionOf(assignment).values()].flat());
  const before = (assignment.mark?.since ?? now) - 1;
  return new Map(
    Array.from({ length: job.shards }, (_, shard) => {
      const due = merged.get(shard) ?? before;
      return [shard, owned.has(shard) ? due : Math.max(due, before)];
    }),
  );
}

/** Adds the coverage of an instance that is gone. */
export function withCoverage(assignment: Assignment, coverage: Iterable<Coverage>): Assignment {
  const merged = mergeCoverage([readCoverage(assignment.covered), ...coverage]);
  return merged.size === 0 ? assignment : { ...assignment, covered: writeCoverage(merged) };
}

/** The one shard goes to the instance after the one that has it. */
function nextTurn(assignment: Assignment, servers: readonly string[]): Map<string, number[]> {
  const [owner = ''] = Object.entries(assignment.shards).find(([, shards]) => shards !== '') ?? [];
  const place = servers.indexOf(owner);
  const next = place === -1 ? sortNodes([...servers, owner]).indexOf(owner) : place + 1;
  return new Map(servers.map((id, i) => [id, i === next % servers.length ? [0] : []]));
}

function divisionOf({ shards }: Assignment): Map<string, number[]> {
  return new Map(Object.entries(shards).map(([id, text]) => [id, readShards(text)]));
}

/** Offers the shards of a lost instance to the others. */
export function crashed(assignment: Assignment, shards: readonly number[]): Assignment {
  const all = [...readShards(assignment.crashed ?? ''), ...shards];
  return all.length === 0 ? assignment : { ...assignment, crashed: writeShards(all) };
}

/** The first of the crashed shards that one of `instances` instances takes, and the assignment without them. */
export function takeCrashed(
  assignment: Assignment,
  instances: number,
): { readonly taken: readonly number[]; readonly rest: Assignment } {
  const { crashed: text = '', ...others } = assignment;
  const all = readShards(text);
  const taken = all.slice(0, Math.ceil(all.length / Math.max(1, instances)));
  const left = all.slice(taken.length);
  return { taken, rest: left.length === 0 ? others : { ...others, crashed: writeShards(left) } };
}
