import { setImmediate as turn } from 'node:timers/promises';
import { VirtualClock } from '@orrery/core/timing';
import { type Assignment, attemptText, type Report } from '@orrery/wire/frames';
import { describe, expect, it } from 'vitest';
import { assignment, ScriptedMaster } from '../testing/scripted-master.ts';
import type { Executor, StopCause } from './executor.ts';
import { Session } from './session.ts';
import { forgetfulStore, type SpooledReport, type SpoolStore } from './spool.ts';
import { stoppedOutcome } from './stopped-outcome.ts';

/** Attempts that run until the test ends them; `dies` false keeps stopped ones alive, as a slow kill would. */
class FakeExecutor implements Executor {
  readonly running = new Map<string, { assignment: Assignment; end: (report: Report) => void }>();
  readonly started: string[] = [];
  readonly stops: [string, StopCause][] = [];
  readonly extensions: number[] = [];
  dies = true;
  closed = false;

  run(assignment: Assignment, ended: (report: Report) => void) {
    const key = attemptText(assignment.attempt);
    const end = (report: Report) => {
      this.running.delete(key);
      ended(report);
    };
    this.started.push(key);
    this.running.set(key, { assignment, end });
    return {
      stop: (cause: StopCause) => {
        this.stops.push([key, cause]);
        if (this.dies) this.finish(assignment, stoppedOutcome('w', cause));
      },
    };
  }

  finish({ attempt }: Assignment, outcome: Report['outcome'] = { state: 'success' }): void {
    this.running.get(attemptText(attempt))?.end({ attempt, outcome, startedAt: 0, endedAt: 0 });
  }

  extend(left: number): void {
    this.extensions.push(left);
  }

  load() {
    return { cpu: 0.5, memory: 0.25 };
  }

  close(): void {
    this.closed = true;
  }
}

const config = {
  name: 'w',
  address: 'w:1',
  groups: ['default'],
  slots: 2,
  masters: ['m1', 'm2'],
  connectTimeout: 5_000,
};

type Dial = ScriptedMaster['connect'];

function setUp(
  changes: { slots?: number; masters?: string[]; store?: SpoolStore; wire?: (dial: Dial) => Dial } = {},
) {
  const clock = new VirtualClock(1_000_000);
  const master = new ScriptedMaster();
  const executor = new FakeExecutor();
  const logged: string[] = [];
  const session = new Session(
    { ...config, ...changes },
    {
      clock,
      connect: changes.wire?.(master.connect) ?? master.connect,
      executor,
      spool: changes.store ?? forgetfulStore(),
      log: (level, text) => logged.push(`${level}: ${text}`),
      random: () => 1,
      soon: queueMicrotask,
    },
  );
  const pass = (ms: number) => clock.advanceAsync(ms, () => turn());
  return { clock, master, executor, session, logged, pass };
}

async function serving(changes: Parameters<typeof setUp>[0] = {}) {
  const world = setUp(changes);
  world.session.start();
  await world.pass(1);
  return world;
}

describe('joining and taking', () => {
  it('says who it is, then keeps one take open with all its room', async () => {
    const { master, session } = await serving();
    expect(master.frames).toEqual([
      {
        type: 'hello',
        worker: 'w',
        address: 'w:1',
        groups: ['default'],
        slots: 2,
        token: undefined,
        resume: undefined,
      },
      { type: 'beat', epoch: 1, beat: 1, take: 0, held: [], load: { cpu: 0.5, memory: 0.25, running: 0 } },
      { type: 'take', epoch: 1, number: 1, room: 2 },
    ]);
    expect(session.status()).toMatchObject({ state: 'serving', epoch: 1, master: 'm1', leaseHolds: true });
  });

  it('takes again for the room that is left, and not when there is none', async () => {
    const { master, pass, executor } = await serving();
    const [a, b] = [assignment(), assignment()];
    master.give(a);
    await pass(1);
    expect(master.said('take').at(-1)).toMatchObject({ number: 2, room: 1 });
    master.give(b);
    await pass(1);
    expect(master.said('take')).toHaveLength(2);
    executor.finish(a);
    await pass(1);
    expect(master.said('take').at(-1)).toMatchObject({ number: 3, room: 1 });
  });

  it('tells of much more room under the number of the open take', async () => {
    const { master, pass, executor } = await serving({ slots: 4 });
    const all = [assignment(), assignment(), assignment()];
    master.give(...all);
    await pass(1);
    expect(master.said('take').at(-1)).toMatchObject({ number: 2, room: 1 });
    for (const one of all) executor.finish(one);
    await pass(1);
    expect(master.said('take').at(-1)).toMatchObject({ number: 2, room: 4 });
  });

  it('tells what began, unless it ended in the same turn', async () => {
    const { master, pass, executor } = await serving();
    const [a, b] = [assignment(), assignment()];
    const { run } = executor;
    executor.run = (one, ended) => {
      const running = run.call(executor, one, ended);
      if (one.attempt === b.attempt) executor.finish(b);
      return running;
    };
    master.give(a, b);
    await pass(1);
    expect(master.said('begun')).toEqual([{ type: 'begun', epoch: 1, attempts: [a.attempt] }]);
    expect(master.reportOf(b.attempt)).toBeDefined();
  });

  it('never runs more than its slots at once, whatever a master gives', async () => {
    const { master, pass, executor } = await serving();
    const all = [assignment(), assignment(), assignment({ timeout: 50 }), assignment()];
    master.say({ type: 'give', take: 1, assignments: all });
    await pass(1);
    expect(executor.running.size).toBe(2);
    executor.finish(all[0]);
    await pass(1);
    expect(executor.running.has(attemptText(all[2].attempt))).toBe(true);
    await pass(60);
    expect(executor.stops).toEqual([[attemptText(all[2].attempt), 'timed-out']]);
  });

  it('runs an assignment once, however often it comes', async () => {
    const { master, pass, executor } = await serving();
    const a = assignment();
    const give = { type: 'give', take: 1, assignments: [a] } as const;
    master.say(give);
    master.say(give);
    master.say({ ...give, take: 2 });
    await pass(1);
    executor.finish(a);
    master.manners.acknowledges = false;
    master.say({ ...give, take: 3 });
    await pass(1);
    expect(executor.started).toEqual([attemptText(a.attempt)]);
  });
});

