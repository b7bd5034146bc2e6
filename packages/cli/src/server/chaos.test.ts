/**
 * Two masters and two workers as real processes on PostgreSQL, while processes are killed and frozen, links to the
 * database are cut, nodes are drained, and people pause, resume, stop, recover and kill. Then everything heals, and
 * nothing may be lost, doubled, stuck or left behind.
 */
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { testDatabase } from '@orrery/testkit/databases';
import { Random } from '@orrery/testkit/random';
import { TcpProxy } from '@orrery/testkit/tcp-proxy';
import { isFull } from '@orrery/testkit/tier';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type NodeProcess, TestCluster } from './node-process.ts';

const SECONDS = isFull ? 120 : 12;
const SEED = Number(process.env.ORRERY_TEST_SEED ?? 1);

interface Attempt {
  readonly number: number;
  readonly state: string;
  readonly late: boolean;
}

let database: Awaited<ReturnType<typeof testDatabase>>;
let cluster: TestCluster;
let chaos: Chaos;

beforeEach(async () => {
  database = await testDatabase();
  cluster = new TestCluster(database.url, '--join-token', 'hush');
});
afterEach(async () => {
  await cluster.stop();
  await chaos?.close();
  await database.drop();
});

/** The cluster, and what may happen to it. */
class Chaos {
  readonly runs: number[] = [];
  readonly done: Record<string, number> = {};
  private readonly random = new Random(SEED);
  private readonly nodes = new Map<string, NodeProcess>();
  private readonly links = new Map<string, TcpProxy>();
  /** Nodes that are away for a moment: nothing else happens to them. */
  private readonly away = new Set<string>();
  private readonly pending = new Set<Promise<void>>();

  async start(): Promise<void> {
    for (const name of ['m1', 'm2', 'w1', 'w2']) await this.startNode(name);
    await cluster.api();
    // Each attempt leaves a mark, and one that begins while an earlier one of its task still runs says so.
    const marks = cluster.folder;
    const script = [
      `me=${marks}/mark.$ORRERY_TASK_RUN`,
      'for pid in $(cat $me.* 2>/dev/null); do kill -0 $pid 2>/dev/null && touch $me-overlap; done',
      'echo $$ > $me.$ORRERY_ATTEMPT',
      'sleep 0.$ORRERY_RUN',
    ].join('; ');
    const task = (name: string, needs: string) =>
      `  - { name: ${name}, type: shell, needs: [${needs}], retries: 2, with: { script: '${script}' } }`;
    const tasks = ['tasks:', task('a', ''), task('b', 'a'), task('c', 'a'), task('d', 'b, c')].join('\n');
    await cluster.publish(`name: flow\n${tasks}`);
    await cluster.publish(
      `name: ticker\nschedules: [{ name: often, every: 1s, misfire: { policy: fire-all, threshold: 10m } }]\n${tasks}`,
    );
  }

  /** One thing that people or the world do. */
  async step(): Promise<void> {
    const acts: Record<string, () => Promise<void> | void> = {
      start: () => this.submit(),
      control: () => this.control(),
      drain: () => this.drain(),
      undrain: () => this.undrain(this.random.pick(['m1', 'm2', 'w1', 'w2'])),
      kill: () => this.kill(),
      freeze: () => this.freeze(),
      cut: () => this.cut(),
    };
    const chosen = this.random.pick([...Object.keys(acts), 'start', 'start', 'control', 'control']);
    this.done[chosen] = (this.done[chosen] ?? 0) + 1;
    await acts[chosen]();
  }

