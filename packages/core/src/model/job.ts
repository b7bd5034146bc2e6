/**
 * An elastic job: when it fires, its number of shards, and how they are kept alive. Its handler lives in the
 * user's processes; this is the configuration they share. The names are ours, the settings those of
 * ElasticJob.
 */
import { z } from 'zod';
import { said } from '../texts/index.ts';
import { parseCron } from '../time/index.ts';
import { problemsOf } from './issues.ts';
import type { Problem } from './problem.ts';
import { scalar } from './schema/parameters.ts';
import { readItems, shardCount, shardParameters } from './schema/shards.ts';
import {
  duration,
  flag,
  name,
  object,
  parsed,
  positiveDuration,
  report,
  text,
  timezone,
} from './schema/values.ts';

/** A job as its instances share it: defaults filled in, durations in milliseconds. */
export interface Job {
  readonly namespace: string;
  readonly name: string;
  readonly description?: string;
  /** Without cron it runs only when triggered. */
  readonly cron?: string;
  readonly timezone: string;
  readonly shards: number;
  /** Parameter of each shard, by number; missing ones are empty. */
  readonly shardParameters: Readonly<Record<number, string>>;
  /** Passed to every shard. */
  readonly parameter?: string;
  /** A built-in strategy, or one that every instance registers under this name. */
  readonly strategy: string;
  /** Whether a lost instance's shard runs at once on another instance, not at the next tick. */
  readonly failover: boolean;
  /** Whether a tick missed while the previous one was still running is made up for once. */
  readonly misfire: boolean;
  /** Tracks running shards: none runs twice at once, and a reshard waits for them. Required by failover. */
  readonly monitorExecution: boolean;
  /** Whether shards stay where they are while instances come and go. */
  readonly staticSharding: boolean;
  /** Allowed clock difference of an instance; absent: not checked. */
  readonly maxTimeDiff?: number;
  /** Interval of checks for shards on lost instances; 0: never. */
  readonly reconcileInterval: number;
  /** Instances start out disabled. */
  readonly disabled: boolean;
  /** Whether an instance's configuration at start replaces the stored one. */
  readonly overwrite: boolean;
  readonly props: Readonly<Record<string, string>>;
}

const jobSchema = object({
  namespace: name.default('default'),
  name,
  description: text.optional(),
  cron: text
    .superRefine((value, context) => void parsed(context, 'bad-cron', () => parseCron(value)))
    .optional(),
  timezone: timezone.default('UTC'),
  shards: shardCount,
  shardParameters: shardParameters.default({}),
  parameter: z.string().optional(),
  strategy: name.default('average'),
  failover: flag.default(false),
  misfire: flag.default(true),
  monitorExecution: flag.default(true),
  staticSharding: flag.default(false),
  maxTimeDiff: positiveDuration.optional(),
  reconcileInterval: duration.default(600_000),
  disabled: flag.default(false),
  overwrite: flag.default(false),
  props: z.record(z.string(), scalar).default({}),
})
  .superRefine(({ failover, monitorExecution }, context) => {
    if (failover && !monitorExecution) report(context, 'bad-value', said('file.failover'), ['failover']);
  })
  .transform(({ shardParameters, ...rest }, context): Job => {
    const read = parsed(context, 'bad-shards', () => readItems(shardParameters, rest.shards), [
      'shardParameters',
    ]);
    return { ...rest, shardParameters: read.parameters };
  });

/** Parses a job from a JSON value; reports every problem at once and never throws. */
export function parseJob(input: unknown): { readonly job?: Job; readonly problems: readonly Problem[] } {
  const read = jobSchema.safeParse(input, { reportInput: true });
  return read.success ? { job: read.data, problems: [] } : { problems: problemsOf(read.error.issues) };
}
