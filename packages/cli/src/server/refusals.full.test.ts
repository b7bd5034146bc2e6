/**
 * What does not belong into a cluster, as real processes: each is refused or handled with one clear line, and the masters
 * that were there go on firing.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Answer } from '@orrery/contract';
import { openRegistry } from '@orrery/registry';
import { startPostgres, testDatabase } from '@orrery/testkit/databases';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { machineClock } from '../node/machine-clock.ts';
import { answered, NodeProcess, TestCluster } from './node-process.ts';

const long = { timeout: 300_000 };
const flow =
  'name: often\nschedules: [{ name: s, every: 1s, misfire: fire-all }]\ntasks: [{ name: x, type: noop }]';

let database: Awaited<ReturnType<typeof testDatabase>>;
let cluster: TestCluster;
let m1: NodeProcess;
let m2: NodeProcess;

beforeAll(async () => {
  database = await testDatabase();
  cluster = new TestCluster(database.url, '--join-token', 'hush');
  m1 = await cluster.master('m1');
  m2 = await cluster.master('m2');
  await cluster.api();
  await cluster.publish(flow);
  await shows(({ plan }) => plan?.masters.join() === 'm1,m2');
}, 300_000);
afterAll(async () => {
  await m2.end('SIGKILL');
  await cluster.stop();
  await database.drop();
});

async function shows(
  wanted: (shown: Answer<'showCluster'>) => boolean,
  of = cluster,
): Promise<Answer<'showCluster'>> {
  for (;;) {
    const shown = (await answered(() => of.call('/cluster'))) as Answer<'showCluster'>;
    if (wanted(shown)) return shown;
    await sleep(100);
  }
}

/** Due times of all ticks, oldest first. */
async function ticks(of = cluster): Promise<number[]> {
  const page = await answered(async () => {
    const { schedules } = (await of.call('/schedules')) as { schedules: { id: number }[] };
    return of.call(`/schedules/${schedules[0].id}/ticks?limit=1000`);
  });
  return (page as { ticks: { due: string }[] }).ticks.map(({ due }) => Date.parse(due)).toReversed();
}

/** Ticks that are due from now on fire, and none was lost or doubled on the way. */
async function goesOn(of = cluster): Promise<void> {
  const now = Date.now();
  while (((await ticks(of)).at(-1) ?? 0) <= now) await sleep(200);
  const dues = await ticks(of);
  expect(dues).toEqual(dues.map((_, k) => dues[0] + 1_000 * k));
}

async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  return (await client.query(statement).finally(() => client.end())).rows;
}

/** The lines of a process that say something like this. */
const linesOf = ({ printed }: NodeProcess, what: RegExp) =>
  printed.split('\n').filter((line) => what.test(line));

