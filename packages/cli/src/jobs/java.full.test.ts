/** One job on ZooKeeper, shared by instances of Java's ElasticJob and ours, driven by our operator. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JobOperator, type OpenOperator, openOperator } from '@orrery/elastic/board';
import { elasticJobInstance } from '@orrery/testkit/elasticjob-instance';
import { afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { startService } from '../../../../scripts/services/lifecycle.ts';
import { zookeeper } from '../../../../scripts/services/zookeeper.ts';
import { orrery } from '../run-binary.ts';
import { NodeProcess } from '../server/node-process.ts';
import { JobProcess } from './testing.ts';

const testkit = join(import.meta.dirname, '../../../testkit');
const services = join(import.meta.dirname, '../../../../.services');
const OURS = '10.1.1.1';
const processes: JobProcess[] = [];
let address = '';
let namespace = '';
let half: OpenOperator;
let operator: JobOperator;

let instance: readonly string[];

beforeAll(async () => {
  instance = await elasticJobInstance();
  address = `127.0.0.1:${(await startService(zookeeper, services, true)).port}`;
}, 240_000);
beforeEach(() => {
  namespace = `java-${randomUUID()}`;
  half = openOperator(`zookeeper://${address}`, namespace, { id: randomUUID, zone: 'UTC', options: {} });
  operator = half.operator;
});
afterEach(async () => {
  await Promise.all(processes.splice(0).map((one) => one.end('SIGKILL')));
  await half.close();
});

async function started(one: JobProcess): Promise<JobProcess> {
  processes.push(one);
  await one.until('started');
  return one;
}
function java(shards = 4, stored: 'keep' | 'overwrite' = 'keep'): Promise<JobProcess> {
  return started(new JobProcess([...instance, address, namespace, String(shards), stored]));
}
function ours(server = OURS, shards = 4): Promise<JobProcess> {
  const environment = {
    REGISTRY: `zookeeper://${address}`,
    NAMESPACE: namespace,
    SERVER: server,
    SHARDS: String(shards),
  };
  return started(new JobProcess(join(testkit, 'src/shared-job.ts'), environment));
}

const numbers = (one: JobProcess, field: string) => one.having(field).map((line) => Number(line[field]));
const until = (isTrue: () => Promise<boolean>) => expect.poll(isTrue, { timeout: 90_000 }).toBe(true);

/**
 * Resolves when the leader has seen what changed: it has marked the division, or made one over all instances. Before
 * that a round may run by the old division on one instance and by the new one on another, with Java alone as well.
 */
async function noticed(count: number, total = 4): Promise<void> {
  await until(async () => {
    const { instanceList, shardList, mark } = await operator.show('shared');
    if (instanceList.length !== count) return false;
    if (mark) return true;
    const nodes = await operator.dump('shared');
    const enabled = instanceList.filter(({ disabled }) => !disabled).map(({ id }) => id);
    const owners = new Set(shardList.map(({ owner }) => owner));
    return (
      !nodes.some(({ path }) => path.endsWith(`/shared/sharding/${total}`)) &&
      owners.size === enabled.length &&
      enabled.every((id) => owners.has(id))
    );
  });
}

/** A round of all instances by a trigger of the operator; which shards each process began, in its order. */
async function round(
  members: readonly JobProcess[],
  total = 4,
  trigger: () => Promise<unknown> = () => operator.trigger('shared', {}),
): Promise<number[][]> {
  const before = members.map((one) => one.having('began').length);
  const began = () => members.map((one, i) => numbers(one, 'began').slice(before[i]));
  await trigger();
  await until(async () => began().flat().length >= total);
  await until(async () => (await operator.show('shared')).running === 0);
  const shards = began();
  expect(shards.flat().sort()).toEqual(Array.from({ length: total }, (_, i) => i));
  return shards;
}
const sizes = (shards: readonly number[][]) => shards.map((own) => own.length);

