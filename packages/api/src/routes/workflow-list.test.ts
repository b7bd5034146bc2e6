import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { START, type TestApi, testApi } from '../testing.ts';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

const publish = (name: string, more = '') =>
  api.publish(`name: ${name}\n${more}tasks: [{name: a, type: shell}, {name: b, type: shell, needs: a}]\n`);

/** Runs a workflow to its end. */
async function run(workflow: string, state: 'success' | 'failed', duration: number): Promise<number> {
  const { body } = await api.post('/runs', { workflow });
  await api.hand.claim();
  await api.hand.change(body.id, { state: 'running', startedAt: api.now });
  api.now += duration;
  await api.hand.change(body.id, { state, endedAt: api.now });
  return body.id;
}

describe('the list of workflows', () => {
  it('has the last runs, the success rate and usual durations of each where that is asked for', async () => {
    await publish('idle');
    await publish('busy');
    const ids = [
      await run('busy', 'success', 4_000),
      await run('busy', 'failed', 1_000),
      await run('busy', 'success', 2_000),
    ];
    const { body } = await api.get('/workflows?include=strip');
    expect(body.workflows.map(({ name }: { name: string }) => name)).toEqual(['busy', 'idle']);
    const [{ strip, schedules }, idle] = body.workflows;
    expect(strip).toMatchObject({
      runs: [
        { id: ids[0], state: 'success', duration: 4_000, version: 1 },
        { id: ids[1], state: 'failed', duration: 1_000 },
        { id: ids[2], state: 'success', duration: 2_000 },
      ],
      successRate: 2 / 3,
      p50: 2_000,
      p95: 4_000,
    });
    expect(idle.strip).toEqual({ runs: [], successRate: null, p50: null, p95: null });
    expect(schedules).toBeUndefined();
  });

  it('says how many tasks a draft is ahead where that is asked for, read once for each time it was saved', async () => {
    const text = (tasks: string) => `name: w\ntasks: [${tasks}]\n`;
    await api.publish(
      text('{name: a, type: shell}, {name: b, type: shell, needs: a}, {name: c, type: shell}'),
    );
    let seen: number | undefined;
    const save = async (draft: string) => {
      const headers = seen === undefined ? undefined : { 'if-match': `"${seen}"` };
      const { body } = await api.put('/workflows/default/w/draft', { text: draft }, headers);
      seen = body.revision;
    };
    const draft = async () => (await api.get('/workflows?include=draft')).body.workflows[0].draft;
    expect(await draft()).toBe(null);
    // `a` is changed, `b` needs nothing any more, `c` is gone and `d` is new.
    await save(
      text('{name: a, type: shell, priority: high}, {name: b, type: shell}, {name: d, type: shell}'),
    );
    expect(await draft()).toMatchObject({ revision: 1, ahead: 4 });
    expect((await api.get('/workflows')).body.workflows[0].draft).not.toHaveProperty('ahead');
    const read = vi.spyOn(api.store, 'readShortDrafts');
    expect(await draft()).toMatchObject({ ahead: 4 });
    expect(read).not.toHaveBeenCalled();
    await save(text('{name: a'));
    expect(await draft()).toMatchObject({ revision: 2, ahead: null });
    await save(
      `${text('{name: a, type: shell}, {name: b, type: shell, needs: a}, {name: c, type: shell}')}# moved`,
    );
    expect(await draft()).toMatchObject({ revision: 3, ahead: 0 });
    await save(`${text('{name: a, type: shell}')}${'# long\n'.repeat(5_000)}`);
    expect(await draft()).toMatchObject({ revision: 4, ahead: null });
    expect(read).toHaveBeenCalledTimes(3);
    await draft();
    expect(read).toHaveBeenCalledTimes(3);
    read.mockRestore();
  });

  it('leaves to the next request what would make this one slow', async () => {
    const names = ['a', 'b', 'c'];
    for (const name of names) {
      await publish(name);
      const tasks = `tasks: [{name: a, type: shell}]\n${'# long\n'.repeat(2_000)}`;
      await api.put(`/workflows/default/${name}/draft`, { text: `name: ${name}\n${tasks}` });
    }
    const aheads = async () =>
      (await api.get('/workflows?include=draft')).body.workflows.map(
        (row: { draft: { ahead: number | null } }) => row.draft.ahead,
      );
    expect((await aheads()).toSorted()).toEqual([1, 1, null]);
    expect(await aheads()).toEqual([1, 1, 1]);
  });

  it('is filtered by tag, owner, last state, schedule and exact names', async () => {
    await publish('plain');
    await publish('planned', 'tags: [nightly, shop]\nschedules: [{name: y, every: 10m}]\n');
    await run('plain', 'failed', 1_000);
    const found = async (query: string) =>
      (await api.get(`/workflows?${query}`)).body.workflows.map(({ name }: { name: string }) => name);
    expect(await found('tag=nightly,shop')).toEqual(['planned']);
    expect(await found('tag=nightly,other')).toEqual([]);
    expect(await found('owner=admin')).toEqual(['plain', 'planned']);
    expect(await found('owner=nobody')).toEqual([]);
    expect(await found('state=failed,broken')).toEqual(['plain']);
    expect(await found('schedule=on')).toEqual(['planned']);
    expect(await found('schedule=none')).toEqual(['plain']);
    expect(await found('names=default/plain,default/plan')).toEqual(['plain']);
    expect((await api.get('/workflows?schedule=sometimes')).status).toBe(400);
    expect((await api.get('/workflows?names=default/planned')).body.workflows).toMatchObject([
      { owner: 'admin', tags: ['nightly', 'shop'] },
    ]);
  });

  it('has schedules and the next tick where that is asked for', async () => {
    await publish('both', 'schedules: [{name: x, cron: 0 12 * * *}, {name: y, every: 10m}]\n');
    await publish('none');
    const { body } = await api.get('/workflows?include=next,strip');
    const [both, none] = body.workflows;
    expect(both.schedules).toMatchObject([
      { name: 'x', cron: '0 12 * * *', state: 'on' },
      { name: 'y', every: 600_000, state: 'on', nextDue: '2026-03-01T08:10:00.000Z' },
    ]);
    expect(both.nextDue).toBe('2026-03-01T08:10:00.000Z');
    expect([none.schedules, none.nextDue]).toEqual([[], null]);
    const reasons = new Map(
      none.actions.map(({ name, reason }: { name: string; reason?: string }) => [name, reason]),
    );
    expect(reasons.get('pause-schedules')).toBe('it has no schedule');
    expect(reasons.get('run')).toBeUndefined();
  });

  it('asks the store as often for many workflows as for one', async () => {
    const asked = async () => {
      const calls: string[] = [];
      const store = new Proxy(api.store, {
        get: (target, name) => {
          const value = target[name as keyof typeof target];
          if (typeof value !== 'function') return value;
          return (...input: never[]) => {
            calls.push(String(name));
            return (value as (...input: never[]) => unknown)(...input);
          };
        },
      });
      const other = await testApi({ store });
      const reply = await other.app.inject('/api/v1/workflows?include=strip,next');
      expect(reply.statusCode).toBe(200);
      await other.app.close();
      return calls;
    };
    await publish('a');
    const one = await asked();
    for (const name of ['b', 'c', 'd', 'e']) await publish(name);
    expect(await asked()).toEqual(one);
  });

  it('is paged by name, and filtered by letters of the name', async () => {
    for (const name of ['alpha', 'beta', 'gamma']) await publish(name);
    const first = await api.get('/workflows?limit=2');
    expect(first.body.next).toBe('/api/v1/workflows?limit=2&after=default%2Fbeta');
    const second = await api.get(first.body.next.replace('/api/v1', ''));
    expect(second.body).toMatchObject({ workflows: [{ name: 'gamma' }], next: null });
    expect((await api.get('/workflows?q=gma')).body.workflows).toMatchObject([{ name: 'gamma' }]);
    expect((await api.get('/workflows?q=%25')).body.workflows).toEqual([]);
  });

  it('has what is only a draft, which cannot be run yet', async () => {
    await api.put('/workflows/default/new/draft', { text: 'name: new' });
    const { body } = await api.get('/workflows');
    expect(body.workflows).toMatchObject([
      { name: 'new', version: null, publishedAt: null, draft: { revision: 1, base: null } },
    ]);
    expect(body.workflows[0].actions[0]).toEqual({
      name: 'run',
      allowed: false,
      reason: 'it has no live version; publish its draft first',
      code: 'workflow.noLive',
    });
  });

  it.each(['include=strips', 'limit=0', 'q=a&q=b', 'after='.padEnd(700, 'x')])(
    'refuses %s',
    async (query) => {
      expect((await api.get(`/workflows?${query}`)).status).toBe(400);
    },
  );
});

