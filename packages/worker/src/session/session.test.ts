import { attemptText } from '@orrery/wire/frames';
import { describe, expect, it } from 'vitest';
import { assignment } from '../testing/scripted-master.ts';
import { type Dial, serving } from '../testing/session-world.ts';
import { forgetfulStore, type SpooledReport } from './spool.ts';

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
      {
        type: 'beat',
        epoch: 1,
        beat: 1,
        take: 0,
        held: [],
        load: { cpu: 0.5, memory: 0.25, running: 0, idle: 0 },
      },
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

  it('turns to another master when its own gives out no work, and asks each once in the time of a lease', async () => {
    const { master, pass } = await serving();
    master.masters = ['m1', 'm2'];
    const refuse = () => master.say({ type: 'nothing', take: 1, reason: 'it is paused' });
    refuse();
    await pass(1);
    expect(master.dialled).toEqual(['m1', 'm2']);
    expect(master.said('hello').at(-1)).toMatchObject({ resume: { epoch: 1 } });
    expect(master.said('take').at(-1)).toMatchObject({ number: 1, room: 2 });
    refuse();
    await pass(1);
    expect(master.at).toBe('m2');
    await pass(master.lease + 1);
    refuse();
    await pass(1);
    expect(master.at).toBe('m1');
    // An answer to an older take means nothing.
    master.say({ type: 'nothing', take: 0, reason: 'it is paused' });
    await pass(master.lease + 1);
    expect(master.at).toBe('m1');
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

  it('fails an assignment that cannot even be begun, and goes on with the others', async () => {
    const { master, pass, executor } = await serving();
    const [bad, good, next] = [assignment(), assignment(), assignment()];
    const { run } = executor;
    executor.run = (one, ended) => {
      if (one.attempt === bad.attempt) throw new TypeError('no such thing');
      return run.call(executor, one, ended);
    };
    master.give(bad, good);
    await pass(1);
    expect(master.reportOf(bad.attempt)).toMatchObject({
      outcome: { state: 'failed', error: 'it could not be begun: no such thing' },
    });
    master.give(next);
    await pass(1);
    expect([...executor.running.keys()]).toEqual([good, next].map(({ attempt }) => attemptText(attempt)));
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
    // Five seconds before the next beat.
    await pass(4_999);
    executor.finish(a);
    await pass(5_001);
    const load = { running: 0, idle: 4_999 };
    expect(master.said('beat').at(-1)).toMatchObject({ held: [a.attempt], load });
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

  it('says last of all that it leaves, so that nobody waits for its lease', async () => {
    const { master, pass, executor, session } = await serving();
    const a = assignment();
    master.give(a);
    await pass(1);
    const stopped = session.stop(60_000);
    await pass(1_000);
    expect(master.said('leave')).toEqual([]);
    executor.finish(a);
    await pass(1);
    await stopped;
    expect(master.frames.at(-1)).toEqual({ type: 'leave', epoch: 1 });
    await pass(60_000);
    expect(master.dialled).toHaveLength(1);
  });

  it('does not leave while reports are not acknowledged: they belong to this life', async () => {
    const { master, pass, executor, session } = await serving();
    const a = assignment();
    master.manners.acknowledges = false;
    master.give(a);
    await pass(1);
    executor.finish(a);
    const stopped = session.stop(0);
    await pass(5_001);
    await stopped;
    expect(master.said('leave')).toEqual([]);
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