describe('reports', () => {
  it('of one turn are sent together, before the next take', async () => {
    const { master, pass, executor } = await serving();
    const [a, b] = [assignment(), assignment()];
    master.give(a, b);
    await pass(1);
    executor.finish(a);
    executor.finish(b, { state: 'failed', error: 'x' });
    await pass(1);
    const [report, take] = master.frames.slice(-2);
    expect(report).toMatchObject({ type: 'report', epoch: 1 });
    expect(report.type === 'report' && report.reports.map(({ outcome }) => outcome.state)).toEqual([
      'success',
      'failed',
    ]);
    expect(take.type).toBe('take');
  });

  it('are sent again on the next connection until acknowledged, and then no more', async () => {
    const { master, pass, executor, session } = await serving();
    const a = assignment();
    master.manners.acknowledges = false;
    master.give(a);
    await pass(1);
    executor.finish(a);
    await pass(1);
    master.cut();
    await pass(1_000);
    expect(master.reports).toHaveLength(2);
    master.say({ type: 'acknowledge', attempts: [a.attempt] });
    master.cut();
    await pass(1_000);
    expect(session.status().unacknowledged).toBe(0);
    expect(master.reports).toHaveLength(2);
  });

  it('that are not acknowledged are listed in beats, or their attempts would count as lost', async () => {
    const { master, pass, executor } = await serving();
    const a = assignment();
    master.manners.acknowledges = false;
    master.give(a);
    await pass(1);
    executor.finish(a);
    await pass(10_000);
    expect(master.said('beat').at(-1)).toMatchObject({ held: [a.attempt], load: { running: 0 } });
    master.say({ type: 'acknowledge', attempts: [a.attempt] });
    await pass(10_000);
    expect(master.said('beat').at(-1)).toMatchObject({ held: [] });
  });

  it('without an answer are sent again with a later beat', async () => {
    const { master, pass, executor } = await serving();
    const a = assignment();
    master.manners.acknowledges = false;
    master.give(a);
    await pass(1);
    executor.finish(a);
    await pass(1);
    expect(master.reports).toHaveLength(1);
    await pass(25_000);
    expect(master.reports.length).toBeGreaterThan(1);
  });

  it('of an earlier life are sent under their own epoch', async () => {
    const { attempt } = assignment();
    const left: SpooledReport = {
      epoch: 3,
      report: { attempt, outcome: { state: 'success' }, startedAt: 0, endedAt: 0 },
    };
    const store = { ...forgetfulStore(), load: () => [left] };
    const { master } = await serving({ store });
    expect(master.said('report')).toEqual([{ type: 'report', epoch: 3, reports: [left.report] }]);
  });

  it('wait while the connection asks to wait', async () => {
    let full = false;
    let drained = () => {};
    const narrow = (dial: Dial) => (address: string) => {
      const channel = dial(address);
      const send = channel.send.bind(channel);
      channel.send = (frame) => send(frame) && !full;
      channel.drained = () =>
        new Promise((resolve) => {
          drained = resolve;
        });
      return channel;
    };
    const { master, pass, executor } = await serving({ wire: narrow });
    const [a, b] = [assignment(), assignment()];
    master.give(a, b);
    await pass(1);
    full = true;
    executor.finish(a);
    await pass(1);
    executor.finish(b);
    await pass(1);
    expect(master.reports).toHaveLength(1);
    full = false;
    drained();
    await pass(1);
    expect(master.reports).toHaveLength(2);
  });
});

