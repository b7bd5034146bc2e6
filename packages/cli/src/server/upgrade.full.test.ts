/**
 * A rolling upgrade from an earlier commit to this one: the database is migrated while the old processes work, then
 * each is replaced in turn under load. No run fails, and no tick is lost.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testDatabase } from '@orrery/testkit/databases';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { orrery } from '../run-binary.ts';
import { answered, type NodeProcess, TestCluster } from './node-process.ts';

/** The last commit of schema 2. */
const EARLIER = '942510b23d52c902d72db143b8652fd5bc1eac69';
const here = join(import.meta.dirname, '..', '..', '..', '..');
const PER_SECOND = 50;
/** Requests under way at most: on a slow machine they must not pile up before a server that is to end. */
const AT_ONCE = 10;

let database: Awaited<ReturnType<typeof testDatabase>>;
let cluster: TestCluster;
let earlier: string;

beforeEach(async () => {
  database = await testDatabase();
  cluster = new TestCluster(database.url, '--join-token', 'hush');
  earlier = checkOut(EARLIER);
});
afterEach(async () => {
  await cluster.stop();
  await database.drop();
  rmSync(earlier, { recursive: true, force: true, maxRetries: 5 });
});

/** The files of a commit with the dependencies of this working copy, but packages of its own. */
function checkOut(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-earlier-'));
  const archive = execFileSync('git', ['archive', commit, 'packages', 'package.json', 'tsconfig.json'], {
    cwd: here,
    maxBuffer: 1e9,
  });
  spawnSync('tar', ['-x', '-C', folder], { input: archive });
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@orrery'), { recursive: true });
  for (const name of readdirSync(join(here, 'node_modules')))
    if (name !== '@orrery') symlinkSync(join(here, 'node_modules', name), join(modules, name));
  for (const name of readdirSync(join(folder, 'packages')))
    symlinkSync(join(folder, 'packages', name), join(modules, '@orrery', name));
  return folder;
}

/** Starts runs, so many a second, until it is stopped; their ids. */
class Load {
  readonly runs: number[] = [];
  private stopped = false;
  private readonly open = new Set<Promise<void>>();
  private readonly over: Promise<void>;

  constructor() {
    this.over = this.go();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.over;
    await Promise.all(this.open);
  }

  private async go(): Promise<void> {
    const begin = performance.now();
    for (let k = 0; !this.stopped; k++) {
      const wait = begin + (k * 1_000) / PER_SECOND - performance.now();
      if (wait > 0) await sleep(wait);
      while (this.open.size >= AT_ONCE) await sleep(20);
      const started = answered(() => cluster.run('flow', `upgrade-${k}`))
        .then((run) => void this.runs.push(run))
        .finally(() => this.open.delete(started));
      this.open.add(started);
    }
  }
}

describe('a cluster of an earlier version', { timeout: 900_000 }, () => {
  it('is upgraded in turn, under load, without a failed run or a lost tick', async () => {
    const nodes = new Map<string, NodeProcess>();
    const start: Record<string, () => Promise<NodeProcess>> = {
      w1: () => cluster.worker('w1', 'm1', 'm2'),
      w2: () => cluster.worker('w2', 'm1', 'm2'),
      m1: () => cluster.master('m1'),
      m2: () => cluster.master('m2'),
      api: () => cluster.api(),
    };
    cluster.root = earlier;
    for (const name of ['m1', 'm2', 'w1', 'w2', 'api']) nodes.set(name, await start[name]());
    const tasks =
      'tasks: [{ name: a, type: noop }, { name: b, type: noop, needs: a }, { name: c, type: shell, needs: a, with: { script: "true" } }]';
    await cluster.publish(`name: flow\n${tasks}`);
    await cluster.publish(
      `name: ticker\nschedules: [{ name: often, every: 1s, misfire: { policy: fire-all, threshold: 10m } }]\n${tasks}`,
    );
    const load = new Load();
    while (load.runs.length < 2 * PER_SECOND) await sleep(100);

    const { code, out } = await orrery(['db', 'migrate', '--database', database.url]);
    expect([code, out]).toEqual([0, expect.stringContaining('3')]);
    while (load.runs.length < 4 * PER_SECOND) await sleep(100);
    cluster.root = here;
    for (const [name, node] of nodes) {
      await node.end('SIGTERM');
      nodes.set(name, await start[name]());
      const until = load.runs.length + PER_SECOND;
      while (load.runs.length < until) await sleep(100);
    }
    await load.stop();

    const { schedules } = (await cluster.call('/schedules')) as { schedules: { id: number }[] };
    await cluster.call(`/schedules/${schedules[0].id}/pause`, { method: 'POST' });
    const { ticks } = (await cluster.call(`/schedules/${schedules[0].id}/ticks?limit=500`)) as {
      ticks: { due: string; run?: number | null }[];
    };
    const due = ticks.map((tick) => Date.parse(tick.due)).sort((a, b) => a - b);
    expect(due).toEqual(due.map((_, k) => due[0] + 1_000 * k));
    const fired = ticks.flatMap(({ run }) => run ?? []);
    expect(fired).toHaveLength(due.length);
    expect(new Set(load.runs).size).toBe(load.runs.length);
    const states: Record<string, number> = {};
    for (const run of [...load.runs, ...fired]) {
      const state = await cluster.endOf(run);
      states[state] = (states[state] ?? 0) + 1;
    }
    expect(states).toEqual({ success: load.runs.length + fired.length });
    console.log(`upgraded under load: ${load.runs.length} runs, ${fired.length} ticks`);
  });
});
