/** Shards of a task in the file: a number, only parameters, or an object. */
import { z } from 'zod';
import { InvalidInput } from '../../errors.ts';
import { parseItemParameters, strategies } from '../../shard/index.ts';
import { said } from '../../texts/index.ts';
import type { Shards } from '../types.ts';
import { scalar } from './parameters.ts';
import { count, object, parsed } from './values.ts';

/** Shard limit of a task or job. */
const MOST_SHARDS = 10_000;

/** Number of shards. */
export const shardCount = count(1, MOST_SHARDS);

/** Parameters of shards, as text or by number. */
export const shardParameters = z.union([z.string(), z.record(z.string(), scalar)]);

const strategyNames = Object.keys(strategies) as (keyof typeof strategies)[];
const defaults = { plan: 'none', strategy: 'average' } as const;

const shardsObject = object({
  count: shardCount.optional().describe('How many; not needed where params name the last one.'),
  params: shardParameters
    .optional()
    .describe('Parameter of each shard: "0=beijing,1=shanghai", or an object by number.'),
  plan: z
    .enum(['none', 'static', 'dynamic'])
    .default(defaults.plan)
    .describe(
      'none: any worker takes any shard; static: by a plan that is kept; dynamic: by one made for each run.',
    ),
  strategy: z.enum(strategyNames).default(defaults.strategy).describe('How a plan divides the shards.'),
  instances: shardCount.optional().describe('How many workers a plan spreads over, at most.'),
});

/** How a task is split. */
export const shards = z.union([
  shardCount.transform((count): Shards => ({ count, parameters: {}, ...defaults })),
  z.string().transform(
    (written, context): Shards => ({
      ...parsed(context, 'bad-shards', () => readItems(written)),
      ...defaults,
    }),
  ),
  shardsObject.transform(
    ({ count, params = {}, ...rest }, context): Shards => ({
      ...parsed(context, 'bad-shards', () => readItems(params, count)),
      ...rest,
    }),
  ),
]);

/** Count and parameters; without a count, the highest shard with a parameter is the last. */
export function readItems(
  params: string | Readonly<Record<string, string>>,
  given?: number,
): Pick<Shards, 'count' | 'parameters'> {
  const count = given ?? highestItem(params) + 1;
  if (count > MOST_SHARDS) throw new InvalidInput(said('shard.tooMany', { most: MOST_SHARDS, count }));
  const values = typeof params === 'string' ? parseItemParameters(params, count) : orderItems(params, count);
  if (count === 0) throw new InvalidInput(said('shard.howMany'));
  const named = Object.entries(values).filter(([, value]) => value !== '');
  return { count, parameters: Object.fromEntries(named) };
}

function highestItem(params: string | Readonly<Record<string, string>>): number {
  const written =
    typeof params === 'string' ? params.matchAll(/(?<=^|[,，])\s*\d+(?=\s*=)/g) : Object.keys(params);
  let highest = -1;
  for (const item of written) highest = Math.max(highest, itemNumber(String(item)));
  return highest;
}

function orderItems(params: Readonly<Record<string, string>>, count: number): string[] {
  const values: string[] = [];
  for (const [item, value] of Object.entries(params)) {
    if (itemNumber(item) >= count) throw new InvalidInput(said('shard.none', { item, count }));
    values[itemNumber(item)] = value;
  }
  return values;
}

function itemNumber(item: string): number {
  if (!/^\s*\d+$/.test(item)) throw new InvalidInput(said('shard.notANumber', { item }));
  return Number(item);
}