it('is shared by Java and TypeScript', async () => {
  // Java starts and leads; ours joins and reads the configuration that Java wrote.
  const first = await java();
  const a = await ours();
  await noticed(2);
  expect(sizes(await round([first, a]))).toEqual([2, 2]);
  const shown = await operator.show('shared');
  const leaders = shown.instanceList.filter(({ isLeader }) => isLeader);
  expect(leaders).toHaveLength(1);
  expect(leaders[0].server).not.toBe(OURS);
  expect([...first.having('began'), ...a.having('began')].find(({ began }) => began === 0)).toMatchObject({
    parameter: 'zero',
    total: 4,
  });

  // Scale out over both kinds, and in.
  const b = await ours('10.1.1.2');
  const second = await java();
  await noticed(4);
  expect(sizes(await round([first, second, a, b]))).toEqual([1, 1, 1, 1]);
  b.tell('stop');
  await noticed(3);
  expect(sizes(await round([first, second, a])).sort()).toEqual([1, 1, 2]);
  second.tell('stop');
  await noticed(2);
  expect(sizes(await round([first, a]))).toEqual([2, 2]);

  // The operator writes settings that Java reads, and switches shards and servers of both.
  await operator.configure('shared', { shards: 6, shardParameters: '0=zero,5=five' });
  await noticed(2, 6);
  expect(sizes(await round([first, a], 6))).toEqual([3, 3]);
  expect([...first.having('parameter'), ...a.having('parameter')]).toContainEqual(
    expect.objectContaining({ began: 5, total: 6, parameter: 'five' }),
  );
  await operator.configure('shared', { shards: 4, shardParameters: '0=zero' });
  await noticed(2);
  await round([first, a]);
  const [own, others] = await round([first, a]);
  for (const shard of [own[0], others[0]])
    await operator.setEnabled('shared', { kind: 'shard', shard }, false);
  const before = [first, a].map((one) => one.having('began').length);
  await operator.trigger('shared', {});
  await until(async () => first.having('began').length > before[0] && a.having('began').length > before[1]);
  for (const shard of [own[0], others[0]])
    await operator.setEnabled('shared', { kind: 'shard', shard }, true);
  expect(
    [...numbers(first, 'began').slice(before[0]), ...numbers(a, 'began').slice(before[1])].sort(),
  ).toEqual([own[1], others[1]].sort());
  await operator.setEnabled('shared', { kind: 'server', server: leaders[0].server }, false);
  await noticed(2);
  expect(sizes(await round([first, a]))).toEqual([0, 4]);
  await operator.setEnabled('shared', { kind: 'server', server: leaders[0].server }, true);
  await operator.setEnabled('shared', { kind: 'server', server: OURS }, false);
  await noticed(2);
  expect(sizes(await round([first, a]))).toEqual([4, 0]);
  await operator.setEnabled('shared', { kind: 'server', server: OURS }, true);
  await noticed(2);
  expect(sizes(await round([first, a]))).toEqual([2, 2]);

  // Ours is killed at work: Java takes its shards over.
  const hold = async (one: JobProcess) => {
    one.tell('takes 600000');
    await one.until('takes', one.having('takes').length + 1);
  };
  await hold(a);
  const atStart = a.having('began').length;
  await operator.trigger('shared', {});
  await a.until('began', atStart + 2);
  const lost = numbers(a, 'began').slice(atStart);
  const taken = first.having('began').length;
  a.kill('SIGKILL');
  await until(async () => lost.every((shard) => numbers(first, 'began').slice(taken).includes(shard)));
  await until(async () => (await operator.show('shared')).running === 0);
  await noticed(1);
  expect(sizes(await round([first]))).toEqual([4]);

  // Java is killed at work: ours takes its shards over and leads.
  const c = await ours();
  await noticed(2);
  expect(sizes(await round([first, c]))).toEqual([2, 2]);
  await hold(first);
  const javaStart = first.having('began').length;
  const ourStart = c.having('began').length;
  await operator.trigger('shared', {});
  await first.until('began', javaStart + 2);
  await c.until('began', ourStart + 2);
  const left = numbers(first, 'began').slice(javaStart);
  first.kill('SIGKILL');
  await until(async () =>
    left.every((shard) =>
      numbers(c, 'began')
        .slice(ourStart + 2)
        .includes(shard),
    ),
  );
  expect(c.having('began').slice(ourStart + 2)).toEqual(
    left.map(() => expect.objectContaining({ cause: 'failover' })),
  );
  await until(async () => {
    const { instanceList, running } = await operator.show('shared');
    return running === 0 && instanceList.length === 1 && instanceList[0].isLeader;
  });
  const tokens = Map.groupBy(c.having('began'), ({ began }) => began);
  for (const runs of tokens.values()) {
    const own = runs.map(({ token }) => Number(token));
    expect(own).toEqual([...new Set(own)].sort((x, y) => x - y));
  }

  // Under our lead Java joins again and overwrites the configuration, which ours follows.
  const third = await java(5, 'overwrite');
  await noticed(2, 5);
  expect(sizes(await round([third, c], 5)).sort()).toEqual([2, 3]);
  expect((await operator.show('shared')).instanceList.find(({ isLeader }) => isLeader)?.server).toBe(OURS);
  expect(c.having('total').at(-1)).toMatchObject({ total: 5 });
  third.tell('stop');
  c.tell('stop');
  await until(async () => (await operator.show('shared')).instances === 0);
  await operator.remove('shared');
}, 290_000);

