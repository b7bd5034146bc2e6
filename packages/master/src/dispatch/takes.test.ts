import { openSqlite } from '@orrery/store';
import { submitTo } from '@orrery/testkit/engine';
import { SimStage } from '@orrery/testkit/sim-stage';
import { edges, task, workflow } from '@orrery/testkit/workflows';
import { afterEach, describe, expect, it } from 'vitest';

describe('takes at a master', () => {
  let stage: SimStage;
  afterEach(async () => {
    await stage.stop();
    await stage.store.close();
  });

  const start = async (slots: number, tasks: Parameters<typeof submitTo>[1]) => {
    stage = await SimStage.start(await openSqlite(':memory:'), slots);
    await submitTo(stage.store, tasks, stage.clock.now());
    stage.hint();
    await stage.settle();
    stage.ask();
    await stage.settle();
    stage.asked.length = 0;
  };
  const names = () => stage.given.map(({ taskName }) => taskName);

  it('are filled as reports free slots, without waiting for a beat', async () => {
    await start(1, workflow([task('a'), task('b')]));
    expect(names()).toEqual(['a']);
    stage.report(stage.given[0].attempt);
    stage.ask();
    await stage.settle();
    expect(names()).toEqual(['a', 'b']);
  });

  it('are filled also when they came before the reports that free the slots', async () => {
    await start(1, workflow([task('a'), task('b')]));
    stage.ask();
    stage.report(stage.given[0].attempt);
    await stage.settle();
    expect(names()).toEqual(['a', 'b']);
  });

  it('are answered by the commit of the reports they came with', async () => {
    await start(1, edges([['a', 'b']]));
    stage.report(stage.given[0].attempt);
    stage.ask();
    await stage.settle();
    expect(names()).toEqual(['a', 'b']);
    expect(stage.asked).toEqual(['commitRuns']);
    expect(stage.acknowledged).toEqual([stage.given[0].attempt]);
  });

  it('reach the worker also after a connection was lost while it joined', async () => {
    await start(1, edges([['a', 'b']]));
    stage.cut();
    stage.connect();
    stage.cut();
    stage.connect();
    await stage.settle();
    stage.report(stage.given[0].attempt);
    stage.ask();
    await stage.settle();
    expect(names()).toEqual(['a', 'b']);
  });

  it('at a master that is paused get nothing, are told why once between two beats, and are filled afterwards', async () => {
    await start(2, workflow([task('a')]));
    stage.pausedBy = 'm1 is paused: the registry is away';
    stage.ask();
    stage.ask();
    await stage.settle();
    expect(stage.refused).toEqual([stage.pausedBy]);
    stage.beat(stage.given[0].attempt);
    await stage.settle();
    stage.ask();
    await stage.settle();
    expect(stage.refused).toHaveLength(2);
    await submitTo(stage.store, workflow([task('b')]), stage.clock.now());
    stage.pausedBy = undefined;
    stage.hint();
    await stage.settle();
    expect(names()).toEqual(['a', 'b']);
  });

  it('that find nothing stay open, and are filled when something comes', async () => {
    await start(2, workflow([task('a')]));
    stage.ask();
    await stage.settle();
    expect(stage.asked).toEqual(['take']);
    await submitTo(stage.store, workflow([task('b')]), stage.clock.now());
    stage.hint();
    await stage.settle();
    expect(names()).toEqual(['a', 'b']);
  });
});
