/**
 * Strategies that divide the items 0..n-1 of a job or a sharded task among servers. They keep the given order
 * of servers, because that order is part of the contract: the caller sorts first (`sortNodes`), and a job
 * shared with Java instances keeps their order.
 */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';
import { javaHash, slotOf } from './java-hash.ts';
import { checkDistinct } from './order.ts';
import { ring, VIRTUAL_NODES } from './ring.ts';
import { byWeight, differByOne, restToLast, type SizeRule, sizesBy } from './sizes.ts';
import { type Weights, weightsOf } from './weights.ts';

/** Items and servers to divide; some strategies hash `job`. */
export interface DivisionInput {
  readonly items: number;
  readonly servers: readonly string[];
  readonly job: string;
  readonly weights?: Weights;
}

/** Items of each server, in the strategy's order of servers; a server without items has an entry. */
export type Division = ReadonlyMap<string, readonly number[]>;

/** A strategy, built in or a user's. It is not called without servers. */
export type Strategy = (input: DivisionInput) => Division;

/** Names of the built-in strategies. */
export type StrategyName = keyof typeof strategies;

/** The built-in strategies by name, for lists and help texts; to divide, use `divide`, which checks. */
export const strategies = {
  /** Equal blocks; item n of the rest is appended to server n. The default, as in ElasticJob. */
  average,
  /** Equal blocks; the rest goes to the last server. */
  contiguous: blocks(restToLast),
  /** Average, with the servers as given for an odd hash of the job name and reversed for an even one. */
  odevity: (input: DivisionInput) =>
    average(javaHash(input.job) % 2 === 0 ? { ...input, servers: input.servers.toReversed() } : input),
  /** Average, with the servers rotated by the hash of the job name, so that jobs start on different ones. */
  rotate: (input: DivisionInput) => {
    const first = slotOf(javaHash(input.job), input.servers.length);
    return average({ ...input, servers: [...input.servers.slice(first), ...input.servers.slice(0, first)] });
  },
  /** Contiguous blocks that differ by at most one item, the larger ones first. */
  balanced: blocks(differByOne),
  /** Contiguous blocks in proportion to the weights. */
  weighted: blocks(byWeight),
  /** A place on a ring for each item: a server that joins or leaves moves no item between the others. */
  'consistent-hash': onRing,
} as const satisfies Record<string, Strategy>;

/** Divides items by a strategy. Every item has exactly one server, or none if there are no servers. */
export function divide(strategy: StrategyName | Strategy, input: DivisionInput): Division {
  const { items, servers } = input;
  if (!Number.isSafeInteger(items) || items < 0) {
    throw new InvalidInput(`cannot divide ${items} items; a whole number from 0 is needed`);
  }
  checkDistinct(servers);
  if (servers.length === 0) return new Map();
  if (typeof strategy === 'function') return checked(strategy(input), input);
  if (!Object.hasOwn(strategies, strategy)) {
    throw new InvalidInput(said('value.strategy', { name: strategy, names: Object.keys(strategies) }));
  }
  return strategies[strategy](input);
}

/** Number of items that lost or changed their server between two divisions; new items do not count. */
export function movedItems(before: Division, after: Division): number {
  const serverNow = new Map([...after].flatMap(([server, items]) => items.map((item) => [item, server])));
  let moved = 0;
  for (const [server, items] of before) {
    for (const item of items) if (serverNow.get(item) !== server) moved++;
  }
  return moved;
}

function average({ items, servers }: DivisionInput): Division {
  const each = Math.floor(items / servers.length);
  const rest = items % servers.length;
  return new Map(
    servers.map((server, i) => {
      const own = sequence(i * each, each);
      if (i < rest) own.push(servers.length * each + i);
      return [server, own];
    }),
  );
}

function blocks(rule: SizeRule): Strategy {
  return ({ items, servers, weights }) => {
    const sizes = sizesBy(rule, items, weightsOf(servers, weights));
    let next = 0;
    return new Map(
      servers.map((server, i) => {
        const own = sequence(next, sizes[i]);
        next += sizes[i];
        return [server, own];
      }),
    );
  };
}

function onRing({ items, servers, job }: DivisionInput): Division {
  const serverOf = ring(servers, VIRTUAL_NODES);
  const byServer = Map.groupBy(sequence(0, items), (item) => serverOf(`${job}/${item}`));
  return new Map(servers.map((server) => [server, byServer.get(server) ?? []]));
}

function sequence(from: number, length: number): number[] {
  return Array.from({ length }, (_, i) => from + i);
}

/** A user's strategy may lose or duplicate items or invent servers; no plan may contain that. */
function checked(division: Division, { items, servers }: DivisionInput): Division {
  const seen = new Set<number>();
  for (const [server, own] of division) {
    if (!servers.includes(server))
      throw new InvalidInput(`the strategy chose "${server}", which is no server`);
    for (const item of own) {
      if (!Number.isInteger(item) || item < 0 || item >= items || seen.has(item)) {
        throw new InvalidInput(
          `the strategy gave "${server}" item ${item}, which is unknown or already given`,
        );
      }
      seen.add(item);
    }
  }
  if (seen.size !== items) throw new InvalidInput(`the strategy left ${items - seen.size} items to nobody`);
  return division;
}