describe('kills and time limits', () => {
  it('end a running attempt, and it is reported with the cause', async () => {
    const { master, pass, executor } = await serving();
    const [a, b] = [assignment(), assignment({ timeout: 5_000 })];
    master.give(a, b);
    await pass(1);
    master.kill(a.attempt);
    await pass(5_000);
    expect(executor.stops.map(([, cause]) => cause)).toEqual(['killed', 'timed-out']);
    expect(master.reportOf(a.attempt)?.outcome.state).toBe('killed');
    expect(master.reportOf(b.attempt)?.outcome.state).toBe('timed-out');
  });

  it('of an attempt that waits for a slot end it without starting it', async () => {
    const { master, pass, executor } = await serving({ slots: 1 });
    const [a, b] = [assignment(), assignment()];
    master.say({ type: 'give', take: 1, assignments: [a, b] });
    await pass(1);
    master.kill(b.attempt);
    await pass(1);
    expect(master.reportOf(b.attempt)?.outcome.state).toBe('killed');
    expect(executor.started).toEqual([attemptText(a.attempt)]);
  });

  it('of an attempt that is not held change nothing', async () => {
    const { master, pass, executor } = await serving();
    master.kill(assignment().attempt);
    await pass(1);
    expect(executor.stops).toEqual([]);
  });

  it('do not stop a time limit from being forgotten when the attempt has ended', async () => {
    const { master, pass, executor } = await serving();
    const a = assignment({ timeout: 100 });
    master.give(a);
    await pass(1);
    executor.finish(a);
    await pass(1_000);
    expect(executor.stops).toEqual([]);
  });
});

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
    master.say({ type: 'refused', reason: 'a newer process has its name' });
    await pass(1_000);
    expect(executor.stops).toEqual([[attemptText(a.attempt), 'lost-contact']]);
    expect(executor.closed).toBe(false);
    executor.finish(a, { state: 'lost' });
    expect(await session.ended).toBe('refused: a newer process has its name');
    expect(executor.closed).toBe(true);
    await pass(60_000);
    expect(master.dialled).toHaveLength(1);
  });

  it('before its lease ran out means that another has its name, unless the master says otherwise', async () => {
    for (const rejoin of [undefined, false, true]) {
      const { master, pass, session } = await serving();
      master.say({ type: 'refused', reason: 'x', ...(rejoin === undefined ? {} : { rejoin }) });
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
    master.say({ type: 'refused', reason: 'given up' });
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

describe('stopping', () => {
  it('takes no more, lets attempts end, reports them and leaves', async () => {
    const { master, pass, executor, session } = await serving();
    const a = assignment();
    master.give(a);
    await pass(1);
    const stopped = session.stop(60_000);
    await pass(1);
    expect(master.said('take').at(-1)).toMatchObject({ number: 2, room: 0 });
    await pass(30_000);
    expect(executor.stops).toEqual([]);
    executor.finish(a);
    await pass(1);
    await stopped;
    expect(master.reportOf(a.attempt)?.outcome.state).toBe('success');
    expect(await session.ended).toBe('stopped');
    expect(session.status().state).toBe('ended');
  });

  it('kills after the grace what has not ended, as lost', async () => {
    const { master, pass, session } = await serving();
    const a = assignment();
    master.give(a);
    await pass(1);
    const stopped = session.stop(5_000);
    await pass(5_001);
    await stopped;
    expect(master.reportOf(a.attempt)?.outcome).toMatchObject({
      state: 'lost',
      error: 'its worker was stopped',
    });
  });

  it('does not wait for ever for reports to be acknowledged: they stay on disk', async () => {
    const { master, pass, executor, session } = await serving();
    const a = assignment();
    master.manners.acknowledges = false;
    master.give(a);
    await pass(1);
    executor.finish(a);
    const stopped = session.stop(0);
    await pass(5_001);
    await stopped;
    expect(session.status().unacknowledged).toBe(1);
  });

  it('runs what was given while the request to stop was under way', async () => {
    const { master, pass, executor, session } = await serving();
    const a = assignment();
    master.give(a);
    const stopped = session.stop(60_000);
    await pass(1);
    expect(executor.started).toEqual([attemptText(a.attempt)]);
    executor.finish(a);
    await pass(1);
    await stopped;
    expect(master.reportOf(a.attempt)?.outcome.state).toBe('success');
  });
});
