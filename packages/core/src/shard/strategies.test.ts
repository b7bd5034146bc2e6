import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import elasticjob from '../../fixtures/elasticjob-sharding.json' with { type: 'json' };
import vectors from '../../fixtures/seed-vectors.json' with { type: 'json' };
import { type Division, divide, movedItems, type StrategyName, strategies } from './strategies.ts';

const byUpstreamName: Record<string, StrategyName> = {
  AVG_ALLOCATION: 'average',
  ODEVITY: 'odevity',
  ROUND_ROBIN: 'rotate',
};
const names = Object.keys(strategies) as StrategyName[];
const hosts = ['h0', 'h1', 'h2'];

function lists(division: Division): (readonly number[])[] {
  return [...division.values()];
}

describe('ElasticJob strategies', () => {
  it('give what the Java strategies printed, in the same order of servers', () => {
    let compared = 0;
    for (const { strategy, jobName, instances, count, result } of elasticjob) {
      if (!result) continue;
      const division = divide(byUpstreamName[strategy], { items: count, servers: instances, job: jobName });
      expect([...division], `${strategy} ${jobName} ${count}`).toEqual(Object.entries(result));
      compared++;
    }
    expect(compared).toBe(elasticjob.length - 2);
  });

  it('answer by the exact absolute value of the hash in the two cases where Java throws', () => {
    const failing = elasticjob.filter(({ error }) => error !== undefined);
    const firsts = failing.map(({ strategy, jobName, instances, count }) => {
      const [first] = divide(byUpstreamName[strategy], {
        items: count,
        servers: instances,
        job: jobName,
      }).keys();
      return instances.indexOf(first);
    });
    expect(firsts).toEqual([2, 3]);
  });

  it.each(vectors.average)('average: $total items on $servers servers', ({ servers, total, items }) => {
    const division = divide('average', { items: total, servers: hosts.slice(0, servers), job: 'job' });
    expect(lists(division)).toEqual(items);
  });

  it.each(vectors.contiguous)('contiguous: $total items on $servers servers', ({ servers, total, items }) => {
    const division = divide('contiguous', { items: total, servers: hosts.slice(0, servers), job: 'job' });
    expect(lists(division)).toEqual(items);
  });

  it.each(vectors.odevity)('odevity: job "$job"', ({ job, total, items }) => {
    expect([...divide('odevity', { items: total, servers: hosts, job })]).toEqual(Object.entries(items));
  });

  it.each(vectors.rotate)('rotate: job "$job"', ({ job, total, items, offset }) => {
    const division = divide('rotate', { items: total ?? 2, servers: hosts, job });
    if (items) expect([...division]).toEqual(Object.entries(items));
    else expect([...division.keys()][0]).toBe(hosts[offset]);
  });
});

describe('ten items on three servers', () => {
  it('lose no item when a server dies', () => {
    for (const name of ['average', 'contiguous'] as const) {
      expect(Object.fromEntries(divide(name, { items: 10, servers: ['A', 'B'], job: 'job' }))).toEqual({
        A: [0, 1, 2, 3, 4],
        B: [5, 6, 7, 8, 9],
      });
    }
  });

  it('go by blocks that differ by at most one, or by weight', () => {
    expect(lists(divide('balanced', { items: 10, servers: hosts, job: 'job' }))).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6],
      [7, 8, 9],
    ]);
    const weights = new Map([
      ['h1', 3],
      ['h2', 2],
    ]);
    expect(lists(divide('weighted', { items: 10, servers: hosts, job: 'job', weights }))).toEqual([
      [0, 1],
      [2, 3, 4, 5, 6],
      [7, 8, 9],
    ]);
  });
});

const servers = fc.uniqueArray(fc.oneof(fc.ipV4(), fc.string()), { maxLength: 12 });
const input = fc.record({ items: fc.nat(200), servers, job: fc.string() });

describe.each(names)('%s', (name) => {
  it('gives every item to exactly one of the servers', () => {
    fc.assert(
      fc.property(input, (given) => {
        const division = divide(name, given);
        expect([...division.keys()].sort()).toEqual([...given.servers].sort());
        const items = lists(division).flat();
        expect(items.sort((a, b) => a - b)).toEqual(
          given.servers.length === 0 ? [] : Array.from({ length: given.items }, (_, i) => i),
        );
      }),
    );
  });

  it('answers nothing for no server, and empty lists for no item', () => {
    expect(divide(name, { items: 3, servers: [], job: 'job' }).size).toBe(0);
    expect(lists(divide(name, { items: 0, servers: hosts, job: 'job' }))).toEqual([[], [], []]);
  });

  it('makes one server active and the others stand by for a single item', () => {
    const sizes = lists(divide(name, { items: 1, servers: hosts, job: 'job' })).map((own) => own.length);
    expect(sizes.sort()).toEqual([0, 0, 1]);
  });
});

