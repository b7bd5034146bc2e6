import { setImmediate as turn } from 'node:timers/promises';
import { attemptText } from '@orrery/wire/frames';
import { describe, expect, it } from 'vitest';
import { assignment } from '../testing/scripted-master.ts';
import { serving, setUp } from '../testing/session-world.ts';

describe('the connection', () => {
  it('is made again to the same master, which goes on with the same epoch and takes', async () => {
    const { master, pass, executor, session } = await serving();
    const a = assignment();
    master.give(a);
    await pass(1);
    master.cut();
    await pass(1_000);
    expect(master.dialled).toEqual(['m1', 'm1']);
    expect(master.said('hello').at(-1)?.resume).toEqual({ epoch: 1, take: 1 });
    expect(master.said('take').at(-1)).toMatchObject({ epoch: 1, number: 2, room: 1 });
    expect(executor.stops).toEqual([]);
    expect(session.status().held).toEqual([a.attempt]);
  });

  it('asks for a take again whose answer was lost', async () => {
    const { master, pass, executor } = await serving();
    master.cut();
    master.take = 1;
    await pass(1_000);
    expect(master.said('take').at(-1)).toMatchObject({ number: 1 });
    const a = assignment();
    master.say({ type: 'give', take: 1, assignments: [a] });
    await pass(1);
    expect(executor.started).toEqual([attemptText(a.attempt)]);
  });

  it('goes to the next master when one cannot be reached, with growing pauses', async () => {
    const { master, pass } = await serving({ masters: ['m1', 'm2', 'm3'] });
    master.manners.unreachable = true;
    master.cut();
    await pass(60_000);
    expect(master.dialled.slice(0, 6)).toEqual(['m1', 'm1', 'm2', 'm3', 'm1', 'm2']);
    const dials = master.dialled.length;
    await pass(60_000);
    expect(master.dialled.length - dials).toBeLessThanOrEqual(13);
  });

  it('is missed in one line a minute, and again when it breaks later', async () => {
    const { master, pass, logged } = await serving({ masters: ['m1', 'm2', 'm3'] });
    const lines = () => logged.filter((line) => line.startsWith('warn: no connection to master')).length;
    master.manners.unreachable = true;
    master.cut();
    await pass(170_000);
    expect(master.dialled.length).toBeGreaterThan(20);
    expect(lines()).toBe(3);
    master.manners.unreachable = false;
    await pass(10_000);
    expect(logged.at(-1)).toMatch(/^info: serving m\d/);
    master.cut();
    await pass(1);
    expect(lines()).toBe(4);
  });

  it('is missed in one line a minute where each master says that the store is away', async () => {
    const { master, pass, logged, session } = setUp({ masters: ['m1', 'm2'] });
    master.manners.hello = 'store-away';
    session.start();
    await pass(170_000);
    expect(logged.filter((line) => line.startsWith('warn:')).length).toBe(3);
  });

  it('goes to the next master with growing pauses, too, where the store is away before it has joined', async () => {
    const { master, pass, session } = setUp({ masters: ['m1', 'm2'] });
    master.manners.hello = 'store-away';
    session.start();
    await pass(60_000);
    expect(master.dialled.slice(0, 4)).toEqual(['m1', 'm2', 'm1', 'm2']);
    expect(master.dialled.length).toBeLessThanOrEqual(30);
    master.manners.hello = 'welcome';
    await pass(10_000);
    expect(session.status().connected).toBe(true);
  });

  it('goes to a master of which it has only heard later, and no longer to one that is gone', async () => {
    const { master, pass } = await serving({ masters: ['m1'] });
    master.say({ type: 'masters', masters: ['m1', 'm7'] });
    await pass(1);
    master.manners.unreachable = true;
    master.cut();
    await pass(5_000);
    expect(master.dialled.slice(0, 5)).toEqual(['m1', 'm1', 'm7', 'm1', 'm7']);
  });

  it('is left when no welcome comes in time', async () => {
    const { master, pass, session } = setUp();
    master.manners.hello = undefined;
    session.start();
    await pass(5_500);
    expect(master.dialled).toEqual(['m1', 'm2']);
  });

  it('is left when a beat is not answered', async () => {
    const { master, pass } = await serving();
    master.manners.beats = undefined;
    await pass(25_000);
    expect(master.dialled.slice(0, 2)).toEqual(['m1', 'm2']);
    expect(master.said('hello')[1].resume).toEqual({ epoch: 1, take: 0 });
  });

  it('uses the masters that a welcome names', async () => {
    const world = setUp();
    world.master.masters = ['m1', 'm7'];
    world.session.start();
    await world.pass(1);
    world.master.manners.unreachable = true;
    world.master.cut();
    await world.pass(3_000);
    expect(world.master.dialled.slice(0, 4)).toEqual(['m1', 'm1', 'm7', 'm2']);
  });
});

