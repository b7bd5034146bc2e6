/**
 * Frames that nobody would send, from callers of every kind: the master goes on, nothing of an honest worker changes, and
 * memory is bounded. With the requests of `fuzz.test.ts` of api they are 50,000; in the full tier a million, each round
 * from another number and at a fresh master.
 */
import { StoreClock } from '@orrery/cluster';
import { VirtualClock } from '@orrery/core/timing';
import { openSqlite } from '@orrery/store';
import { submitTo } from '@orrery/testkit/engine';
import { heldMemory } from '@orrery/testkit/memory';
import { Random } from '@orrery/testkit/random';
import { isFull, seeds } from '@orrery/testkit/tier';
import { task, workflow } from '@orrery/testkit/workflows';
import { type Caller, ownProcess } from '@orrery/wire/caller';
import type { MasterFrame, WorkerFrame } from '@orrery/wire/frames';
import { channelPair } from '@orrery/wire/in-process';
import { fuzzedFrame, type Known } from '@orrery/wire/testing/fuzz';
import { describe, expect, it } from 'vitest';
import { Master } from '../master.ts';
import { masterDefaults } from '../ports.ts';

/** Of one round: 40,000, and 800,000 of 16 in the full tier. */
const FRAMES = isFull ? 50_000 : 40_000;

/** For what hangs. */
const TIMEOUT = 300_000;

/** Bytes that a round may hold at its end. */
const MOST_GROWTH = 64 * 1024 * 1024;

/** Frames that one connection says before the next comes. */
const A_CONNECTION = 20;

/** A caller from another machine: with the join token alone, or with an invitation of its own. */
function callerOf(random: Random): Caller {
  if (random.chance(0.3)) return { isLocal: false };
  return { isLocal: false, invited: { worker: `forger-${random.int(100)}`, groups: ['gpu', 'default'] } };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('frames of forgers', () => {
  it.each(seeds(1, 16))(
    'change nothing of an honest worker, from seed %i',
    { timeout: TIMEOUT },
    async (seed) => {
      const random = new Random(seed);
      const clock = new VirtualClock(1_700_000_000_000);
      const store = await openSqlite(':memory:');
      const errors: string[] = [];
      const master = await Master.start(
        { ...masterDefaults, id: 'm1', address: 'm1:7071', openJoin: false },
        {
          clock: StoreClock.unmeasured(clock),
          store,
          log: (level, text) => {
            if (level === 'error' || /TypeError|RangeError|syntax|constraint|out of range/.test(text))
              errors.push(text);
          },
        },
      );
      const connect = (caller: Caller) => {
        const [mine, its] = channelPair<WorkerFrame, MasterFrame>(queueMicrotask);
        const heard: MasterFrame[] = [];
        mine.onFrame((frame) => heard.push(frame));
        master.accept(its, caller);
        return { heard, send: (frame: WorkerFrame) => mine.send(frame), end: () => mine.close('done') };
      };
      const honest = connect(ownProcess);
      honest.send({ type: 'hello', worker: 'w1', address: '', groups: ['default'], slots: 1, key: 'right' });
      const run = await submitTo(store, workflow([task('a')]), clock.now());
      await clock.advanceAsync(2_000, settle);
      const epochOf = async () => (await store.listWorkers()).find(({ id }) => id === 'w1')?.epoch ?? 0;
      const epoch = await epochOf();
      honest.send({ type: 'take', epoch, number: 1, room: 1 });
      await expect.poll(() => honest.heard.some(({ type }) => type === 'give')).toBe(true);
      // Work that liars are given: what they say of it counts, and of nothing else.
      for (let k = 0; k < 50; k++)
        await submitTo(store, workflow([task('b', { workerGroup: 'gpu' })]), clock.now());
      const attempt = { run, task: 0, shard: -1, number: 1 };
      const known: Known = {
        workers: ['w1', 'evil', 'other'],
        groups: ['default', 'gpu'],
        epochs: [epoch, epoch + 1, 0],
        attempts: [attempt, { ...attempt, number: 2 }],
      };
      let joined = 0;
      const before = heldMemory();
      for (let sent = 0; sent < FRAMES; sent += A_CONNECTION) {
        const caller = callerOf(random);
        const forger = connect(caller);
        // Half of those that may join do so first, and lie within their session.
        if (caller.invited && random.chance(0.5)) {
          const slots = random.int(8);
          forger.send({ type: 'hello', ...caller.invited, address: '', slots, key: caller.invited.worker });
          await clock.advanceAsync(1, settle);
        }
        const epochs = forger.heard.flatMap((frame) => (frame.type === 'welcome' ? [frame.epoch] : []));
        joined += epochs.length;
        const told = epochs.length > 0 ? { ...known, epochs } : known;
        for (let k = 0; k < A_CONNECTION; k++) {
          const frame = fuzzedFrame((below) => random.int(below), told);
          if (frame) forger.send(frame);
        }
        // It keeps its lease, as a worker of flesh does.
        if (sent % 2_000 === 0) {
          const load = { cpu: 0, memory: 0, running: 1 };
          honest.send({ type: 'beat', epoch, beat: sent, take: 1, held: [attempt], load });
        }
        await clock.advanceAsync(1, settle);
        forger.end();
      }
      await clock.advanceAsync(100, settle);
      expect(errors).toEqual([]);
      expect(joined).toBeGreaterThan(FRAMES / A_CONNECTION / 10);
      expect(heldMemory() - before).toBeLessThan(MOST_GROWTH);
      expect(await epochOf()).toBe(epoch);
      expect(await store.listAttempts({ run })).toEqual([]);
      const outcome = { state: 'success', outputs: { a: 'honest' } } as const;
      honest.send({ type: 'report', epoch, reports: [{ attempt, outcome, startedAt: 0, endedAt: 0 }] });
      await expect
        .poll(async () => {
          await clock.advanceAsync(100, settle);
          return (await store.listAttempts({ run })).map(({ state, worker }) => [state, worker]);
        })
        .toEqual([['success', 'w1']]);
      expect((await store.listWorkers()).map(({ id }) => id).sort()).not.toContain('');
      await master.stop();
      await store.close();
    },
  );
});
