import { randomUUID } from 'node:crypto';
import { realClock } from '@orrery/core/timing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { general, readTranscript, transcripts } from '../testing/transcript.ts';
import { ZooKeeperStage } from '../testing/zookeeper-stage.ts';

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

let stage: ZooKeeperStage;
const until: ZooKeeperStage['until'] = (isTrue) => stage.until(isTrue);
const written = new Set<string>();
const configs: string[] = [];
beforeEach(async () => {
  stage = await ZooKeeperStage.open({ clock, uuid: () => randomUUID() });
});
afterEach(async () => {
  await stage.close();
  for (const { kind, path, value } of stage.requests.flatMap(({ steps }) => steps)) {
    if (kind !== 'delete') written.add(kindOf(kind, path));
    if (path.endsWith('/config') && kind !== 'delete') configs.push(value);
  }
});

/** A write without what is of one run, one instance or one shard. */
function kindOf(kind: string, path: string): string {
  const place = general(path)
    .replace(/\d+\.\d+\.\d+\.\d+@-@[\w-]+/, '<instance>')
    .replace(/\d+\.\d+\.\d+\.\d+/, '<ip>')
    .replace(/\/\d+(?=\/|$)/, '/<i>');
  return `${kind} ${place}`;
}

const shardsIn = (ran: readonly { shard: number }[]) => ran.map(({ shard }) => shard).sort((a, b) => a - b);
function perServer(ran: readonly { instance: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { instance } of ran) {
    const server = instance.split('@-@')[0];
    counts[server] = (counts[server] ?? 0) + 1;
  }
  return counts;
}