describe('a workflow', () => {
  it('says who uses it, and is not taken away before them', async () => {
    await publish('child');
    await api.publish('name: parent\ntasks: [{name: a, type: sub-workflow, with: {workflow: child}}]');
    const { body } = await api.get('/workflows/default/child');
    expect(body).toMatchObject({
      live: 1,
      author: 'admin',
      publishedAt: new Date(START).toISOString(),
      usedBy: [{ project: 'default', name: 'parent', as: 'sub-workflow' }],
    });
    const refused = await api.del('/workflows/default/child');
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'default/child is used by default/parent (sub-workflow); change those first',
    ]);
    expect((await api.del('/workflows/default/parent')).status).toBe(204);
    expect((await api.del('/workflows/default/child')).status).toBe(204);
    expect((await api.del('/workflows/default/child')).status).toBe(404);
  });

  it('that was taken away starts nothing more, while its runs go on and can be looked at', async () => {
    await publish('gone', 'schedule: 0 12 * * *\n');
    const { body: started } = await api.post('/runs', { workflow: 'gone' });
    await api.hand.claim();
    await api.hand.change(started.id, { state: 'running' });
    api.hinted.length = 0;
    expect((await api.del('/workflows/default/gone')).status).toBe(204);
    expect(api.hinted).toEqual(['schedules']);
    expect((await api.get('/schedules')).body.schedules).toEqual([]);
    expect((await api.post('/runs', { workflow: 'gone' })).status).toBe(422);
    expect((await api.get('/workflows/default/gone')).status).toBe(404);
    expect((await api.get(`/runs/${started.id}`)).body).toMatchObject({ state: 'running', name: 'gone' });
  });

  it('is exported as YAML or JSON that publishes as the same version', async () => {
    const text =
      'project: etl\nname: w\n# a remark\ntasks: [{name: a, type: shell, retries: 3, with: {script: "x"}}]\n';
    await api.publish(text);
    expect((await api.get('/workflows/etl/w/source')).body).toBe(text);
    const yaml = await api.get('/workflows/etl/w/source?format=yaml');
    expect(yaml.body).toBe(
      'project: etl\nname: w\ntasks:\n  - name: a\n    type: shell\n    with:\n      script: x\n    retries: 3\n',
    );
    expect((await api.publish(yaml.body)).body.workflows).toMatchObject([{ changed: false, version: 1 }]);
    const json = await api.get('/workflows/etl/w/source?format=json');
    expect(json.headers['content-type']).toContain('application/json');
    const again = await api.post('/workflows', JSON.stringify(json.body), {
      'content-type': 'application/json',
    });
    expect(again.body.workflows).toMatchObject([{ changed: false, version: 1 }]);
    expect((await api.get('/workflows/etl/w/source?format=xml')).status).toBe(400);
  });

  it('of a file with several has its own text, so that an old version can be published alone', async () => {
    const one = 'name: one\ntasks: [{name: a, type: shell}]\n';
    const two = '# two\nname: two\ntasks: [{name: a, type: shell}]\n';
    await api.publish(`${one}---\n${two}`);
    await api.publish(two.replace('a,', 'b,'));
    const { body: old } = await api.get('/workflows/default/two/source?version=1');
    expect(old).toBe(two);
    expect((await api.publish(old)).body.workflows).toMatchObject([
      { name: 'two', version: 3, changed: true },
    ]);
  });

  it('lists versions with how they were published and the runs on each', async () => {
    await publish('w');
    const id = await run('w', 'success', 10);
    await api.post('/workflows?source=apply&note=more', 'name: w\ntasks: [{name: a, type: shell}]', {
      'content-type': 'application/yaml',
    });
    expect((await api.get('/workflows/default/w/versions')).body.versions).toMatchObject([
      { version: 2, source: 'apply', note: 'more', live: true, runs: 0, lastRun: null },
      { version: 1, source: 'api', note: '', live: false, runs: 1, lastRun: id },
    ]);
  });
});