it('that ours began is joined by Java with our settings, and a server drives both', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-java-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const roles = ['--role', 'master,api', '--no-token', '--port', '0', '--listen', '127.0.0.1:0'];
  const place = ['--data', folder, '--jobs', `zookeeper://${address}/${namespace}`];
  const server = await NodeProcess.start(...roles, ...place);
  onTestFinished(async () => {
    await server.end('SIGKILL');
  });
  const url = /api at (\S+)/.exec(server.printed)?.[1] ?? '';
  const full = `${namespace}/shared`;
  const jobs = async (...args: string[]) => {
    const { code, out, err } = await orrery(['jobs', ...args, '--url', url]);
    if (code !== 0) throw new Error(err);
    return out;
  };

  // Java asks for five shards and takes our three.
  const a = await ours(OURS, 3);
  const b = await java(5);
  await noticed(2, 3);
  expect((await round([a, b], 3, () => jobs('trigger', full))).flat().sort()).toEqual([0, 1, 2]);
  expect(b.having('began').map(({ total }) => total)).toEqual(b.having('began').map(() => 3));
  const shown = await operator.show('shared');
  expect(shown.instanceList.find(({ isLeader }) => isLeader)?.server).toBe(OURS);
  expect(shown.instanceList.map(({ language }) => language).sort()).toEqual(['java', 'typescript']);
  const text = await jobs('show', full);
  for (const { id } of shown.instanceList) expect(text).toContain(id);

  // What people change there, both follow; what Java cannot be told is refused.
  await jobs('config', full, '--set', 'shards=6');
  await noticed(2, 6);
  expect(sizes(await round([a, b], 6, () => jobs('trigger', full)))).toEqual([3, 3]);
  await expect(jobs('trigger', full, '--parameter', 'today')).rejects.toThrow('Java');
  await jobs('disable', full);
  await until(async () => (await operator.show('shared')).instanceList.every(({ disabled }) => disabled));
  const before = [a, b].map((one) => one.having('began').length);
  // It is refused, or both are asked and run nothing.
  await jobs('trigger', full).catch(() => {});
  await until(async () => !(await operator.dump('shared')).some(({ path }) => path.includes('/trigger/')));
  await jobs('enable', full);
  await noticed(2, 6);
  expect([a, b].map((one) => one.having('began').length)).toEqual(before);
  expect(sizes(await round([a, b], 6, () => jobs('trigger', full)))).toEqual([3, 3]);
  await jobs('stop', full);
  await until(async () => (await operator.show('shared')).instances === 0);
  await jobs('delete', full);
}, 200_000);
