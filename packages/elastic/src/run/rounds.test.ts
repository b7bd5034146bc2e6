/** What surrounds the shards of a round: listeners, lanes, errors, retries, dataflow. */
import { VirtualClock } from '@orrery/core/timing';
import { describe, expect, it } from 'vitest';
import type { JobDefinition } from '../define.ts';
import { startElastic } from '../elastic.ts';
import { dataflowHandler } from '../handlers/dataflow.ts';
import { perServer, Stage, shardsIn } from '../testing/stage.ts';
import type { JobTrouble, SendTrouble } from './error-digest.ts';

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const ten = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

describe('listeners', () => {
  it('hear of every round on each instance, before and after its shards', async () => {
    const stage = new Stage(settle);
    const heard: string[] = [];
    const start = (name: string) =>
      stage.start(name, stage.job({ shards: 3 }), {
        takes: 100,
        options: {
          listeners: {
            before: ({ shards }) => void heard.push(`${name} before ${shards}`),
            after: ({ outcomes }) => void heard.push(`${name} after ${outcomes.map(({ ok }) => ok)}`),
          },
        },
      });
    await start('a');
    await start('b');
    await stage.pass(11_000);
    expect(heard.sort()).toEqual(['a after true,true', 'a before 0,2', 'b after true', 'b before 1']);
  });

  it('fail the round when they throw, and no other round', async () => {
    const stage = new Stage(settle);
    let isBad = true;
    const before = () => {
      if (isBad) throw new Error('no database');
    };
    await stage.start('a', stage.job({ shards: 2 }), { options: { listeners: { before } } });
    await stage.pass(10_000);
    expect(stage.errors).toEqual(['no database']);
    expect(stage.ran).toEqual([]);
    isBad = false;
    await stage.pass(10_000);
    expect(shardsIn(stage.ran)).toEqual([0, 1]);
  });

  it('are called once per cluster when all shards begin and when all have ended', async () => {
    const stage = new Stage(settle);
    const heard: (readonly [string, number])[] = [];
    const listeners = {
      beforeOnce: () => void heard.push(['before', stage.ran.length]),
      afterOnce: () => void heard.push(['after', stage.ran.filter(({ ended }) => ended).length]),
    };
    for (const [name, takes] of [
      ['a', 100],
      ['b', 900],
    ] as const)
      await stage.start(name, stage.job(), { takes, options: { listeners } });
    await stage.pass(12_000);
    expect(heard).toEqual([
      ['before', 0],
      ['after', 10],
    ]);
  });

  it('meet again when shards move while they wait for an instance that leaves', async () => {
    const stage = new Stage(settle);
    const heard: string[] = [];
    const listeners = {
      beforeOnce: () => void heard.push('before'),
      afterOnce: () => void heard.push('after'),
    };
    const job = stage.job({ cron: undefined });
    const a = await stage.start('a', job, { options: { listeners } });
    const b = await stage.start('b', job, { options: { listeners } });
    await stage.pass(2_000);
    await stage.passing(stage.operator().trigger('job', { instance: a.runner.instance }));
    await stage.pass(500);
    expect(stage.ran).toEqual([]);
    await stage.passing(b.runner.stop());
    await stage.pass(2_000);
    expect(perServer(stage.ran)).toEqual({ a: 10 });
    expect(heard).toEqual(['before', 'after']);
    expect(stage.errors).toEqual([]);
  });

  it('give up after their patience, and let the next round meet', async () => {
    const stage = new Stage(settle);
    const heard: string[] = [];
    const listeners = { beforeOnce: () => void heard.push('before'), patience: 2_000 };
    const job = stage.job({ cron: undefined, shards: 2 });
    const a = await stage.start('a', job, { options: { listeners } });
    await stage.start('b', job, { options: { listeners } });
    await stage.pass(2_000);
    const operator = stage.operator();
    await stage.passing(operator.trigger('job', { instance: a.runner.instance }));
    await stage.pass(3_000);
    expect(stage.errors).toEqual(['not all shards had started after 2000 ms']);
    await stage.passing(operator.trigger('job', {}));
    await stage.pass(1_000);
    expect(heard).toEqual(['before']);
    expect(shardsIn(stage.ran)).toEqual([0, 1]);
  });
});

