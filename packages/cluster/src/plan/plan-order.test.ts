import { planByRange, planByRing } from '@orrery/core/shard';
import { describe, expect, it } from 'vitest';
import { STANDBY } from '../firing-order.ts';
import { planOrder } from './plan-order.ts';

const names = ['a', 'b', 'c', 'd', 'e'];
const ids = Array.from({ length: 1_000 }, (_, k) => 3 * k + 1);
const plans = [
  planByRange({ number: 1, strategy: 'range', nodes: names, total: 1_000, idAt: (rank) => ids[rank - 1] }),
  planByRing(1, names),
];

describe.each(plans)('the order of a plan', (plan) => {
  it('has one holder, two who stand by, and anyone else after them', () => {
    const orders = names.map((name) => planOrder(name, plan));
    for (const id of ids) {
      const delays = orders.map((order) => order.delayOf(id));
      const { second, third, anyone } = STANDBY;
      expect(delays.toSorted((x, y) => x - y)).toEqual([0, second, third, anyone, anyone]);
      expect(orders[0].leaderOf(id)).toBe(names[delays.indexOf(0)]);
    }
  });

  it('spreads what one holder leaves behind over all others', () => {
    const orders = names.map((name) => planOrder(name, plan));
    const held = ids.filter((id) => orders[0].delayOf(id) === 0);
    for (const order of orders.slice(1)) {
      const first = held.filter((id) => order.delayOf(id) === STANDBY.second);
      expect(first.length).toBeGreaterThan(held.length / 10);
    }
  });

  it('lets a master that is not in the plan fire last', () => {
    const order = planOrder('z', plan);
    expect(new Set(ids.map((id) => order.delayOf(id)))).toEqual(new Set([STANDBY.anyone]));
  });
});

it('leaves everything to a hash where a plan has no nodes', () => {
  const order = planOrder('a', planByRing(1, []));
  expect(order.isAlone).toBe(true);
  expect(ids.every((id) => order.delayOf(id) === 0)).toBe(true);
});
