import { StoreClock } from '@orrery/cluster';
import { VirtualClock } from '@orrery/core/timing';
import type { Store } from '@orrery/store';
import { testDatabases } from '@orrery/testkit/databases';
import { submitTo } from '@orrery/testkit/engine';
import { InFlight } from '@orrery/testkit/in-flight';
import { Random } from '@orrery/testkit/random';
import { SimNode } from '@orrery/testkit/sim-node';
import { SimWorker } from '@orrery/testkit/sim-worker';
import { task, workflow } from '@orrery/testkit/workflows';
import type { MasterFrame, WorkerFrame } from '@orrery/wire/frames';
import { channelPair } from '@orrery/wire/in-process';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { Master } from './master.ts';
import { masterDefaults } from './ports.ts';

const START = 1_700_000_000_000;

/** Two masters and a worker at the first of them; the second starts when asked to. */
class Stage {
  readonly clock = new VirtualClock(START);
  readonly masters = new Map<string, Master>();
  readonly ran: string[] = [];
  readonly store: Store;
  private readonly inFlight = new InFlight();
  private readonly random = new Random(1);

  constructor(store: Store) {
    this.store = this.inFlight.watch(store);
  }

  async start(id: string): Promise<void> {
    const { clock, store } = this;
    let started: Master | undefined;
    void Master.start(
      { ...masterDefaults, id, address: id },
      { clock: StoreClock.unmeasured(clock), store, log: () => {} },
    ).then((master) => {
      started = master;
    });
    for (let k = 0; k < 100 && !started; k++) await this.pass(10);
    this.masters.set(id, started as Master);
  }

  /** A worker that stays with the first master that is up; its attempts take this long. */
  work(after: number): void {
    new SimWorker(
      new SimNode('w1', this.clock, this.random),
      this.clock,
      this.random,
      { began: () => {}, ended: () => {} },
      () => {
        const master = [...this.masters.values()].find(({ over }) => over === undefined);
        if (!master) return undefined;
        const [mine, its] = channelPair<WorkerFrame, MasterFrame>((act) => act());
        master.accept(its);
        return mine;
      },
      ({ taskName, attempt }) => {
        this.ran.push(`${taskName}.${attempt.number}`);
        return { after, state: 'success' };
      },
    );
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advanceAsync(ms, this.inFlight.settle);
  }

  async owner(run: number): Promise<string | null | undefined> {
    return (await this.store.readRun({ id: run }))?.run.owner;
  }

  async state(run: number): Promise<string | undefined> {
    return (await this.store.readRun({ id: run }))?.run.state;
  }

  drain(node: string, drain: boolean, timeout = 0) {
    const asked = { node, drain, timeout, silentAfter: 10_000, actor: 'ops', now: this.clock.now() };
    return this.store.drainNode(asked);
  }
}

describe.each(testDatabases())('a run on $name', (database) => {
  afterAll(() => database.close());
  let stage: Stage;
  afterEach(async () => {
    for (const master of stage.masters.values()) {
      const stopped = master.stop();
      await stage.pass(100);
      await stopped;
    }
  });

  const flow = workflow([task('a'), task('b', { needs: ['a'] })]);
  const busy = async (after: number) => {
    stage = new Stage(await database.open());
    await stage.start('m1');
    stage.work(after);
    const run = await submitTo(stage.store, flow, stage.clock.now());
    await stage.pass(3_000);
    expect(await stage.owner(run)).toBe('m1');
    expect(stage.ran).toEqual(['a.1']);
    return run;
  };

  it('is handed over while its attempt goes on, and its report finds the new owner', async () => {
    const run = await busy(10_000);
    await stage.start('m2');
    expect(await stage.drain('m1', true)).toMatchObject({ roles: ['master'], refused: undefined });
    await stage.pass(3_000);
    expect(await stage.owner(run)).toBe('m2');
    expect(await stage.state(run)).toBe('running');
    await stage.pass(20_000);
    expect(await stage.state(run)).toBe('success');
    expect(stage.ran).toEqual(['a.1', 'b.1']);
    const history = await stage.store.listHistory({ of: { kind: 'run', subject: String(run) }, limit: 9 });
    expect(history.map(({ action }) => action)).toContain('taken-over');
    expect(history.map(({ body }) => body).join()).toContain('m1 was drained');
    const about = await stage.store.listHistory({ of: { kind: 'node', subject: 'm1' }, limit: 9 });
    expect(about).toMatchObject([{ action: 'drain', actor: 'ops' }, { action: 'joined' }]);
  });

  it('may end where it is until the time of the drain is over', async () => {
    const run = await busy(8_000);
    await stage.start('m2');
    await stage.drain('m1', true, 60_000);
    await stage.pass(2_000);
    expect(await stage.owner(run)).toBe('m1');
    const next = await submitTo(stage.store, flow, stage.clock.now());
    await stage.pass(1_500);
    expect(await stage.owner(next)).toBe('m2');
    await stage.pass(20_000);
    expect(await stage.state(run)).toBe('success');
    const history = await stage.store.listHistory({ of: { kind: 'run', subject: String(run) }, limit: 9 });
    expect(history.map(({ action }) => action)).not.toContain('taken-over');
  });

  it('is taken again by a master that was undrained', async () => {
    const run = await busy(60_000);
    await stage.start('m2');
    await stage.drain('m1', true);
    await stage.pass(3_000);
    expect(await stage.owner(run)).toBe('m2');
    await stage.drain('m1', false);
    await stage.pass(3_000);
    await stage.drain('m2', true);
    await stage.pass(3_000);
    expect(await stage.owner(run)).toBe('m1');
    await stage.pass(130_000);
    expect(await stage.state(run)).toBe('success');
    expect(stage.ran).toEqual(['a.1', 'b.1']);
  });

  it('goes on elsewhere when its master leaves, with nothing done twice', async () => {
    const run = await busy(10_000);
    await stage.start('m2');
    const stopped = stage.masters.get('m1')?.stop();
    await stage.pass(1_000);
    await stopped;
    await stage.pass(2_000);
    expect(await stage.owner(run)).toBe('m2');
    await stage.pass(30_000);
    expect(await stage.state(run)).toBe('success');
    expect(stage.ran).toEqual(['a.1', 'b.1']);
  });

  it('stays when nobody else could take it: the drain is refused with the sum', async () => {
    const run = await busy(5_000);
    const { refused } = await stage.drain('m1', true);
    expect(refused).toBe('no other master takes work');
    await stage.pass(20_000);
    expect(await stage.state(run)).toBe('success');
  });
});
