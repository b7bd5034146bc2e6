import type { TriggerSpec, Workflow } from '@orrery/core/model';
import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Self, Store } from '../../index.ts';
import {
  changeOf,
  commandOf,
  commit,
  joinMaster,
  NOW,
  publish,
  startRuns,
  workflowOf,
} from '../../testing.ts';

const ending = {
  round: 1,
  project: 'default',
  name: 'up',
  state: 'success',
  businessTime: 42,
  outputs: '{"n":"7"}',
  chain: 0,
};

describe.each(testDatabases())('triggers on $name', (database) => {
  let store: Store;
  let self: Self;
  let up: number;

  beforeEach(async () => {
    store = await database.open();
    self = await joinMaster(store);
    up = await publish(store, 'up');
  });
  afterAll(() => database.close());

  const listen = async (name: string, trigger: Partial<TriggerSpec>): Promise<void> => {
    const spec = { name: 'go', params: {}, enabled: true, ...trigger };
    const rest = { priority: 'medium', mode: 'parallel', onFailure: 'continue', timezone: 'UTC' };
    const workflow = { ...workflowOf(name), ...rest, triggers: [spec] } as unknown as Workflow;
    const about = { source: '', note: '', author: 'me', due: {}, now: NOW };
    await store.publishWorkflow({ workflow, hash: JSON.stringify(workflow), ...about });
  };
  const after = (...names: string[]): TriggerSpec['after'] => ({
    workflows: names.map((name) => ({ name })),
    states: ['success'],
    when: 'all',
  });
  const end = async (more: Partial<typeof ending> = {}): Promise<number> => {
    const [run] = await startRuns(store, self, 1, { workflow: up });
    await commit(store, self, changeOf(run, { ending: { ...ending, ...more } }));
    return run;
  };
  const fire = (as = self) => store.fireTriggers({ self: as, limit: 10, now: NOW });
  const queued = async () => (await store.claimWork({ self, orphans: 0, starts: 10, now: NOW })).starts;

  it('start nothing once the project that ended does not let them', async () => {
    const other = { ...after(), workflows: [{ project: 'other', name: 'up' }] } as TriggerSpec['after'];
    const set = (callableFrom: string[]) =>
      store.setProjectParams({ project: 'other', params: {}, callableFrom, by: 'me', now: NOW });
    await set(['default']);
    await listen('down', { after: other });
    await end({ project: 'other' });
    expect((await fire()).runs).toHaveLength(1);
    await set([]);
    await end({ project: 'other' });
    expect((await fire()).runs).toEqual([]);
  });

  it('are told by a beat of ends that nobody has dealt with, and start one run for each', async () => {
    await listen('down', { after: after('up'), params: { n: '${trigger.outputs.n}' } });
    const run = await end();
    expect(await store.beat({ self, now: NOW })).toMatchObject({ triggers: true, commands: false });
    // The master that ended the run is gone; another finds what it left.
    const other = await joinMaster(store, 'm2');
    const { runs, more } = await fire(other);
    expect([runs.length, more]).toEqual([1, false]);
    expect(await fire()).toEqual({ runs: [], more: false });
    expect(await store.beat({ self, now: NOW })).toMatchObject({ triggers: false, commands: true });
    expect(await queued()).toMatchObject([
      {
        run: runs[0],
        command: {
          name: 'down',
          trigger: 'dependency',
          params: { n: '7' },
          request: { businessTime: 42, cause: { trigger: 'go', run, workflow: 'default/up', chain: 1 } },
        },
      },
    ]);
  });

  it('start nothing that is offline, and say so on the run that ended', async () => {
    await listen('down', { after: after('up') });
    await listen('fine', { after: after('up') });
    const set = (online: boolean) =>
      store.setWorkflowOnline({ project: 'default', name: 'down', online, by: 'me', now: NOW });
    await set(false);
    const run = await end();
    expect((await fire()).runs).toHaveLength(1);
    expect(await queued()).toMatchObject([{ command: { name: 'fine' } }]);
    const told = await store.listHistory({ of: { kind: 'run', subject: String(run) }, limit: 9 });
    expect(told.map(({ action, body }) => [action, JSON.parse(body).reason])).toContainEqual([
      'trigger-refused',
      'started no run of default/down: default/down is offline; put it online first',
    ]);
    await set(true);
    await end();
    expect((await fire()).runs).toHaveLength(2);
  });

  it('start nothing with more than a worker can be sent, and say so on the run that ended', async () => {
    await listen('down', { after: after('up'), params: { n: '${trigger.outputs.n}' } });
    await listen('fine', { after: after('up') });
    const run = await end({ outputs: JSON.stringify({ n: 'x'.repeat(800_000) }) });
    expect((await fire()).runs).toHaveLength(1);
    expect(await queued()).toMatchObject([{ command: { name: 'fine' } }]);
    const told = await store.listHistory({ of: { kind: 'run', subject: String(run) }, limit: 9 });
    expect(told.map(({ action, body }) => [action, JSON.parse(body).reason])).toContainEqual([
      'trigger-refused',
      expect.stringMatching(/^started no run of default\/down: the parameters take 800008 bytes/),
    ]);
  });

  it('leave nothing behind for workflows that nobody listens to', async () => {
    await end();
    expect(await store.beat({ self, now: NOW })).toMatchObject({ triggers: false });
  });

  it('cut a chain that has become endless', async () => {
    await listen('down', { after: after('up') });
    await end({ chain: 100 });
    expect(await fire()).toEqual({ runs: [], more: false });
  });

  it('hear of nothing once their workflow is gone', async () => {
    await listen('down', { after: after('up') });
    await end();
    await store.deleteWorkflow({ project: 'default', name: 'down', now: NOW });
    expect(await fire()).toEqual({ runs: [], more: false });
  });

  it('hear that a run was taken back before it began, if they hear of all ends', async () => {
    await listen('down', { after: { workflows: [{ name: 'flow' }], states: ['any'], when: 'any' } });
    const { run } = await store.submitCommand({ command: commandOf(up), now: NOW });
    const message = { type: 'control', control: { type: 'stop' }, by: 'me' } as const;
    await store.sendControl({ run, message, now: NOW });
    expect((await fire()).runs).toHaveLength(1);
  });

  it('wait for all they name, whichever master hears of each', async () => {
    await listen('down', { after: after('up', 'side') });
    await end();
    expect((await fire()).runs).toEqual([]);
    await end({ name: 'side', businessTime: 43 });
    const other = await joinMaster(store, 'm2');
    const answers = await Promise.all([fire(), fire(other)]);
    expect(answers.flatMap(({ runs }) => runs)).toHaveLength(1);
    expect(await queued()).toMatchObject([{ command: { request: { businessTime: 43 } } }]);
  });
});