describe('the others go on while', () => {
  it('a worker comes with the wrong token', long, async () => {
    const args = ['--role', 'worker', '--name', 'w1', '--join', `127.0.0.1:${await cluster.portOf('m1')}`];
    const other = new TestCluster(database.url, '--join-token', 'guess');
    try {
      const stranger = other.launch(...args);
      await stranger.says(/the join token is missing or wrong/);
      expect(stranger.printed).not.toContain('orrery is ready');
      expect(((await cluster.call('/nodes')) as { workers: unknown[] }).workers).toEqual([]);
      await goesOn();
    } finally {
      await other.stop();
    }
  });

  it('a master of another database comes with the name of this cluster', long, async () => {
    const foreign = await testDatabase();
    const other = new TestCluster(foreign.url, '--join-token', 'hush');
    try {
      const listen = `127.0.0.1:${await other.portOf('m1')}`;
      const place = ['--database', foreign.url, '--listen', listen, '--registry', database.url];
      const stranger = other.launch('--role', 'master', '--name', 'm1', ...place);
      expect(await stranger.ended()).not.toBe(0);
      expect(linesOf(stranger, /has a cluster "main" of another database; .* with --cluster/)).toHaveLength(
        1,
      );
      await goesOn();
      expect(await shows(({ plan }) => plan !== null)).toMatchObject({ plan: { masters: ['m1', 'm2'] } });
    } finally {
      await other.stop();
      await foreign.drop();
    }
  });

  it('a master comes with another cluster name', long, async () => {
    const stray = await cluster.master('m3', '--cluster', 'mian');
    const { problems } = await shows((shown) => shown.problems.length > 0);
    expect(problems.join()).toMatch(/registr/);
    await goesOn();
    expect(await stray.end('SIGTERM')).toBe(0);
    await shows((shown) => shown.problems.length === 0);
  });

  it('a second process has the name of a master: the later one stays', long, async () => {
    const listen = `127.0.0.1:${await cluster.portOf('m2-again')}`;
    const place = ['--database', database.url, '--listen', listen];
    const beside = new NodeProcess([
      ...['--role', 'master', '--name', 'm2', ...place],
      ...['--data', join(cluster.folder, 'beside'), '--join-token', 'hush'],
    ]);
    const later = await beside.whenReady();
    expect(await m2.ended()).toBe(1);
    expect(linesOf(m2, /^stopping: .*m2/)).toHaveLength(1);
    m2 = later;
    await shows(({ plan, problems }) => plan?.masters.join() === 'm1,m2' && problems.length === 0);
    expect(later.hasEnded).toBe(false);
    await goesOn();
  });

  it('the clock of a master is five minutes off', long, async () => {
    const preload = pathToFileURL(join(import.meta.dirname, '../../../../e2e/cluster/stepped-clock.ts')).href;
    const file = join(cluster.folder, 'clock');
    writeFileSync(file, '300000');
    cluster.environment = { NODE_OPTIONS: `--import=${preload}`, ORRERY_TEST_CLOCK: file };
    const wrong = await cluster.master('m4');
    cluster.environment = {};
    wrong.notify('SIGUSR2');
    const need = async () => {
      const { needs } = (await cluster.call('/overview')) as Answer<'showOverview'>;
      return needs.find(({ kind }) => kind === 'wrong-clock');
    };
    while (!(await need())) await sleep(200);
    expect((await need())?.text).toMatch(/^the clock of m4 is /);
    await goesOn();
    // None was fired before its time.
    expect((await ticks()).at(-1)).toBeLessThanOrEqual(Date.now());
    await wrong.end('SIGKILL');
    await shows(({ plan }) => plan?.masters.join() === 'm1,m2');
  });

  it('a process does not know the schema of the database', long, async () => {
    await ask(database.url, `INSERT INTO migration SELECT max(number) + 2, 'later' FROM migration`);
    const listen = `127.0.0.1:${await cluster.portOf('m5')}`;
    const place = ['--database', database.url, '--listen', listen];
    const old = cluster.launch('--role', 'master', '--name', 'm5', ...place);
    expect(await old.ended()).not.toBe(0);
    expect(linesOf(old, /this version of Orrery works with \d+ and \d+; use a newer one/)).toHaveLength(1);
    await goesOn();
    await ask(database.url, `DELETE FROM migration WHERE name = 'later'`);
  });

  it('entries of the registry have foreign values', long, async () => {
    const registry = await openRegistry(database.url, { name: 'somebody', clock: machineClock });
    const before = await shows(({ plan, problems }) => plan !== null && problems.length === 0);
    for (const path of ['live', 'shard', 'live/m2'])
      await registry.set(`/orrery/main/${path}`, 'what is this');
    await registry.create('/orrery/main/live/ghost', '');
    await registry.create('/orrery/main/election/nobody', '');
    await m1.says(/the value of \/orrery\/main\/live is no plan/);
    const after = await shows(
      ({ plan, problems }) => (plan?.number ?? 0) > (before.plan?.number ?? 0) && problems.length === 0,
    );
    expect(after.plan).toMatchObject({ masters: ['m1', 'm2'], reason: 'the last plan was overwritten' });
    const said = m1.printed + m2.printed;
    expect(said.match(/live\/ghost; delete it/g)).toHaveLength(1);
    await goesOn();
    await registry.delete('/orrery/main/live/ghost');
    await registry.close();
  });
});

it('a full database stops nobody for good: masters say so, and go on when there is room', long, async () => {
  const small = await smallDatabase();
  const other = new TestCluster(small.url, '--join-token', 'hush');
  try {
    const master = await other.master('m1');
    await other.api();
    await other.publish(flow);
    await goesOn(other);
    await small.fill();
    await master.says(/No space left on device/);
    expect(linesOf(master, /the store does not answer: .*No space left on device/).length).toBeLessThan(3);
    const last = (await ticks(other)).at(-1) ?? 0;
    await small.empty();
    while (((await ticks(other)).at(-1) ?? 0) <= last + 5_000) await sleep(200);
    await goesOn(other);
    expect(master.hasEnded).toBe(false);
  } finally {
    await other.stop();
    await small.drop();
  }
});

/** A database on a disk of a few megabytes, which can be filled. */
async function smallDatabase(): Promise<{
  readonly url: string;
  fill(): Promise<void>;
  empty(): Promise<void>;
  drop(): Promise<void>;
}> {
  const shared = await startPostgres();
  const [{ data_directory: data }] = await ask(shared, 'SHOW data_directory');
  const { uid, gid } = statSync(String(data));
  const disk = mkdtempSync(join(tmpdir(), 'orrery-small-disk-'));
  const options = `size=40m,mode=700,uid=${uid},gid=${gid}`;
  const { status, stderr } = spawnSync('/bin/mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk]);
  if (status !== 0) throw new Error(`a small disk cannot be mounted: ${stderr}`);
  const place = join(disk, 'space');
  mkdirSync(place);
  chownSync(place, uid, gid);
  const name = `small_${process.pid}`;
  await ask(shared, `CREATE TABLESPACE ${name} LOCATION '${place}'`);
  await ask(shared, `CREATE DATABASE ${name} TABLESPACE ${name}`);
  const url = new URL(shared);
  url.pathname = `/${name}`;
  const filler = join(disk, 'filler');
  return {
    url: url.href,
    fill: async () => {
      const block = Buffer.alloc(65_536);
      expect(() => {
        for (;;) appendFileSync(filler, block);
      }).toThrow('ENOSPC');
    },
    empty: async () => rmSync(filler),
    drop: async () => {
      await ask(shared, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await ask(shared, `DROP TABLESPACE IF EXISTS ${name}`);
      spawnSync('/bin/umount', ['-l', disk]);
      rmSync(disk, { recursive: true, force: true });
    },
  };
}