  /** Everything comes back, and what rests goes on. */
  async heal(): Promise<void> {
    await Promise.all(this.pending);
    for (const name of ['m1', 'm2', 'w1', 'w2']) await this.undrain(name);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.pending);
    for (const link of this.links.values()) await link.close();
  }

  private async startNode(name: string): Promise<void> {
    if (name.startsWith('w')) {
      this.nodes.set(name, await cluster.worker(name, 'm1', 'm2'));
      return;
    }
    const link = this.links.get(name) ?? (await TcpProxy.to(Number(new URL(database.url).port)));
    this.links.set(name, link);
    const url = new URL(database.url);
    url.port = link.address.split(':')[1];
    this.nodes.set(name, await cluster.master(name, '--lease', '3s', '--database', url.href));
  }

  private async submit(): Promise<void> {
    this.runs.push(await cluster.run('flow'));
  }

  private async control(): Promise<void> {
    const run = this.random.pick(this.runs.length > 0 ? this.runs : [await this.firstRun()]);
    const action = this.random.pick(['pause', 'resume', 'stop', 'recover', 'kill']);
    const body = action === 'kill' ? { task: this.random.pick(['a', 'b', 'c', 'd']) } : {};
    await this.ask(`/runs/${run}/${action}`, body);
  }

  private async firstRun(): Promise<number> {
    await this.submit();
    return this.runs[0];
  }

  private async drain(): Promise<void> {
    const timeout = this.random.pick([0, 2_000]);
    await this.ask(`/nodes/${this.random.pick(['m1', 'm2', 'w1', 'w2'])}/drain`, { timeout });
  }

  private undrain(node: string): Promise<void> {
    return this.ask(`/nodes/${node}/undrain`, {});
  }

  /** Asks for something that may be refused. */
  private async ask(path: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    await cluster.call(path, init).catch((error: Error) => {
      if (!/"status":(404|409)/.test(error.message)) throw error;
    });
  }

  /** Chooses a node that is there; not the last of its kind, so that work goes on. */
  private choose(): string | undefined {
    const kind = this.random.pick(['m', 'w']);
    const there = [...this.nodes.keys()].filter((name) => name.startsWith(kind) && !this.away.has(name));
    return there.length > 1 ? this.random.pick(there) : undefined;
  }

  private kill(): void {
    this.during(async (name) => {
      await this.nodes.get(name)?.end('SIGKILL');
      await sleep(500 + this.random.int(3_000));
      await this.startNode(name);
    });
  }

  private freeze(): void {
    this.during(async (name) => {
      const node = this.nodes.get(name);
      node?.freeze(true);
      await sleep(1_000 + this.random.int(9_000));
      node?.freeze(false);
      await this.restart(name);
    });
  }

  private cut(): void {
    this.during(async (name) => {
      const link = this.links.get(name);
      if (!link) return;
      if (this.random.chance(0.5)) link.cut();
      else {
        link.freeze();
        await sleep(1_000 + this.random.int(9_000));
        link.thaw();
      }
      await this.restart(name);
    });
  }

  /** A process that was taken for dead ends by itself; whatever watches over it starts it again. */
  private async restart(name: string): Promise<void> {
    const node = this.nodes.get(name);
    for (let k = 0; k < 30; k++) {
      if (node?.hasEnded) return this.startNode(name);
      await sleep(100);
    }
  }

  private during(act: (name: string) => Promise<void>): void {
    const name = this.choose();
    if (name === undefined) return;
    this.away.add(name);
    const over = act(name).finally(() => {
      this.away.delete(name);
      this.pending.delete(over);
    });
    this.pending.add(over);
    over.catch(() => {});
  }
}

const open = ['queued', 'waiting', 'running', 'pausing', 'stopping', 'failing'];

async function stateOf(run: number): Promise<string> {
  return ((await cluster.call(`/runs/${run}`)) as { state: string }).state;
}

/** Waits until a run has ended; one that rests is resumed. */
async function ended(run: number): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  for (;;) {
    const state = await stateOf(run);
    if (state === 'paused') {
      await cluster.call(`/runs/${run}/resume`, { method: 'POST', headers, body: '{}' }).catch(() => {});
    } else if (!open.includes(state)) return state;
    await sleep(100);
  }
}

describe('a cluster in trouble', { timeout: SECONDS * 1_000 + 400_000 }, () => {
  it('loses, doubles and forgets nothing', async () => {
    chaos = new Chaos();
    await chaos.start();
    const begin = performance.now();
    while (performance.now() - begin < SECONDS * 1_000) {
      await chaos.step();
      await sleep(150);
    }
    await chaos.heal();

    const { schedules } = (await cluster.call('/schedules')) as { schedules: { id: number }[] };
    await cluster.call(`/schedules/${schedules[0].id}/pause`, { method: 'POST' });
    const { ticks } = (await cluster.call(`/schedules/${schedules[0].id}/ticks?limit=500`)) as {
      ticks: { due: string; run?: number | null }[];
    };
    const due = ticks.map((tick) => Date.parse(tick.due)).sort((a, b) => a - b);
    // Every second once, from the first to the last.
    expect(due).toEqual(due.map((_, k) => due[0] + 1_000 * k));
    expect(due.length).toBeGreaterThanOrEqual(SECONDS - 2);
    const fired = ticks.flatMap(({ run }) => run ?? []);
    expect(fired).toHaveLength(due.length);

    const states: Record<string, number> = {};
    for (const run of [...chaos.runs, ...fired]) {
      const state = await ended(run);
      states[state] = (states[state] ?? 0) + 1;
      expect(['success', 'failed', 'stopped']).toContain(state);
      for (const task of ['a', 'b', 'c', 'd']) {
        const { attempts } = (await cluster.call(`/task-runs/${run}.${task}/attempts`)) as {
          attempts: Attempt[];
        };
        const good = attempts.filter((attempt) => attempt.state === 'success' && !attempt.late);
        if (state === 'success') expect([run, task, good.length]).toEqual([run, task, 1]);
        else expect(good.length).toBeLessThanOrEqual(1);
      }
    }
    // The ticks of this schedule were left alone by people: each of its runs ended well.
    for (const run of fired) expect([run, await stateOf(run)]).toEqual([run, 'success']);
    expect(readdirSync(cluster.folder).filter((name) => name.includes('overlap'))).toEqual([]);
    const { masters, workers } = (await cluster.call('/nodes')) as {
      masters: { id: string; runs: number }[];
      workers: { id: string; used: number }[];
    };
    expect(masters.reduce((sum, { runs }) => sum + runs, 0)).toBe(0);
    expect(workers.reduce((sum, { used }) => sum + used, 0)).toBe(0);
    console.log(`chaos of ${SECONDS} s, seed ${SEED}: ${JSON.stringify({ ...chaos.done, states })}`);
  });
});