describe('weighted', () => {
  it('is within one item of the exact share, and balanced for equal weights', () => {
    fc.assert(
      fc.property(
        input,
        fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 12, maxLength: 12 }),
        (given, list) => {
          const weights = new Map(given.servers.map((server, i) => [server, list[i]]));
          const sum = [...weights.values()].reduce((a, b) => a + b, 0);
          for (const [server, own] of divide('weighted', { ...given, weights })) {
            const share = (given.items * (weights.get(server) ?? 0)) / sum;
            expect(Math.abs(own.length - share)).toBeLessThan(1);
          }
          const equal = new Map(given.servers.map((server) => [server, list[0]]));
          expect(divide('weighted', { ...given, weights: equal })).toEqual(divide('balanced', given));
        },
      ),
    );
  });
});

describe('movement', () => {
  it('counts items that lost or changed their server', () => {
    const before = new Map([
      ['a', [0, 1]],
      ['b', [2, 3]],
    ]);
    const after = new Map([
      ['a', [0, 2, 4]],
      ['c', [1]],
    ]);
    expect(movedItems(before, after)).toBe(3);
  });

  it('consistent-hash moves items only to the server that joins, only from the one that leaves', () => {
    fc.assert(
      fc.property(input, fc.string(), (given, joining) => {
        fc.pre(!given.servers.includes(joining));
        const before = divide('consistent-hash', given);
        const after = divide('consistent-hash', { ...given, servers: [joining, ...given.servers] });
        for (const [server, own] of before) {
          const now = after.get(server) ?? [];
          expect(now.filter((item) => !own.includes(item))).toEqual([]);
        }
        if (before.size > 0) expect(movedItems(before, after)).toBe(after.get(joining)?.length);
        if (before.size > 0) expect(movedItems(after, before)).toBe(after.get(joining)?.length);
      }),
    );
  });

  it('consistent-hash loads no server beyond 1.5 times the mean, nor moves more when one joins', () => {
    for (let count = 2; count <= 20; count++) {
      const members = Array.from({ length: count }, (_, i) => `10.0.0.${i + 1}:8080`);
      const before = divide('consistent-hash', { items: 10_000, servers: members, job: 'job' });
      const mean = 10_000 / count;
      for (const own of lists(before)) {
        expect(own.length).toBeGreaterThan(mean / 1.5);
        expect(own.length).toBeLessThan(mean * 1.5);
      }
      const after = divide('consistent-hash', { items: 10_000, servers: [...members, 'new:1'], job: 'job' });
      expect(movedItems(before, after)).toBeLessThan((1.5 * 10_000) / (count + 1));
    }
  });

  it('balanced moves at most half of the items, but for rounding, when one joins or leaves', () => {
    for (let count = 2; count <= 12; count++) {
      const members = Array.from({ length: count }, (_, i) => `h${i}`);
      for (let items = 0; items <= 200; items++) {
        const more = divide('balanced', { items, servers: members, job: 'job' });
        for (let at = 0; at < count; at++) {
          const less = divide('balanced', { items, servers: members.toSpliced(at, 1), job: 'job' });
          // Rounding puts a boundary off by a quarter of the number of servers at most.
          expect(movedItems(less, more)).toBeLessThanOrEqual(items / 2 + count ** 2 / 4);
          expect(movedItems(more, less)).toBe(movedItems(less, more));
        }
      }
    }
  });
});

describe('divide', () => {
  it('refuses what would lose or double items', () => {
    expect(() => divide('average', { items: -1, servers: hosts, job: 'job' })).toThrow('whole number');
    expect(() => divide('average', { items: 1.5, servers: hosts, job: 'job' })).toThrow('whole number');
    expect(() => divide('average', { items: 1, servers: ['a', 'b', 'a'], job: 'job' })).toThrow(
      '"a" is listed twice',
    );
    expect(() => divide('toString' as StrategyName, { items: 1, servers: hosts, job: 'job' })).toThrow(
      'unknown strategy "toString"; there are: average, contiguous',
    );
    const weights = new Map([['h1', 0]]);
    expect(() => divide('weighted', { items: 1, servers: hosts, job: 'job', weights })).toThrow(
      'node "h1": weight 0 is not a whole number from 1',
    );
  });

  it("takes a user's strategy and checks what it answers", () => {
    const ask = (answer: Record<string, number[]>) =>
      divide(() => new Map(Object.entries(answer)), { items: 2, servers: hosts, job: 'job' });
    expect(lists(ask({ h2: [1], h0: [0] }))).toEqual([[1], [0]]);
    expect(() => ask({ h0: [0] })).toThrow('left 1 items to nobody');
    expect(() => ask({ h0: [0, 1], h1: [1] })).toThrow('gave "h1" item 1, which is unknown or already given');
    expect(() => ask({ h0: [0, 1, 2] })).toThrow('item 2');
    expect(() => ask({ x: [0, 1] })).toThrow('"x", which is no server');
  });
});
