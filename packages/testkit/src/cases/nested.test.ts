import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { testDatabases } from '../databases.ts';
import { CaseStage } from './stage.ts';

const DEPTH = 10;
const call = (workflow: string) => ({ name: 'call', type: 'sub-workflow', with: { workflow } });
const levels = Array.from({ length: DEPTH }, (_, level) => ({
  name: `level${level}`,
  tasks: [level === 0 ? { name: 'leaf', type: 'noop' } : call(`level${level - 1}`)],
}));
const top = `level${DEPTH - 1}`;

describe.each(testDatabases())('runs within runs, on $name', (database) => {
  let stage: CaseStage;
  const open = async (after: number) => {
    const options = { workers: { w1: { slots: 1 } }, config: { room: 1 } };
    stage = await CaseStage.open(await database.open(), () => ({ after }), options);
    await stage.publish(...levels);
  };
  afterEach(() => stage.close());
  afterAll(() => database.close());

  /** States of all runs, from the outermost in. */
  const states = async () => {
    const { runs } = await stage.client.listRuns({ limit: 1_000 });
    return runs.toReversed().map(({ state }) => state);
  };
  const all = (state: string, count = DEPTH) => Array<string>(count).fill(state);

  it('ten deep end with room for one run and one slot, several at once', async () => {
    await open(1_000);
    for (let k = 0; k < 3; k++) await stage.client.startRun({ body: { workflow: top } });
    await stage.pass(300_000);
    expect(await states()).toEqual(all('success', 3 * DEPTH));
    expect(stage.given()).toEqual(['leaf', 'leaf', 'leaf']);
  });

  it('are paused, resumed, stopped and recovered from the outermost', async () => {
    await open(60_000);
    const run = await stage.start(top);
    await stage.pass(10_000);
    expect(stage.given()).toEqual(['leaf']);
    await stage.control(run, 'pause');
    await stage.pass(20_000);
    // What runs is left to end; everything above waits for it.
    expect(new Set(await states())).toEqual(new Set(['pausing']));
    await stage.control(run, 'resume');
    await stage.pass(10_000);
    expect(await states()).toEqual(all('running'));
    await stage.control(run, 'stop');
    await stage.pass(20_000);
    expect(await states()).toEqual(all('stopped'));
    await stage.control(run, 'recover');
    await stage.pass(120_000);
    expect(await states()).toEqual(all('success'));
    expect(stage.given()).toEqual(['leaf', 'leaf']);
  });

  it('cannot be published where one would start itself, also through others', async () => {
    await open(10);
    const loop = { name: 'level0', tasks: [call(top)] };
    await expect(stage.publish(loop)).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining(
        'child runs would start runs without end: default/level0 -> default/level9',
      ),
    });
    const both =
      'name: a\ntasks: [{name: b, type: sub-workflow, with: {workflow: b}}]\n---\nname: b\ntasks: [{name: a, type: dynamic, with: {workflow: a, over: {x: "1"}}}]\n';
    await expect(stage.client.publishWorkflows({ body: both })).rejects.toMatchObject({ status: 422 });
    expect((await stage.client.listWorkflows({ q: 'level' })).workflows).toHaveLength(DEPTH);
    expect((await stage.client.listWorkflows({})).workflows).toHaveLength(DEPTH);
  });

  it('end where they go deeper than 32', async () => {
    await open(10);
    for (let level = DEPTH; level < 40; level++)
      await stage.publish({ name: `level${level}`, tasks: [call(`level${level - 1}`)] });
    await stage.start('level39');
    await stage.pass(300_000);
    expect(new Set(await states())).toEqual(new Set(['failed']));
    expect(stage.given()).toEqual([]);
    expect((await states()).length).toBeLessThanOrEqual(33);
  });
});
