/** What a job does on every registry. The quick tier plays some cases, the full tier all of them. */
import { randomUUID } from 'node:crypto';
import { realClock } from '@orrery/core/timing';
import { isFull } from '@orrery/testkit/tier';
import { describe, expect, it } from 'vitest';
import { BoardStage, registryKinds, type StageRun } from '../testing/board-stage.ts';

const A = '10.0.0.1';
const B = '10.0.0.2';
const C = '10.0.0.3';
const ten = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

const clock = realClock({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (run, delay) => setTimeout(run, delay),
  clearTimeout: (handle) => clearTimeout(handle),
});

const shardsIn = (ran: readonly StageRun[]) => ran.map(({ shard }) => shard).sort((a, b) => a - b);
function perServer(ran: readonly StageRun[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { instance } of ran) {
    const server = instance.split('@-@')[0];
    counts[server] = (counts[server] ?? 0) + 1;
  }
  return counts;
}

/** Tokens of each shard grow from run to run, whatever happened between them. */
function expectGrowingTokens(ran: readonly StageRun[]): void {
  for (const [shard, runs] of Map.groupBy(ran, (one) => one.shard)) {
    const tokens = runs.map(({ token }) => token);
    expect(tokens, `tokens of shard ${shard}`).toEqual([...new Set(tokens)].sort((a, b) => a - b));
  }
}

