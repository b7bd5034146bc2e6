import type { TaskSpec } from '@orrery/core/model';
import { testDatabases } from '@orrery/testkit/databases';
import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { afterAll, describe, expect, it } from 'vitest';

/** Tasks side by side between a first and a last one. */
function wide(size: number): TaskSpec[] {
  const middle = Array.from({ length: size - 2 }, (_, k) => task(`t${k}`, { needs: ['first'] }));
  return [task('first'), ...middle, task('last', { needs: middle.map(({ name }) => name) })];
}

/** One after the other. */
function deep(size: number): TaskSpec[] {
  return Array.from({ length: size }, (_, k) => task(`t${k}`, { needs: k === 0 ? [] : [`t${k - 1}`] }));
}

/** Rows of which each task needs three of the row before. */
function lattice(size: number, width = 100): TaskSpec[] {
  return Array.from({ length: size }, (_, k) => {
    const [row, column] = [Math.floor(k / width), k % width];
    const above = [column - 1, column, column + 1].map((at) => (at + width) % width);
    return task(`t${k}`, { needs: row === 0 ? [] : above.map((at) => `t${(row - 1) * width + at}`) });
  });
}

/** Beats are not what is tested here. */
const calm = { beatEvery: 60_000, sessionTimeout: 600_000, lease: 3_600_000, leaseGrace: 60_000 };

describe.each(testDatabases())('a large workflow on $name', { timeout: 120_000 }, (database) => {
  afterAll(() => database.close());

  it.each([
    ['1,000 side by side', wide(1_000)],
    ['1,000 in a row', deep(1_000)],
    ['1,000 in a lattice', lattice(1_000)],
    ['10,000 side by side', wide(10_000)],
    ['10,000 in a lattice', lattice(10_000)],
  ])('of %s runs to its end, each task once and after what it needs', async (_, tasks) => {
    const stage = { store: await database.open(), workers: { w1: { slots: 500 } } };
    const engine = await Engine.start({ after: 1 }, calm, stage);
    const run = await engine.submit(workflow(tasks));
    for (let waited = 0; waited < 3_600_000; waited += 10_000) {
      await engine.pass(10_000);
      if ((await engine.store.readRun({ id: run }))?.run.state === 'success') break;
    }
    const { run: state, tasks: states } = await engine.states(run);
    expect([state, Object.values(states).filter((each) => each === 'success').length]).toEqual([
      'success',
      tasks.length,
    ]);
    const place = new Map(engine.executed.map(({ taskName }, k) => [taskName, k]));
    expect(engine.executed).toHaveLength(tasks.length);
    expect(place.size).toBe(tasks.length);
    const early = tasks.filter(({ name, needs }) =>
      needs.some((need) => (place.get(need) ?? 0) > (place.get(name) ?? 0)),
    );
    expect(early).toEqual([]);
  });
});
