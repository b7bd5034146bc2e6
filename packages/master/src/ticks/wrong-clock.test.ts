import { StoreClock } from '@orrery/cluster';
import { VirtualClock } from '@orrery/core/timing';
import { openSqlite, type Store } from '@orrery/store';
import { Random } from '@orrery/testkit/random';
import { SimNode } from '@orrery/testkit/sim-node';
import { task, workflow } from '@orrery/testkit/workflows';
import { afterEach, describe, expect, it } from 'vitest';
import { Master, masterDefaults } from '../index.ts';

const START = 1_700_000_000_000;
const EVERY = 1_000;
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Masters in one world, whose store has the right time. */
class Stage {
  readonly world: VirtualClock;
  readonly nodes: SimNode[] = [];
  readonly said: string[] = [];
  /** By how much each tick and skip was committed before its time. */
  readonly early: number[] = [];
  readonly store: Store;
  private readonly masters: Master[] = [];
  private readonly random = new Random(7);

  private constructor(world: VirtualClock, store: Store) {
    this.world = world;
    this.store = store;
  }

  static async open(): Promise<Stage> {
    const world = new VirtualClock(START);
    return new Stage(world, await openSqlite(':memory:', { now: () => world.now() }));
  }

  async start(name: string, skew: number): Promise<SimNode> {
    const node = new SimNode(name, this.world, this.random);
    node.skew = skew;
    this.nodes.push(node);
    const watched: Store = {
      ...this.store,
      fireTicks: async (input) => {
        const answer = await this.store.fireTicks(input);
        input.schedules.forEach(({ firedUntil }, k) => {
          if (answer.outcomes[k].outcome === 'fired') this.early.push(firedUntil - this.world.now());
        });
        return answer;
      },
    };
    const started = Master.start(
      { ...masterDefaults, id: name, address: name },
      {
        clock: new StoreClock(node.clock),
        store: node.storeOver(watched, () => ({ fails: 0, unknown: 0 })),
        log: (level, text) => this.said.push(`${level} ${text}`),
      },
    );
    await this.pass(50);
    this.masters.push(await started);
    return node;
  }

  async publish(): Promise<number> {
    const misfire = { policy: 'skip', threshold: 5_000 } as const;
    const spec = { name: 's', every: EVERY, timezone: 'UTC', misfire, params: {}, enabled: true };
    const now = this.world.now();
    const due = { s: Math.ceil((now + 1) / EVERY) * EVERY };
    const made = { hash: 'h', source: '', note: '', author: '', due, now };
    await this.store.publishWorkflow({ workflow: workflow([task('a')], { schedules: [spec] }), ...made });
    const [{ id }] = await this.store.listSchedules({});
    return id;
  }

  pass(ms: number): Promise<void> {
    return this.world.advanceAsync(ms, settle);
  }

  async close(): Promise<void> {
    const stopped = Promise.all(this.masters.map((master) => master.stop()));
    await this.pass(100);
    await stopped;
    await this.store.close();
  }
}

describe('a master whose clock is wrong', () => {
  let stage: Stage;
  afterEach(() => stage.close());

  /** Each due time up to now has its tick, none was early, and none was skipped. */
  const expectAll = async (schedule: number, from: number) => {
    const ticks = (await stage.store.listTicks({ schedule, limit: 1_000 })).toReversed();
    expect(ticks.filter(({ run }) => run === null)).toEqual([]);
    const first = Math.ceil((from + 1) / EVERY) * EVERY;
    expect(ticks.map(({ due }) => due)).toEqual(ticks.map((_, k) => first + k * EVERY));
    expect(ticks.at(-1)?.due).toBeGreaterThan(stage.world.now() - 3_000);
    expect(Math.max(...stage.early)).toBeLessThanOrEqual(0);
  };

  for (const skew of [90_000, 1_500, -1_500, -90_000]) {
    it(`by ${skew} ms from its start fires nothing early, skips nothing and loses nothing`, async () => {
      stage = await Stage.open();
      await stage.start('right', 0);
      await stage.start('wrong', skew);
      const from = stage.world.now();
      const schedule = await stage.publish();
      await stage.pass(20_000);
      await expectAll(schedule, from);
    });

    it(`by ${skew} ms all of a sudden does neither, alone or beside another`, async () => {
      stage = await Stage.open();
      const node = await stage.start('alone', 0);
      const from = stage.world.now();
      const schedule = await stage.publish();
      await stage.pass(5_400);
      node.skew = skew;
      await stage.pass(10_000);
      await stage.start('other', 0);
      await stage.pass(5_000);
      node.skew = 0;
      await stage.pass(10_000);
      await expectAll(schedule, from);
      const doubted = stage.said.some((line) => line.includes('is not trusted'));
      expect(doubted).toBe(Math.abs(skew) > 2_000);
    });
  }

  it('says so among the nodes', async () => {
    stage = await Stage.open();
    const node = await stage.start('m1', 0);
    node.skew = 90_000;
    await stage.pass(1_100);
    const [doubted] = await stage.store.listNodes();
    expect(doubted.clockFault).toMatch(/set forward by 90000 ms/);
    await stage.pass(3_000);
    const [trusted] = await stage.store.listNodes();
    expect(trusted).toMatchObject({ clockFault: null, clockOffset: expect.closeTo(-90_000, -1) });
  });
});