describe.concurrent.each(registryKinds)('a job on %s', (kind) => {
  /** Plays a case on a stage of its own. */
  function play(name: string, scene: (stage: BoardStage) => Promise<void>, timeout?: number): void {
    const whole = async () => {
      const stage = await BoardStage.open(kind, { clock, uuid: () => randomUUID() });
      try {
        await scene(stage);
        expectGrowingTokens(stage.ran);
      } finally {
        await stage.close();
      }
    };
    it.concurrent(name, whole, timeout);
  }
  const playFully: typeof play = isFull ? play : () => {};

  play('runs every shard once in a round, divided over its instances', async (stage) => {
    for (const server of [A, B, C]) await stage.start(server, stage.job());
    await stage.divided([A, B, C]);
    const ran = await stage.round(10);
    expect(shardsIn(ran)).toEqual(ten);
    expect(Object.values(perServer(ran)).sort()).toEqual([3, 3, 4]);
    await stage.round(10);
    expect(stage.errors).toEqual([]);
    const { instanceList, status } = await stage.operator.show('job');
    expect(status).toBe('ok');
    expect(instanceList.filter(({ isLeader }) => isLeader)).toHaveLength(1);
  });

  play('runs crashed shards elsewhere at once with failover', async (stage) => {
    const job = stage.job({ failover: true });
    const a = await stage.start(A, job);
    for (const server of [B, C]) await stage.start(server, job);
    await stage.divided([A, B, C]);
    await stage.holdRound(10);
    const lost = stage.ran.filter(({ instance }) => instance.startsWith(A));
    await a.expire(true);
    await stage.until(() => stage.ran.length === 10 + lost.length);
    const taken = stage.ran.slice(10);
    expect(shardsIn(taken)).toEqual(shardsIn(lost));
    expect(new Set(taken.map(({ cause }) => cause))).toEqual(new Set(['failover']));
    stage.release();
    await stage.divided([B, C]);
    expect(shardsIn(await stage.round(10))).toEqual(ten);
  });

  play('leaves out what operators disable, and takes their settings', async (stage) => {
    const { operator } = stage;
    for (const server of [A, B]) await stage.start(server, stage.job());
    await stage.divided([A, B]);
    await operator.setEnabled('job', { kind: 'server', server: A }, false);
    await stage.divided([B]);
    await operator.setEnabled('job', { kind: 'shard', shard: 7 }, false);
    expect(shardsIn(await stage.round(9))).toEqual(ten.filter((shard) => shard !== 7));
    await operator.setEnabled('job', { kind: 'shard', shard: 7 }, true);
    await operator.setEnabled('job', { kind: 'server', server: A }, true);
    await operator.configure('job', { shards: 4, shardParameters: '3=last' });
    await stage.until(async () => {
      const { shardList, mark } = await operator.show('job');
      return !mark && shardList.every(({ owner }) => owner !== undefined);
    });
    const ran = await stage.round(4);
    expect(perServer(ran)).toEqual({ [A]: 2, [B]: 2 });
    await operator.setEnabled('job', { kind: 'job' }, false);
    await stage.until(async () => (await operator.show('job')).status === 'disabled');
    await expect(operator.setEnabled('job', { kind: 'shard', shard: 4 }, false)).rejects.toThrow('0 to 3');
    await expect(operator.configure('job', { name: 'other' })).rejects.toThrow('another job');
    await expect(operator.configure('job', { strategy: 'nosuch' })).rejects.toThrow('unknown strategy');
    await expect(operator.show('nosuch')).rejects.toThrow('there is no job');
  });

  playFully('gives shards to an instance that joins, and takes those of one that leaves', async (stage) => {
    const a = await stage.start(A, stage.job());
    expect(perServer(await stage.round(10))).toEqual({ [A]: 10 });
    await stage.start(B, stage.job());
    await stage.divided([A, B]);
    expect(perServer(await stage.round(10))).toEqual({ [A]: 5, [B]: 5 });
    await a.runner.stop();
    await stage.divided([B]);
    expect(perServer(await stage.round(10))).toEqual({ [B]: 10 });
    const [only] = (await stage.operator.show('job')).instanceList;
    expect(only).toMatchObject({ server: B, isLeader: true });
  });

  playFully('leaves crashed shards to the next round without failover', async (stage) => {
    const a = await stage.start(A, stage.job());
    await stage.start(B, stage.job());
    await stage.divided([A, B]);
    await stage.holdRound(10);
    await a.expire(true);
    await stage.until(async () => (await stage.operator.show('job')).instances === 1);
    stage.release();
    await stage.divided([B]);
    expect(stage.ran).toHaveLength(10);
    expect(perServer(await stage.round(10))).toEqual({ [B]: 10 });
  });

  playFully(
    'keeps shards where they are with static sharding, while instances come and go',
    async (stage) => {
      const job = stage.job({ staticSharding: true });
      await stage.start(A, job);
      await stage.divided([A]);
      const b = await stage.start(B, job);
      expect(perServer(await stage.round(10))).toEqual({ [A]: 10 });
      await b.runner.stop();
      expect(perServer(await stage.round(10))).toEqual({ [A]: 10 });
    },
  );

  playFully('makes up once for ticks that came while a round ran, right after it', async (stage) => {
    stage.hold();
    const { runner } = await stage.start(A, stage.job({ shards: 1, cron: '* * * * * ?' }));
    await stage.until(() => stage.ran.length === 1);
    // A process that is starved hears of ticks later than they are due.
    await stage.until(() => runner.statistics.read().missed >= 2);
    stage.release();
    await stage.until(() => stage.ran.length >= 4);
    expect(stage.ran.slice(0, 2).map(({ cause }) => cause)).toEqual(['tick', 'misfire']);
    const dues = stage.ran.map(({ due }) => due ?? 0);
    expect(dues[1] - dues[0]).toBeGreaterThanOrEqual(2_000);
    // Also a later round may be slow and miss a tick; none is run twice.
    expect(dues).toEqual([...new Set(dues)].sort((a, b) => a - b));
  });

  playFully('does not divide again while shards run', async (stage) => {
    await stage.start(A, stage.job());
    await stage.divided([A]);
    await stage.holdRound(10);
    await stage.start(B, stage.job());
    await stage.until(async () => (await stage.operator.show('job')).status === 'resharding');
    const { shardList } = await stage.operator.show('job');
    expect(shardList.every(({ owner }) => owner?.startsWith(A))).toBe(true);
    stage.release();
    await stage.divided([A, B]);
    expect(perServer(await stage.round(10))).toEqual({ [A]: 5, [B]: 5 });
  });

  playFully('aborts what runs when its session is lost, and goes on as a new instance', async (stage) => {
    const a = await stage.start(A, stage.job());
    await stage.divided([A]);
    const before = a.runner.instance;
    await stage.holdRound(10);
    await a.expire(false);
    await stage.until(() => stage.ran.every(({ aborted }) => aborted()));
    stage.release();
    await stage.until(() => a.runner.instance !== before && a.runner.state.away === undefined);
    await stage.until(async () => {
      const { shardList, mark } = await stage.operator.show('job');
      return !mark && shardList.every(({ owner }) => owner === a.runner.instance);
    });
    expect(shardsIn(await stage.round(10))).toEqual(ten);
  });

  playFully(
    'runs ten thousand shards',
    async (stage) => {
      const job = stage.job({ shards: 10_000, failover: true });
      for (const server of [A, B]) await stage.start(server, job);
      await stage.operator.trigger('job', {});
      await stage.until(() => stage.ran.length >= 10_000 && stage.ran.every(({ ended }) => ended));
      expect(new Set(shardsIn(stage.ran)).size).toBe(10_000);
      expect(stage.ran).toHaveLength(10_000);
      expect(stage.errors).toEqual([]);
    },
    300_000,
  );

  playFully('calls listeners once per cluster', async (stage) => {
    const calls: string[] = [];
    const listeners = {
      beforeOnce: () => void calls.push(`before ${stage.ran.length}`),
      afterOnce: () => void calls.push(`after ${stage.ran.length}`),
    };
    for (const server of [A, B])
      await stage.start(server, stage.job({ shards: 4 }), { options: { listeners } });
    await stage.divided([A, B]);
    await stage.round(4);
    await stage.until(() => calls.length === 2);
    await stage.round(4);
    await stage.until(() => calls.length === 4);
    expect(calls).toEqual(['before 0', 'after 4', 'before 4', 'after 8']);
    expect(stage.errors).toEqual([]);
  });

  playFully('divides by a strategy of the user', async (stage) => {
    const job = stage.job({ strategy: 'all-to-last' });
    const strategies = {
      'all-to-last': ({ items, servers }: { items: number; servers: readonly string[] }) => {
        const last = [...servers].sort().at(-1) ?? '';
        return new Map([[last, Array.from({ length: items }, (_, i) => i)]]);
      },
    };
    for (const server of [A, B, C]) await stage.start(server, job, { strategies });
    await stage.divided([C]);
    expect(perServer(await stage.round(10))).toEqual({ [C]: 10 });
  });

  playFully(
    'refuses another job of its name, an unknown strategy, and ends when an operator asks',
    async (stage) => {
      const a = await stage.start(A, stage.job());
      await expect(stage.start(B, stage.job(), { identity: 'other' })).rejects.toThrow(
        'another job has this name',
      );
      await expect(stage.start(B, stage.job({ name: 'second', strategy: 'nosuch' }))).rejects.toThrow(
        'unknown strategy "nosuch"',
      );
      await expect(stage.operator.remove('job')).rejects.toThrow('stop them first');
      expect(await stage.operator.shutDown('job', a.runner.instance)).toEqual([a.runner.instance]);
      await stage.until(async () => (await stage.operator.show('job')).status === 'idle');
      await expect(stage.operator.trigger('job', {})).rejects.toThrow('no instance of job job');
      await stage.operator.remove('job');
      await expect(stage.operator.show('job')).rejects.toThrow('there is no job');
    },
  );

  playFully('hands the parameter of a trigger to its handlers', async (stage) => {
    await stage.start(A, stage.job({ shards: 1 }));
    await stage.divided([A]);
    await stage.operator.trigger('job', { parameter: 'today' });
    await stage.until(() => stage.ran.length === 1);
    expect(stage.ran[0].triggerParameter).toBe('today');
  });
});
