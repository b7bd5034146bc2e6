import { testDatabases } from '@orrery/testkit/databases';
import { Engine } from '@orrery/testkit/engine';
import { edges } from '@orrery/testkit/workflows';
import { afterAll, describe, expect, it } from 'vitest';

describe.each(testDatabases())('the revisions of a run, on $name', ({ open, close }) => {
  afterAll(close);

  /** Follows a run's events; the returned function gives their revisions, and that of its row. */
  const followed = async (engine: Engine, run: number, from: Awaited<ReturnType<typeof readFeed>>) => {
    const { events } = await engine.store.readFeed({ position: from.position, limit: 1_000 });
    const told = events.filter(({ topic, subject }) => topic === 'run' && subject === run);
    const { runs } = await engine.store.readRunsById({ ids: [run] });
    return { told: told.map(({ revision }) => revision), row: runs[0]?.revision };
  };
  const readFeed = (engine: Engine) => engine.store.readFeed({ limit: 0 });

  it('are those of its row in each event, through pauses, lost commits, a new owner and another round', async () => {
    const failing = { now: false };
    const engine = await Engine.start(
      { after: 500 },
      {},
      {
        store: await open(),
        faults: () => (failing.now ? { fails: 0.2, unknown: 0.2 } : { fails: 0, unknown: 0 }),
      },
    );
    const from = await readFeed(engine);
    const run = await engine.submit(
      edges([
        ['a', 'b'],
        ['b', 'c'],
      ]),
    );
    const check = async (state: string) => {
      while ((await engine.states(run)).run !== state) await engine.pass(20);
      await engine.pass(1_000);
      const { told, row } = await followed(engine, run, from);
      expect(told).toEqual(told.toSorted((one, other) => one - other));
      expect(told.at(-1)).toBe(row);
      return row;
    };
    const seen: (number | undefined)[] = [];
    while ((await engine.states(run)).run !== 'running') await engine.pass(10);
    await engine.control(run, { type: 'pause' });
    seen.push(await check('paused'));
    failing.now = true;
    await engine.control(run, { type: 'resume' });
    while ((await engine.states(run)).run !== 'running') await engine.pass(10);
    engine.crashMaster();
    seen.push(await check('success'));
    failing.now = false;
    await engine.control(run, { type: 'rerun', scope: { kind: 'all', tasks: [] } });
    while ((await engine.states(run)).run === 'success') await engine.pass(10);
    seen.push(await check('success'));
    expect(seen).toEqual([...new Set(seen)]);
  });
});
