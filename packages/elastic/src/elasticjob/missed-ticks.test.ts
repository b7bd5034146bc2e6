import { randomUUID } from 'node:crypto';
import { realClock, VirtualClock } from '@orrery/core/timing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobSeat } from '../board/board.ts';
import { type ZooKeeperInstance, ZooKeeperStage } from '../testing/zookeeper-stage.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 1);

const real = realClock({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (run, delay) => setTimeout(run, delay),
  clearTimeout: (handle) => clearTimeout(handle),
});

let stage: ZooKeeperStage;
/** The clock of the job. */
let clock: VirtualClock;
beforeEach(async () => {
  clock = new VirtualClock(START);
  stage = await ZooKeeperStage.open({ clock: real, uuid: () => randomUUID() });
});
afterEach(() => stage.close());

/** A job with one shard and a tick every minute. */
const job = () => stage.job({ shards: 1, cron: '0 * * * * ?', reconcileInterval: '0' });

/** Starts it, and holds its first round. */
async function startHeld(onSeat?: (seat: JobSeat) => void): Promise<ZooKeeperInstance> {
  const instance = await stage.start('10.0.0.1', job(), { clock, onSeat });
  stage.hold();
  clock.advance(MINUTE);
  await stage.until(() => stage.ran.length === 1);
  return instance;
}

const rounds = () => stage.ran.map(({ cause, due }) => [cause, ((due ?? 0) - START) / MINUTE]);

describe('a tick that comes between the steps of a round on ZooKeeper', () => {
  it('runs once when it comes while the missed one before it is taken', async () => {
    const instance = await startHeld();
    clock.advance(MINUTE);
    await stage.until(async () => (await stage.get('sharding/0/misfire')) !== undefined);
    const client = instance.client();
    const { delete: remove } = client;
    client.delete = (path, version) => {
      const answer = remove.call(client, path, version);
      if (path.endsWith('/misfire') && stage.ran.length === 1) clock.advance(MINUTE);
      return answer;
    };
    stage.release();
    await stage.until(() => stage.ran.length > 1 && !instance.runner.state.running);
    expect(rounds()).toEqual([
      ['tick', 1],
      ['misfire', 3],
    ]);
    expect(await stage.get('sharding/0/misfire')).toBeUndefined();
  });

  it('runs at once when it comes after the last look for missed ones', async () => {
    const instance = await startHeld((seat) => {
      const takeMissed = seat.takeMissed.bind(seat);
      seat.takeMissed = () => {
        const answer = takeMissed();
        if (stage.ran.length === 1) clock.advance(MINUTE);
        return answer;
      };
    });
    stage.release();
    await stage.until(() => !instance.runner.state.running);
    expect(rounds()).toEqual([
      ['tick', 1],
      ['tick', 2],
    ]);
    expect(await stage.get('sharding/0/misfire')).toBeUndefined();
  });

  it('runs once when the round it comes to has to wait for a new division', async () => {
    const { runner } = await stage.start('10.0.0.1', job(), {
      clock,
      onSeat: (seat) => {
        const begin = seat.begin.bind(seat);
        let isFirst = true;
        seat.begin = async (shards, due) => {
          if (isFirst) {
            isFirst = false;
            await stage.set('leader/sharding/necessary', '');
            clock.advance(MINUTE);
          }
          return begin(shards, due);
        };
      },
    });
    clock.advance(MINUTE);
    await stage.until(() => stage.ran.length > 0 && !runner.state.running);
    expect(rounds()).toEqual([['tick', 2]]);
    expect(await stage.get('sharding/0/misfire')).toBeUndefined();
  });
});
