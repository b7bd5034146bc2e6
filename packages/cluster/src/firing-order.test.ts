import { describe, expect, it } from 'vitest';
import { rendezvousOrder, STANDBY } from './firing-order.ts';

const ids = Array.from({ length: 3_000 }, (_, k) => 1_000_000 + k);

describe('the order in which masters fire a schedule', () => {
  it('has one leader, two who stand by, and anyone else after them', () => {
    const names = ['a', 'b', 'c', 'd'];
    const orders = names.map((name) => rendezvousOrder(name, names));
    for (const id of ids) {
      const delays = orders.map((order) => order.delayOf(id));
      expect(delays.toSorted((x, y) => x - y)).toEqual([0, STANDBY.second, STANDBY.third, STANDBY.anyone]);
      expect(orders[0].leaderOf(id)).toBe(names[delays.indexOf(0)]);
    }
  });

  it('spreads consecutive schedules evenly', () => {
    const order = rendezvousOrder('a', ['b', 'c']);
    const led = Map.groupBy(ids, (id) => order.leaderOf(id));
    for (const list of led.values()) expect(list.length).toBeGreaterThan(850);
    expect(led.size).toBe(3);
  });

  it('moves only what a master led when it goes', () => {
    const [before, after] = [rendezvousOrder('a', ['b', 'c']), rendezvousOrder('a', ['b'])];
    for (const id of ids)
      if (before.leaderOf(id) !== 'c') expect(after.leaderOf(id)).toBe(before.leaderOf(id));
  });

  it('knows when nobody else is there', () => {
    expect(rendezvousOrder('a', []).isAlone).toBe(true);
    expect(rendezvousOrder('a', ['a', 'b']).isAlone).toBe(false);
  });
});
