import { openGate, StoreClock } from '@orrery/cluster';
import { VirtualClock } from '@orrery/core/timing';
import { openSqlite } from '@orrery/store';
import { expect, it } from 'vitest';
import { type Context, masterDefaults } from '../ports.ts';
import { Agenda } from './agenda.ts';

const MANY = 20_000;
/** What 50 ms are enough for, many times over. */
const MOST_IN_A_TURN = 5_000;

it('follows a new order in turns of the event loop, and drops all that it lost', async () => {
  const world = new VirtualClock(1_700_000_000_000);
  const store = await openSqlite(':memory:');
  const context: Context = {
    clock: StoreClock.unmeasured(world),
    store,
    config: { ...masterDefaults, id: 'm1', address: 'm1' },
    self: { node: 'm1', epoch: 1 },
    gate: openGate,
    log: () => {},
    report: () => {},
  };
  const order = { isAlone: false, leaderOf: () => 'm1', delayOf: () => 0 };
  const agenda = new Agenda(context, order, { due: () => {} });
  const due = world.now() + 50_000;
  agenda.adopt(
    Array.from({ length: MANY }, (_, id) => ({
      id,
      nextDue: due,
      workflow: 1,
      name: 's',
      version: 1,
      firedUntil: 0,
    })),
  );
  expect(agenda.size).toBe(MANY);

  let [asked, most] = [0, 0];
  const delayOf = (id: number) => {
    most = Math.max(most, ++asked);
    return id % 2 === 0 ? 0 : 250;
  };
  agenda.follow({ order: { ...order, delayOf } });
  for (let turn = 0; turn < 20; turn++) {
    asked = 0;
    await world.advanceAsync(1, () => new Promise((resolve) => setImmediate(resolve)));
  }
  expect(agenda.size).toBe(MANY / 2);
  expect(most).toBeLessThanOrEqual(MOST_IN_A_TURN);
  await agenda.stop();
  await store.close();
});