describe('two versions', () => {
  it('are compared by tasks, edges, schedules and fields, with their texts', async () => {
    const first = `name: w
priority: low
schedules: [{name: s, cron: 0 12 * * *}, {name: old, every: 1h}]
tasks:
  - {name: a, type: shell}
  - {name: b, type: shell, needs: a, retries: 1}
  - {name: c, type: shell, needs: a}
`;
    const second = `name: w
priority: high
schedules: [{name: s, cron: 0 13 * * *}]
tasks:
  - {name: a, type: shell}
  - {name: b, type: shell, needs: [a, constructor], retries: 2}
  - {name: constructor, type: shell}
`;
    await api.publish(first);
    await api.publish(second);
    const { body } = await api.get('/workflows/default/w/diff?from=1&to=2');
    expect(body).toEqual({
      same: false,
      tasks: {
        added: ['constructor'],
        removed: ['c'],
        changed: [{ name: 'b', changes: [{ path: 'retries.limit', before: 1, after: 2 }] }],
      },
      edges: { added: [{ from: 'constructor', to: 'b' }], removed: [{ from: 'a', to: 'c' }] },
      schedules: {
        added: [],
        removed: ['old'],
        changed: [{ name: 's', changes: [{ path: 'cron', before: '0 12 * * *', after: '0 13 * * *' }] }],
      },
      fields: [{ path: 'priority', before: 'low', after: 'high' }],
      texts: { from: first, to: second },
    });
    expect((await api.get('/workflows/default/w/diff?from=2&to=2')).body.same).toBe(true);
    await api.put('/workflows/default/w/draft', { text: first });
    expect((await api.get('/workflows/default/w/diff?from=1&to=draft')).body.same).toBe(true);
  });

  it.each([
    ['from=1', 400],
    ['from=1&to=9', 404],
    ['from=1&to=live', 400],
    ['from=draft&to=1', 404],
  ])('cannot be compared as %s', async (query, status) => {
    await publish('w');
    expect((await api.get(`/workflows/default/w/diff?${query}`)).status).toBe(status);
  });

  it('cannot be compared with a draft that has problems, which are told', async () => {
    await publish('w');
    await api.put('/workflows/default/w/draft', { text: 'name: w\ntasks: []' });
    const { status, body } = await api.get('/workflows/default/w/diff?from=1&to=draft');
    expect([status, body.problems[0].code]).toEqual([422, 'no-tasks']);
  });
});