describe('the lease', () => {
  it('is kept by beats every third of it, which list what is held and the last take', async () => {
    const { master, pass, executor, session } = await serving();
    const a = assignment();
    master.give(a);
    await pass(100_000);
    expect(session.status().leaseHolds).toBe(true);
    expect(master.said('beat')).toHaveLength(11);
    expect(master.said('beat').at(-1)).toMatchObject({ take: 1, held: [a.attempt], load: { running: 1 } });
    expect(executor.extensions.length).toBeGreaterThan(10);
    expect(Math.max(...executor.extensions)).toBeLessThanOrEqual(30_000);
  });

  it('runs out a lease after the last committed beat was sent: attempts are killed, and reported as lost', async () => {
    const { master, pass, executor, session } = await serving();
    const [a, b] = [assignment(), assignment({ onLostContact: 'keep' })];
    master.give(a, b);
    await pass(10_500);
    master.manners.unreachable = true;
    master.cut();
    await pass(10_000 + 30_000 - 10_500 - 2);
    expect(executor.stops).toEqual([]);
    await pass(3);
    expect(executor.stops).toEqual([[attemptText(a.attempt), 'lost-contact']]);
    expect(session.status()).toMatchObject({ leaseHolds: false, held: [b.attempt] });
    master.manners.unreachable = false;
    await pass(10_000);
    expect(master.reportOf(a.attempt)?.outcome.state).toBe('lost');
    expect(session.status().leaseHolds).toBe(true);
    expect(master.said('take').at(-1)).toMatchObject({ number: 2, room: 1 });
  });

  it('counts from when the beat was sent, not from when its answer came', async () => {
    const { master, pass, executor, clock, session } = await serving();
    master.give(assignment());
    await pass(1);
    master.manners.beats = undefined;
    await pass(10_000);
    const beat = master.said('beat').at(-1)?.beat ?? 0;
    const sentAt = clock.monotonic() - (clock.monotonic() % 10_000);
    await pass(9_000);
    master.say({ type: 'beat-committed', beat });
    await pass(1);
    master.manners.unreachable = true;
    master.cut();
    await pass(sentAt + 30_000 - clock.monotonic() - 2);
    expect(session.status().leaseHolds).toBe(true);
    await pass(5);
    expect(executor.stops).toHaveLength(1);
  });

  it('that ran out in a freeze is found out before a frame is heard: nothing is begun', async () => {
    const { master, clock, executor, session } = await serving();
    const a = assignment();
    // The clock jumps without any timer having its turn, as after SIGSTOP.
    const frozen = clock.monotonic();
    clock.monotonic = () => frozen + 31_000;
    master.say({ type: 'give', take: 1, assignments: [a] });
    await turn();
    await turn();
    expect(executor.started).toEqual([]);
    expect(session.status().leaseHolds).toBe(false);
    expect(master.reportOf(a.attempt)?.outcome.state).toBe('lost');
  });

  it('that ran out in a freeze makes a failure that is seen afterwards a loss', async () => {
    const { master, clock, executor, pass } = await serving();
    const [a, b] = [assignment(), assignment({ onLostContact: 'keep' })];
    master.give(a, b);
    await pass(1);
    const frozen = clock.monotonic();
    clock.monotonic = () => frozen + 31_000;
    executor.finish(a, { state: 'failed', error: 'its guard was killed' });
    executor.finish(b, { state: 'failed', error: 'exit code 1' });
    await turn();
    expect(master.reportOf(a.attempt)?.outcome.state).toBe('lost');
    expect(master.reportOf(b.attempt)?.outcome.state).toBe('failed');
  });

  it('withdraws the open take when it runs out', async () => {
    const { master, pass } = await serving({ masters: ['m1'] });
    master.manners.beats = undefined;
    await pass(29_000);
    expect(master.said('take').at(-1)).toMatchObject({ room: 2 });
    await pass(10_000);
    expect(master.said('take').at(-1)).toMatchObject({ room: 0 });
  });

  it('holds without the store if the only master says that it is away', async () => {
    const { master, pass, executor, session } = await serving({ masters: ['m1'] });
    master.give(assignment());
    await pass(1);
    master.manners.beats = 'store-away';
    await pass(200_000);
    expect(executor.stops).toEqual([]);
    expect(session.status().leaseHolds).toBe(true);
  });

  it('holds without the store while every master says so: each is asked', async () => {
    const { master, pass, executor } = await serving({ masters: ['m1', 'm2', 'm3'] });
    master.give(assignment());
    await pass(1);
    master.manners.beats = 'store-away';
    master.manners.hello = 'store-away';
    await pass(200_000);
    expect(executor.stops).toEqual([]);
    expect(new Set(master.dialled)).toEqual(new Set(['m1', 'm2', 'm3']));
    master.manners.hello = 'welcome';
    master.manners.beats = 'commit';
    await pass(100_000);
    expect(executor.stops).toEqual([]);
  });

  it('holds without the store if the only master calls itself by another name than it was given', async () => {
    const world = setUp({ masters: ['localhost:1'] });
    const { master, pass, executor, session } = world;
    master.masters = ['m1:1'];
    session.start();
    await pass(1);
    master.give(assignment());
    await pass(1);
    master.manners.beats = 'store-away';
    master.manners.hello = 'store-away';
    await pass(200_000);
    expect(executor.stops).toEqual([]);
  });

  it('is extended by a beat that is committed after its master had taken the store for away', async () => {
    const { master, pass, executor, session } = await serving({ masters: ['m1', 'm2'] });
    master.give(assignment());
    await pass(1);
    master.manners.beats = undefined;
    for (let beats = 0; beats < 10; beats++) {
      await pass(9_000);
      const beat = master.said('beat').at(-1)?.beat ?? 0;
      master.say({ type: 'store-away' });
      await pass(500);
      master.say({ type: 'beat-committed', beat });
      await pass(500);
    }
    expect(executor.stops).toEqual([]);
    expect(session.status().leaseHolds).toBe(true);
    expect(master.dialled).toEqual(['m1']);
  });

  it('runs out without the store if one master does not say so', async () => {
    const { master, pass, executor } = await serving({
      masters: ['m1', 'm2', 'm3'],
      wire: (dial) => (address) => {
        const channel = dial(address);
        if (address === 'm2') channel.close('nobody here');
        return channel;
      },
    });
    master.give(assignment());
    await pass(1);
    master.manners.beats = 'store-away';
    master.manners.hello = 'store-away';
    await pass(100_000);
    expect(executor.stops.map(([, cause]) => cause)).toEqual(['lost-contact']);
  });
});