describe('a job on ZooKeeper as ElasticJob keeps it', () => {
  it('runs every shard once, divided by descending ids, with tokens that grow', async () => {
    const job = stage.job();
    for (const server of [A, B, C]) await stage.start(server, job);
    await stage.divided([A, B, C]);
    const ran = await stage.round(10);
    expect(shardsIn(ran)).toEqual(ten);
    expect(perServer(ran)).toEqual({ [A]: 3, [B]: 3, [C]: 4 });
    expect((await stage.owners()).map((id) => id?.split('@-@')[0])).toEqual([C, C, C, B, B, B, A, A, A, C]);
    const next = await stage.round(10);
    for (const { shard, token } of next)
      expect(token).toBeGreaterThan(ran.find((one) => one.shard === shard)?.token ?? 0);
    expect(stage.errors).toEqual([]);
    const [id] = await stage.children('instances');
    expect(await stage.get(`instances/${id}`)).toBe(`jobInstanceId: ${id}\nserverIp: ${C}\n`);
    expect(await stage.get(`servers/${A}`)).toBe('ENABLED');
    expect(await stage.children('trigger')).toEqual([]);
  });

  it('gives shards to an instance that joins, and takes those of one that leaves', async () => {
    const job = stage.job();
    const a = await stage.start(A, job);
    await stage.divided([A]);
    expect(perServer(await stage.round(10))).toEqual({ [A]: 10 });
    await stage.start(B, job);
    await stage.divided([A, B]);
    expect(perServer(await stage.round(10))).toEqual({ [A]: 5, [B]: 5 });
    const leader = await stage.get('leader/election/instance');
    expect(leader).toBe(a.runner.instance);
    await a.runner.stop();
    await stage.divided([B]);
    expect(await stage.get('leader/election/instance')).toContain(B);
    expect(perServer(await stage.round(10))).toEqual({ [B]: 10 });
  });

  it('runs crashed shards elsewhere at once with failover, with greater tokens', async () => {
    const job = stage.job({ failover: true });
    const a = await stage.start(A, job);
    await stage.start(B, job);
    await stage.start(C, job);
    await stage.divided([A, B, C]);
    stage.hold();
    await stage.triggerAll();
    await until(() => stage.ran.length === 10);
    const lost = stage.ran.filter(({ instance }) => instance.startsWith(A));
    await a.expire(true);
    await until(() => stage.ran.length === 10 + lost.length);
    const taken = stage.ran.slice(10);
    expect(shardsIn(taken)).toEqual(shardsIn(lost));
    expect(new Set(taken.map(({ cause }) => cause))).toEqual(new Set(['failover']));
    for (const { shard, token } of taken)
      expect(token).toBeGreaterThan(lost.find((one) => one.shard === shard)?.token ?? 0);
    expect(Object.keys(perServer(taken)).sort()).toEqual([B, C]);
    stage.release();
    await stage.divided([B, C]);
    expect(await stage.children('leader/failover/items')).toEqual([]);
    for (const shard of ten)
      for (const name of ['failover', 'failovering', 'running'])
        expect(await stage.get(`sharding/${shard}/${name}`)).toBeUndefined();
    expect(shardsIn(await stage.round(10))).toEqual(ten);
  });

  it('waits for the next round without failover', async () => {
    const job = stage.job();
    const a = await stage.start(A, job);
    await stage.start(B, job);
    await stage.divided([A, B]);
    stage.hold();
    await stage.triggerAll();
    await until(() => stage.ran.length === 10);
    await a.expire(true);
    await until(async () => (await stage.children('instances')).length === 1);
    stage.release();
    await stage.divided([B]);
    expect(stage.ran).toHaveLength(10);
    expect(perServer(await stage.round(10))).toEqual({ [B]: 10 });
  });

  it('makes up once for ticks that came while a round ran, right after it', async () => {
    await stage.start(A, stage.job({ shards: 1, cron: '* * * * * ?' }));
    stage.hold();
    await until(async () => (await stage.get('sharding/0/misfire')) !== undefined);
    stage.release();
    await until(() => stage.ran.length >= 2);
    expect(stage.ran.slice(0, 2).map(({ cause }) => cause)).toEqual(['tick', 'misfire']);
    await until(async () => (await stage.get('sharding/0/misfire')) === undefined);
  });

  it('does not divide again while shards run', async () => {
    const job = stage.job();
    await stage.start(A, job);
    await stage.divided([A]);
    stage.hold();
    await stage.triggerAll();
    await until(() => stage.ran.length === 10);
    await stage.start(B, job);
    await until(async () => (await stage.get('leader/sharding/necessary')) === '');
    const b = (await stage.children('instances'))[0];
    await stage.set(`trigger/${b}`, '');
    await until(async () => (await stage.get(`trigger/${b}`)) === undefined);
    expect((await stage.owners()).every((owner) => owner?.startsWith(A))).toBe(true);
    stage.release();
    await stage.divided([A, B]);
    await until(() => stage.ran.length === 15);
    expect(perServer(stage.ran.slice(10))).toEqual({ [B]: 5 });
  });

  it('stops one shard alone for a running entry that somebody left behind', async () => {
    await stage.start(A, stage.job({ staticSharding: true }));
    await stage.divided([A]);
    await stage.set('sharding/3/running', '10.9.9.9@-@1');
    await stage.triggerAll();
    await until(() => stage.ran.length === 9);
    expect(shardsIn(stage.ran)).toEqual(ten.filter((shard) => shard !== 3));
    await stage.operator.delete(`${stage.root}/sharding/3/running`);
    expect(shardsIn(await stage.round(10))).toEqual(ten);
  });

  it('moves the shards and the lead of a disabled server, and leaves out disabled shards', async () => {
    const job = stage.job();
    await stage.start(A, job);
    await stage.start(B, job);
    await stage.divided([A, B]);
    await stage.set(`servers/${A}`, 'DISABLED');
    await stage.divided([B]);
    await until(async () => (await stage.get('leader/election/instance'))?.startsWith(B) ?? false);
    await stage.set('sharding/7/disabled', '');
    expect(shardsIn(await stage.round(9))).toEqual(ten.filter((shard) => shard !== 7));
    await stage.set(`servers/${A}`, 'ENABLED');
    await stage.divided([A, B]);
  });

  it('follows the stored configuration, and keeps the last one when it cannot be read', async () => {
    const a = await stage.start(A, stage.job({ shards: 4 }));
    await stage.divided([A], 4);
    const text = (await stage.get('config')) ?? '';
    await stage.set('config', text.replace('shardingTotalCount: 4', 'shardingTotalCount: 2'));
    await until(async () => (await stage.children('sharding')).length === 2);
    await stage.set('config', 'shardingTotalCount: [');
    await until(() => stage.logs.some((line) => line.includes('cannot be read')));
    expect(a.runner.job.shards).toBe(2);
    expect(shardsIn(await stage.round(2))).toEqual([0, 1]);
    await stage.set('config', text);
    await stage.divided([A], 4);
  });

  it('refuses a name that another job has, and a server that is no IPv4 address', async () => {
    await stage.start(A, stage.job());
    await stage.operator.setData(stage.root, Buffer.from('com.example.Other'));
    await expect(stage.start(B, stage.job())).rejects.toThrow('another job has this name');
    await expect(stage.start('host.example', stage.job())).rejects.toThrow('no IPv4 address');
  });

  it('aborts what runs when its session is lost, and goes on as a new instance', async () => {
    const a = await stage.start(A, stage.job());
    await stage.divided([A]);
    const before = a.runner.instance;
    stage.hold();
    await stage.triggerAll();
    await until(() => stage.ran.length === 10);
    await a.expire(false);
    await until(() => stage.ran.every(({ aborted }) => aborted()));
    stage.release();
    await until(() => a.runner.state.away === undefined && a.runner.instance !== before);
    await until(async () => (await stage.owners()).every((owner) => owner === a.runner.instance));
    await until(async () => (await stage.get('leader/sharding/necessary')) === undefined);
    expect(shardsIn(await stage.round(10))).toEqual(ten);
  });

  it('divides when its session is lost while a division is due', async () => {
    const a = await stage.start(A, stage.job());
    const before = a.runner.instance;
    await until(async () => (await stage.get('leader/sharding/necessary')) === '');
    await a.expire(false);
    await until(() => a.runner.instance !== before);
    await until(async () => (await stage.owners()).every((owner) => owner === a.runner.instance));
    expect(shardsIn(await stage.round(10))).toEqual(ten);
  });

  it('comes back when its entry as a server is removed by one that starts at the same time', async () => {
    await stage.start(A, stage.job());
    await stage.divided([A]);
    await stage.operator.delete(`${stage.root}/servers/${A}`);
    await until(async () => (await stage.get(`servers/${A}`)) === 'ENABLED');
    await stage.divided([A]);
    expect(shardsIn(await stage.round(10))).toEqual(ten);
  });

  it('ends its part when an operator removes its entry', async () => {
    const a = await stage.start(A, stage.job());
    await stage.divided([A]);
    await stage.operator.delete(`${stage.root}/instances/${a.runner.instance}`);
    await until(() => stage.logs.some((line) => line.includes('was ended on this instance')));
    await until(async () => (await stage.get('leader/election/instance')) === undefined);
  });

  it('leaves the entries of shards alone that were taken over while its handlers ended', async () => {
    const job = stage.job({ shards: 4, failover: true });
    const handler = () => new Promise<void>(() => {});
    const limits = { retries: 0, retryDelay: 100, timeout: undefined, grace: 1_500 };
    const a = await stage.start(A, job, { options: { handler, limits } });
    const b = await stage.start(B, job);
    await stage.divided([A, B], 4);
    stage.hold();
    const { instance } = a.runner;
    const own = [0, 1, 2, 3].map((shard) => `sharding/${shard}`);
    await stage.triggerAll();
    const runners = () => Promise.all(own.map((path) => stage.get(`${path}/running`)));
    await until(async () => (await runners()).filter((one) => one === instance).length === 2);
    await stage.operator.delete(`${stage.root}/instances/${instance}`);
    await until(async () => (await runners()).every((one) => one === b.runner.instance));
    await until(() => stage.errors.length === 2);
    await a.runner.stop();
    expect(await runners()).toEqual(own.map(() => b.runner.instance));
  });

  it('calls listeners once per cluster, and compares clocks', async () => {
    const calls: string[] = [];
    const listeners = {
      beforeOnce: () => void calls.push('before'),
      afterOnce: () => void calls.push('after'),
    };
    const job = stage.job({ shards: 4, maxTimeDiff: '60s' });
    for (const server of [A, B]) await stage.start(server, job, { options: { listeners } });
    await stage.divided([A, B], 4);
    await stage.round(4);
    await until(() => calls.length === 2);
    expect(calls).toEqual(['before', 'after']);
    await until(async () => (await stage.children('guarantee/completed')).length === 0);
    expect(stage.errors).toEqual([]);
  });

  it('is driven by operators with the entries of its own console', async () => {
    const operator = await stage.jobOperator();
    for (const server of [A, B]) await stage.start(server, stage.job({ shards: 4 }));
    await stage.divided([A, B], 4);
    expect(await operator.trigger('job', {})).toHaveLength(2);
    await until(() => stage.ran.length === 4);
    await stage.set('instances/10.9.9.9@-@77', 'jobInstanceId: 10.9.9.9@-@77\nserverIp: 10.9.9.9\n');
    await expect(operator.trigger('job', { parameter: 'p' })).rejects.toThrow('an instance of Java');
    await stage.operator.delete(`${stage.root}/instances/10.9.9.9@-@77`);
    const text = (await stage.get('config')) ?? '';
    await operator.configure('job', { shards: 6 });
    expect(await stage.get('config')).toBe(text.replace('shardingTotalCount: 4', 'shardingTotalCount: 6'));
    await operator.setEnabled('job', { kind: 'shard', shard: 1 }, false);
    expect(await stage.get('sharding/1/disabled')).toBe('');
    await operator.setEnabled('job', { kind: 'shard', shard: 1 }, true);
    expect(await stage.get('sharding/1/disabled')).toBeUndefined();
    await operator.setEnabled('job', { kind: 'job' }, false);
    expect([await stage.get(`servers/${A}`), await stage.get(`servers/${B}`)]).toEqual([
      'DISABLED',
      'DISABLED',
    ]);
    await operator.setEnabled('job', { kind: 'server', server: B }, true);
    await stage.divided([B], 6);
    await stage.set('config', 'shardingTotalCount: [');
    expect(await operator.list()).toMatchObject([{ name: 'job', status: 'broken' }]);
    await expect(operator.configure('job', { shards: 2 })).rejects.toThrow('cannot be read');
    await stage.set('config', text);
  });

  it('keeps its entries for those with the same credentials', async () => {
    const auth = [{ scheme: 'digest', auth: 'user:password' }];
    await stage.start(A, stage.job(), { client: { auth } });
    const { acl } = await stage.start(B, stage.job(), { client: { auth } }).then(async (b) => {
      const config = await b.client().getAcl(`${stage.root}/config`);
      expect((await b.client().getAcl(`${stage.root}/servers/${B}`)).acl).toEqual(config.acl);
      return config;
    });
    expect(acl.map(({ scheme, perms }) => [scheme, perms])).toEqual([['digest', 31]]);
    await expect(stage.operator.getData(`${stage.root}/config`)).rejects.toMatchObject({ code: 'NO_AUTH' });
    await stage.operator.addAuth(auth[0]);
  });
});

it('wrote nothing that no recorded instance of ElasticJob writes', () => {
  const recorded = transcripts().flatMap((name) => readTranscript(name).flatMap(({ steps }) => steps));
  const known = new Set(recorded.map(({ kind, path }) => kindOf(kind, path)));
  // Its console writes this one, which the recordings lack.
  known.add('persistent /<ns>/job/sharding/<i>/disabled');
  expect([...written].filter((write) => !known.has(write))).toEqual([]);
  expect(written.size).toBeGreaterThan(25);
  const keys = new Set(configs.flatMap((text) => [...text.matchAll(/^(\w+):/gm)].map(([, key]) => key)));
  expect([...keys].sort()).toEqual([
    'cron',
    'description',
    'disabled',
    'failover',
    'jobName',
    'jobParameter',
    'maxTimeDiffSeconds',
    'misfire',
    'monitorExecution',
    'overwrite',
    'reconcileIntervalMinutes',
    'shardingItemParameters',
    'shardingTotalCount',
    'staticSharding',
  ]);
});
