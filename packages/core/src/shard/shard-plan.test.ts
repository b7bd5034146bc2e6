import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseShardPlan, type ShardPlanChoice, type ShardPlanInput } from './shard-plan.ts';

const base: ShardPlanInput = {
  mode: 'static',
  job: 'job',
  shards: 4,
  parameters: ['w', 'x', 'y', 'z'],
  defaultInstances: 2,
  healthy: ['n1', 'n2'],
  random: 0,
};

function planned(choice: ShardPlanChoice) {
  if (choice.kind === 'refused') throw new Error('expected a plan');
  return choice;
}

function nodes(choice: ShardPlanChoice): string[] {
  return planned(choice).plan.map((place) => place.node);
}

const stored = planned(chooseShardPlan(base)).plan;

describe('chooseShardPlan', () => {
  it('refuses when no node is healthy', () => {
    for (const mode of ['static', 'dynamic', 'none'] as const) {
      expect(chooseShardPlan({ ...base, mode, healthy: [] })).toEqual({
        kind: 'refused',
        reason: 'no-healthy-node',
      });
    }
  });

  it('puts a task without shards on one node, picked by the random number', () => {
    const choices = [0, 0.4, 0.99].map((random) =>
      chooseShardPlan({ ...base, mode: 'none', healthy: ['n3', 'n1', 'n2'], random }),
    );
    expect(choices.map(nodes)).toEqual([['n1'], ['n2'], ['n3']]);
    expect(choices[0]).toMatchObject({ store: false, reason: 'not-sharded' });
  });

  it('plans a dynamic task again from the healthy nodes and stores nothing', () => {
    const choice = chooseShardPlan({ ...base, mode: 'dynamic', healthy: ['n2', 'n3'], stored });
    expect(choice).toMatchObject({ store: false, reason: 'dynamic' });
    expect(nodes(choice)).toEqual(['n2', 'n2', 'n3', 'n3']);
  });

  it('averages and stores on the first run, with item, parameter and node', () => {
    expect(chooseShardPlan(base)).toEqual({
      kind: 'planned',
      store: true,
      reason: 'first-run',
      plan: [
        { item: 0, parameter: 'w', node: 'n1' },
        { item: 1, parameter: 'x', node: 'n1' },
        { item: 2, parameter: 'y', node: 'n2' },
        { item: 3, parameter: 'z', node: 'n2' },
      ],
    });
  });

  it('reuses the stored plan while nothing asks for another, also when more nodes are healthy', () => {
    const choice = chooseShardPlan({ ...base, stored, healthy: ['n0', 'n1', 'n2'], random: 0.5 });
    expect(choice).toEqual({ kind: 'planned', plan: stored, store: false, reason: 'stored' });
  });

  it('plans again when a shard failed over, or must because its node is gone', () => {
    expect(chooseShardPlan({ ...base, stored, failedOver: [2] })).toMatchObject({
      store: true,
      reason: 'failover',
    });
    const gone = chooseShardPlan({ ...base, stored, healthy: ['n1'] });
    expect(gone).toMatchObject({ store: true, reason: 'failover' });
    expect(nodes(gone)).toEqual(['n1', 'n1', 'n1', 'n1']);
  });

  it('plans again when it uses fewer nodes than wanted and enough are healthy, not before', () => {
    const wanting = { ...base, defaultInstances: 4, stored };
    expect(chooseShardPlan({ ...wanting, healthy: ['n1', 'n2', 'n3'] })).toMatchObject({ reason: 'stored' });
    const more = chooseShardPlan({ ...wanting, healthy: ['n1', 'n2', 'n3', 'n4'] });
    expect(more).toMatchObject({ store: true, reason: 'more-instances' });
    expect(nodes(more)).toEqual(['n1', 'n2', 'n3', 'n4']);
  });

  it('keeps a plan that cannot use more nodes, because there are no more shards', () => {
    const two = {
      ...base,
      shards: 2,
      parameters: ['', ''],
      defaultInstances: 3,
      healthy: ['n1', 'n2', 'n3'],
    };
    const first = planned(chooseShardPlan(two)).plan;
    expect(chooseShardPlan({ ...two, stored: first })).toMatchObject({ reason: 'stored', store: false });
  });

  it('plans again for another number of shards, and keeps places when only parameters change', () => {
    expect(chooseShardPlan({ ...base, shards: 3, stored })).toMatchObject({
      store: true,
      reason: 'shards-changed',
    });
    const renamed = chooseShardPlan({ ...base, parameters: ['W', 'x', 'y', 'z'], stored });
    expect(renamed).toMatchObject({ store: true, reason: 'parameters-changed' });
    expect(planned(renamed).plan[0]).toEqual({ item: 0, parameter: 'W', node: 'n1' });
    expect(nodes(renamed)).toEqual(stored.map((place) => place.node));
  });

  it('refuses impossible numbers', () => {
    expect(() => chooseShardPlan({ ...base, shards: 0 })).toThrow('at least 1');
    expect(() => chooseShardPlan({ ...base, defaultInstances: 0 })).toThrow('at least 1');
  });

  it('uses min(default, healthy) nodes at most, one shard each when there are enough, and is stable', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 8 }),
        fc.uniqueArray(fc.ipV4(), { minLength: 1, maxLength: 8 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.constantFrom('average' as const, 'odevity' as const, 'rotate' as const, 'contiguous' as const),
        (shards, defaultInstances, healthy, random, strategy) => {
          const input = { ...base, shards, parameters: [], defaultInstances, healthy, random, strategy };
          const choice = planned(chooseShardPlan(input));
          const used = Math.min(defaultInstances, healthy.length);
          expect(choice.plan.map((place) => place.item)).toEqual(Array.from({ length: shards }, (_, i) => i));
          expect(new Set(nodes(choice)).size).toBeLessThanOrEqual(used);
          if (strategy !== 'contiguous') expect(new Set(nodes(choice)).size).toBe(Math.min(used, shards));
          for (const node of nodes(choice)) expect(healthy).toContain(node);
          const again = chooseShardPlan({ ...input, stored: choice.plan });
          expect(again).toEqual({ ...choice, store: false, reason: 'stored' });
        },
      ),
    );
  });
});