describe('shards of a round', () => {
  it('run at most `parallel` at a time', async () => {
    const stage = new Stage(settle);
    await stage.start('a', stage.job(), { takes: 1_000, options: { parallel: 3 } });
    await stage.pass(15_000);
    const running = stage.ran.map(
      ({ at }) => stage.ran.filter((one) => one.at <= at && (one.ended ?? Infinity) > at).length,
    );
    expect(Math.max(...running)).toBe(3);
    expect(shardsIn(stage.ran)).toEqual(ten);
    expect(stage.ran.at(-1)?.ended).toBe(14_000);
  });

  it('are tried again, and are given up after their retries and time limits', async () => {
    const stage = new Stage(settle);
    const attempts: string[] = [];
    await stage.start('a', stage.job({ shards: 2 }), {
      handler: ({ shard, attempt, signal }) => {
        attempts.push(`${shard} ${attempt}`);
        if (shard === 0 && attempt < 3) throw new Error('not yet');
        if (shard === 0) return;
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
      options: { limits: { retries: 2, retryDelay: 100, timeout: 500, grace: 100 } },
    });
    await stage.pass(13_000);
    expect(attempts.sort()).toEqual(['0 1', '0 2', '0 3', '1 1', '1 2', '1 3']);
    expect(stage.errors).toEqual(['time limit of 500 ms']);
  });

  it('are divided by a strategy of the user, which must give each shard to one instance', async () => {
    const stage = new Stage(settle);
    const job = stage.job({ shards: 4, strategy: 'mine' });
    let part = [0, 1, 2];
    const strategies = {
      mine: ({ servers }: { servers: readonly string[] }) =>
        new Map([
          [servers[0], part],
          [servers.at(-1) ?? '', [3]],
        ]),
    };
    await stage.start('a', job, { strategies });
    await stage.start('b', job, { strategies });
    await stage.pass(10_000);
    expect(perServer(stage.ran)).toEqual({ a: 3, b: 1 });
    part = [0, 1, 3];
    await stage.start('c', job, { strategies });
    await stage.pass(10_000);
    expect(stage.ran).toHaveLength(4);
    expect(stage.errors.join()).toContain('item 3, which is unknown or already given');
  });
});

describe('a dataflow job', () => {
  const work = (streaming: boolean, batches: number[][]) => {
    const done: number[] = [];
    const handler = dataflowHandler({
      streaming,
      fetch: () => batches.shift() ?? [],
      process: (_, items) => void done.push(...items),
    });
    return { done, handler };
  };

  it('fetches once per round, or until nothing is left when it streams', async () => {
    const stage = new Stage(settle);
    const once = work(false, [[1, 2], [3], [4]]);
    await stage.start('a', stage.job({ shards: 1 }), { handler: once.handler });
    await stage.pass(10_000);
    expect(once.done).toEqual([1, 2]);
    const stream = work(true, [[1, 2], [3], [4]]);
    const other = new Stage(settle);
    await other.start('a', other.job({ shards: 1 }), { handler: stream.handler });
    await other.pass(10_000);
    expect(stream.done).toEqual([1, 2, 3, 4]);
  });

  it('that always finds more ends when an instance joins, so that shards can move', async () => {
    const stage = new Stage(settle);
    const job = stage.job({ shards: 2, cron: '0 0/1 * * * ?' });
    const handler = dataflowHandler({
      streaming: true,
      fetch: () => new Promise<number[]>((resolve) => stage.clock.setTimer(500, () => resolve([1]))),
      process: () => {},
    });
    await stage.start('a', job, { handler });
    await stage.pass(65_000);
    expect(perServer(stage.ran)).toEqual({ a: 2 });
    await stage.start('b', job, { handler });
    await stage.pass(60_000);
    expect(perServer(stage.since(2))).toEqual({ a: 1, b: 1 });
  });

  it('stops with its signal', async () => {
    const stage = new Stage(settle);
    let fetched = 0;
    const handler = dataflowHandler({
      streaming: true,
      fetch: () => {
        fetched++;
        return new Promise<number[]>((resolve) => stage.clock.setTimer(100, () => resolve([1])));
      },
      process: () => {},
    });
    const a = await stage.start('a', stage.job({ shards: 1 }), { handler });
    await stage.pass(11_000);
    await stage.passing(a.runner.stop(500));
    const before = fetched;
    await stage.pass(5_000);
    expect(fetched).toBe(before);
  });
});

describe('a failed shard', () => {
  let stages = 0;

  /** Runs shards that fail; what was logged and thrown. */
  async function fail(
    onError: JobDefinition['onError'],
    send: SendTrouble = async () => ({ sent: true }),
    how: {
      readonly shards?: number;
      readonly rounds?: number;
      readonly onRound?: JobDefinition['onRound'];
    } = {},
  ): Promise<{ logged: string[]; thrown: string[] }> {
    const { shards = 1, rounds = 1, onRound } = how;
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const logged: string[] = [];
    const thrown: string[] = [];
    let ids = 0;
    const host = {
      clock,
      id: () => `${++ids}`,
      server: 'a',
      pid: 1,
      zone: 'UTC',
      log: (level: string, text: string) => void logged.push(`${level} ${text}`),
      runCommand: async () => 0,
      fetch: async () => new Response(''),
      raise: (error: Error) => void thrown.push(error.message),
      openChannel: async () => send,
    };
    const where = { namespace: 'ns', url: `memory:failed-${++stages}`, options: { clock } };
    const jobs = await startElastic(where, host);
    const run = () => {
      throw new Error('broken');
    };
    await jobs.schedule({ name: 'job', cron: '0/10 * * * * ?', shards, onError, onRound, run });
    await clock.advanceAsync(rounds * 10_000 + 1_000, settle);
    await settle();
    const stopped = jobs.stop();
    await clock.advanceAsync(1_000, settle);
    await stopped;
    return { logged, thrown };
  }

  it('is logged, ignored, thrown or handed to a function', async () => {
    expect(await fail(undefined)).toEqual({ logged: ['error job job shard 0: broken'], thrown: [] });
    expect(await fail('log')).toEqual({ logged: ['error job job shard 0: broken'], thrown: [] });
    expect(await fail('ignore')).toEqual({ logged: [], thrown: [] });
    expect(await fail('throw')).toEqual({ logged: [], thrown: ['job job shard 0: broken'] });
    const told: unknown[] = [];
    const own = await fail((error, job, outcome) => void told.push([error, job, outcome?.shard]));
    expect(own).toEqual({ logged: [], thrown: [] });
    expect(told).toEqual([['broken', 'job', 0]]);
    const both = await fail(['log', 'throw']);
    expect(both).toEqual({ logged: ['error job job shard 0: broken'], thrown: ['job job shard 0: broken'] });
    await expect(fail('mail' as never)).rejects.toThrow('"mail" is not accepted; use log, throw, ignore');
  });

  it('costs no other round when the function that is told of it fails', async () => {
    let told = 0;
    const throws = () => {
      told++;
      throw new Error('no pager');
    };
    const rejects = async () => Promise.reject(new Error('no network'));
    const { logged } = await fail([throws, rejects, 'log'], undefined, { rounds: 2, onRound: throws });
    // The shard and its round, twice.
    expect(told).toBe(4);
    expect([...new Set(logged)].sort()).toEqual([
      'error job job shard 0: broken',
      'error onError of job job failed: no network',
      'error onError of job job failed: no pager',
      'error onRound of job job failed: no pager',
    ]);
  });

  describe('that people are told of by a channel', () => {
    const channel = { channel: 'mail', settings: {} };

    it('is one message for all of a round, with the first errors and their number', async () => {
      const sent: JobTrouble[] = [];
      const send: SendTrouble = async (trouble) => {
        sent.push(trouble);
        return { sent: true };
      };
      await fail(channel, send, { shards: 1_000 });
      expect(sent).toMatchObject([{ namespace: 'ns', job: 'job', server: 'a', count: 1_000 }]);
      expect(sent[0].errors).toEqual([0, 1, 2, 3, 4].map((shard) => `shard ${shard}: broken`));
    });

    it('is followed by the next message after a minute, or when the job stops', async () => {
      const counts: number[] = [];
      const send: SendTrouble = async ({ count }) => {
        counts.push(count);
        return { sent: true };
      };
      await fail(channel, send, { rounds: 12 });
      // At 11, 71 and 121 s; the last one is sent by the stop.
      expect(counts).toEqual([1, 6, 5]);
    });

    it('is tried three times with one id, and then named in the log; not again where it was refused', async () => {
      const ids: string[] = [];
      const away: SendTrouble = async ({ id }) => {
        ids.push(id);
        throw new Error('mail server is away');
      };
      const lost = await fail(channel, away, { rounds: 5 });
      // The stop tries once to tell of the other rounds.
      expect(ids.map((id) => ids.indexOf(id))).toEqual([0, 0, 0, 3]);
      expect(lost.logged).toEqual([
        'error job job: the message about an error was not delivered: mail server is away',
        'error job job: the message about 4 errors was not delivered: mail server is away',
      ]);
      const refused = await fail(channel, async () => ({
        sent: false,
        again: false,
        why: '550 nobody here',
      }));
      expect(refused.logged).toEqual([
        'error job job: the message about an error was not delivered: 550 nobody here',
      ]);
    });
  });
});