describe('a refusal', () => {
  it('for good ends the worker once all its attempts are gone', async () => {
    const { master, pass, executor, session } = await serving();
    const a = assignment({ onLostContact: 'keep' });
    master.give(a);
    await pass(1);
    executor.dies = false;
    master.say({ type: 'refused', reason: 'a newer process has its name', rejoin: false });
    await pass(1_000);
    expect(executor.stops).toEqual([[attemptText(a.attempt), 'lost-contact']]);
    expect(executor.closed).toBe(false);
    executor.finish(a, { state: 'lost' });
    expect(await session.ended).toBe('refused: a newer process has its name');
    expect(executor.closed).toBe(true);
    await pass(60_000);
    expect(master.dialled).toHaveLength(1);
  });

  it('says whether to come back may help', async () => {
    for (const rejoin of [false, true]) {
      const { master, pass, session } = await serving();
      master.say({ type: 'refused', reason: 'x', rejoin });
      await pass(1_000);
      expect(session.status().state).toBe(rejoin ? 'serving' : 'ended');
    }
  });

  it('of a worker that was given up lets it join again as a new one, after its attempts are gone', async () => {
    const { master, pass, executor, session } = await serving();
    const a = assignment({ onLostContact: 'keep' });
    master.give(a);
    await pass(1);
    executor.dies = false;
    master.epoch = 2;
    master.manners.unreachable = true;
    master.cut();
    await pass(35_000);
    master.manners.unreachable = false;
    master.manners.hello = undefined;
    await pass(5_000);
    master.say({ type: 'refused', reason: 'given up', rejoin: true });
    master.manners.hello = 'welcome';
    const dials = master.dialled.length;
    await pass(1_000);
    expect(session.status().state).toBe('fenced');
    expect(master.dialled).toHaveLength(dials);
    executor.finish(a, { state: 'lost' });
    await pass(10_000);
    expect(master.said('hello').at(-1)?.resume).toBeUndefined();
    expect(session.status()).toMatchObject({ state: 'serving', epoch: 2 });
    expect(master.said('report')).toMatchObject([{ epoch: 1 }]);
    expect(master.said('take').at(-1)).toMatchObject({ epoch: 2, number: 1 });
  });

  it('that a welcome with another epoch implies kills what was given before', async () => {
    const { master, pass, executor } = await serving();
    const a = assignment();
    master.give(a);
    await pass(1);
    master.epoch = 5;
    master.cut();
    await pass(1_000);
    expect(executor.stops).toEqual([[attemptText(a.attempt), 'lost-contact']]);
    expect(master.said('report')).toMatchObject([{ epoch: 1 }]);
  });
});
