import { testDatabases } from '@orrery/testkit/databases';
import { ServedEngine } from '@orrery/testkit/served-engine';
import type { Assignment } from '@orrery/wire/frames';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';

const plain = (name: string) => `name: ${name}\ntasks: [{name: work, type: shell}]\n`;
const after = (name: string, trigger: string, more = '') =>
  `name: ${name}\n${more}triggers: [{name: go, ${trigger}}]\ntasks: [{name: work, type: shell}]\n`;

for (const database of testDatabases())
  describe(`triggers after other workflows on ${database.name}`, () => {
    let world: ServedEngine;
    let fails: (assignment: Assignment) => boolean;

    beforeEach(async () => {
      fails = () => false;
      world = await ServedEngine.start(await database.open(), (assignment) => ({
        after: 10,
        state: fails(assignment) ? 'failed' : 'success',
        outputs: { rows: '42' },
      }));
      for (const name of ['a', 'b']) await world.publish(plain(name));
    });
    afterEach(() => world.stop());
    afterAll(() => database.close());

    const run = async (workflow: string, more: object = {}): Promise<number> => {
      const { id } = await world.client.startRun({ body: { workflow, ...more } });
      await world.ended(id);
      return id;
    };
    const runsOf = (workflow: string) => world.runsOf(workflow);
    /** The runs of a workflow once there are so many, and surely no more. */
    const settled = async (workflow: string, count: number) => {
      await world.until(async () => (await runsOf(workflow)).length >= count);
      await world.engine.pass(3_000);
      return runsOf(workflow);
    };

    it('start a run with the business time of the run that ended, and say which it was', async () => {
      await world.publish(`name: a\nparams: {rows: {output: true}}\ntasks: [{name: work, type: shell}]\n`);
      await world.publish(
        after(
          'c',
          "after: a, params: {by: '${trigger.workflow} ${trigger.run}', n: '${trigger.outputs.rows}'}",
        ),
      );
      const first = await run('a', { businessTime: '2026-01-05T00:00:00Z' });
      const [started] = await settled('c', 1);
      expect(started).toMatchObject({
        trigger: 'dependency',
        businessTime: '2026-01-05T00:00:00.000Z',
        params: { by: `default/a ${first}`, n: '42' },
      });
      expect((await world.client.showRun({ id: started.id })).cause).toEqual({
        trigger: 'go',
        run: first,
        workflow: 'default/a',
      });
      const { events } = await world.client.listRunEvents({ id: first });
      expect(events).toContainEqual(
        expect.objectContaining({
          action: 'triggered',
          actor: 'trigger go',
          text: `started run ${started.id} of default/c`,
        }),
      );
    });

    it('start one run for each round that ends, and none for a dry run', async () => {
      await world.publish(after('c', 'after: a'));
      const first = await run('a');
      await settled('c', 1);
      await world.client.rerunRun({ id: first });
      expect(await settled('c', 2)).toHaveLength(2);
      await run('a', { dryRun: true });
      expect(await settled('c', 2)).toHaveLength(2);
    });

    it('hear only of ends in the states they name', async () => {
      await world.publish(after('bad', 'after: {workflows: a, states: failed}'));
      await world.publish(after('each', 'after: {workflows: a, states: any}'));
      await run('a');
      expect(await settled('each', 1)).toHaveLength(1);
      fails = ({ workflow }) => workflow === 'a';
      await run('a');
      expect(await settled('each', 2)).toHaveLength(2);
      expect(await settled('bad', 1)).toHaveLength(1);
    });

    it('wait for all the workflows they name, each time again', async () => {
      await world.publish(after('both', 'after: [a, b]'));
      await world.publish(after('one', 'after: {workflows: [a, b], when: any}'));
      await run('a');
      await run('a');
      expect(await settled('one', 2)).toHaveLength(2);
      expect(await runsOf('both')).toEqual([]);
      const last = await run('b', { businessTime: '2026-01-05T00:00:00Z' });
      const [started] = await settled('both', 1);
      expect(started.businessTime).toBe('2026-01-05T00:00:00.000Z');
      expect((await world.client.showRun({ id: started.id })).cause?.run).toBe(last);
      await run('b');
      expect(await settled('both', 1)).toHaveLength(1);
      await run('a');
      expect(await settled('both', 2)).toHaveLength(2);
    });

    it('forget what they heard when they no longer wait for it', async () => {
      await world.publish(after('both', 'after: [a, b]'));
      await run('a');
      await world.engine.pass(1_000);
      await world.publish(after('both', 'after: b, enabled: false'));
      await world.publish(after('both', 'after: [a, b]'));
      await run('b');
      await world.engine.pass(3_000);
      expect(await runsOf('both')).toEqual([]);
    });

    it('start nothing while they are off, and everything downstream in a chain', async () => {
      await world.publish(after('c', 'after: a'));
      await world.publish(after('d', 'after: c'));
      await world.publish(after('off', 'after: a, enabled: false'));
      await run('a');
      expect(await settled('d', 1)).toHaveLength(1);
      expect(await runsOf('off')).toEqual([]);
    });

    it('start exactly one run for each end, however often the master dies', async () => {
      await world.publish(after('c', 'after: a'));
      const ids: number[] = [];
      for (let k = 0; k < 20; k++) {
        ids.push((await world.client.startRun({ body: { workflow: 'a' } })).id);
        await world.engine.pass(30 + 7 * k);
        if (k % 4 === 3) world.engine.crashMaster();
      }
      await world.until(async () => (await runsOf('a')).every(({ endedAt }) => endedAt !== null));
      const started = await settled('c', ids.length);
      const causes = await Promise.all(started.map(({ id }) => world.client.showRun({ id })));
      expect(causes.map(({ cause }) => cause?.run ?? 0).sort((x, y) => x - y)).toEqual(ids);
    });

    it('hear nothing of the runs of a backfill, unless that includes what is downstream', async () => {
      await world.publish(after('c', 'after: a'));
      const times = ['2026-01-01', '2026-01-02'];
      const fill = async (includeDownstream: boolean) => {
        const { id } = await world.client.startBackfill({
          body: { workflow: 'a', times, includeDownstream },
        });
        expect(await world.ended(id ?? 0)).toBe('success');
        await world.engine.pass(3_000);
      };
      await fill(false);
      expect(await runsOf('c')).toEqual([]);
      await fill(true);
      expect((await runsOf('c')).map(({ businessTime }) => businessTime.slice(0, 10))).toEqual(times);
    });

    it('are refused where they would start runs without end', async () => {
      await world.publish(after('c', 'after: a'));
      await world.publish(after('d', 'after: c'));
      await expect(world.publish(after('a', 'after: d'))).rejects.toThrow(
        'triggers would start runs without end: default/a -> default/c -> default/d -> default/a',
      );
      const call = 'tasks: [{name: call, type: sub-workflow, with: {workflow: a}}]';
      await expect(world.publish(`name: d\ntriggers: [{after: c}]\n${call}\n`)).rejects.toThrow(
        'default/d -> default/a -> default/c -> default/d',
      );
      await expect(world.publish(`${after('x', 'after: y')}---\n${after('y', 'after: x')}`)).rejects.toThrow(
        'default/x -> default/y -> default/x',
      );
    });
  });