describe('the grid of a workflow', () => {
  it('has a byte for every task of the last runs, also of tasks that are gone', async () => {
    await api.publish('name: w\ntasks: [{name: old, type: shell}, {name: a, type: shell}]');
    const { body: first } = await api.post('/runs', { workflow: 'w' });
    await api.hand.claim();
    await api.hand.change(first.id, {
      state: 'failed',
      tasks: [
        [0, api.hand.task('failed')],
        [1, api.hand.task('skipped')],
      ],
    });
    await publish('w');
    const { body: second } = await api.post('/runs', { workflow: 'w' });
    await api.hand.claim();
    await api.hand.change(second.id, { state: 'running', tasks: [[0, api.hand.task('success')]] });
    const { body } = await api.get('/workflows/default/w/grid');
    expect(body.tasks).toEqual(['a', 'b', 'old']);
    expect(body.runs).toMatchObject([
      { id: first.id, version: 1, state: 'failed' },
      { id: second.id, version: 2, state: 'running', duration: null },
    ]);
    const cells = [...Buffer.from(body.cells, 'base64')].map((code) => body.states[code]);
    expect(cells).toEqual(['skipped', 'absent', 'failed', 'success', 'pending', 'absent']);
    expect(body.figures).toMatchObject({ failed: [0, 0, 1], took: [0, 0, 0] });
    expect((await api.get('/workflows/default/w/grid?runs=1')).body.runs).toHaveLength(1);
    expect((await api.get('/workflows/default/w/grid?runs=0')).status).toBe(400);
  });

  it('of 1,000 tasks and 60 runs has 60,000 bytes in base64', async () => {
    const tasks = Array.from({ length: 1_000 }, (_, k) => `  - {name: t${k}, type: shell}\n`).join('');
    await api.publish(`name: big\ntasks:\n${tasks}`);
    for (let k = 0; k < 60; k++) await api.post('/runs', { workflow: 'big' });
    await api.hand.claim();
    const { body } = await api.get('/workflows/default/big/grid?runs=60');
    expect(body.runs).toHaveLength(60);
    expect(body.cells).toHaveLength(80_000);
  });
});
