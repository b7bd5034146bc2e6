import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing.ts';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

const file = `
name: load
tasks:
  - {name: a, type: shell, group: db}
  - {name: b, type: shell, group: db}
`;
const limits = { needs: [{ name: 'task group default/db' }] };

describe('a task group', () => {
  it('says who holds its slots and who waits, and lets them in when it gets larger', async () => {
    expect((await api.get('/task-groups/default/db')).status).toBe(404);
    await api.put('/task-groups/default/db', { slots: 1 });
    await api.publish(file);
    const { id } = (await api.post('/runs', { workflow: 'load' })).body;
    await api.hand.claim();
    await api.hand.enqueue(id, 0, { limits });
    await api.hand.enqueue(id, 1, { limits });
    expect((await api.get('/task-groups/default/db')).body).toMatchObject({
      slots: 1,
      held: 1,
      waiting: 1,
      holders: [{ taskRun: `${id}.a`, run: id }],
      waiters: [{ taskRun: `${id}.b`, run: id, attempt: 1 }],
    });
    api.hinted.length = 0;
    const larger = await api.put('/task-groups/default/db', { slots: 2 });
    expect(larger.body).toMatchObject({ slots: 2, held: 2, waiting: 0, waiters: [] });
    expect(api.hinted).toEqual(['queue']);
    expect((await api.put('/task-groups/default/db', { slots: 0 })).body).toMatchObject({
      slots: 0,
      held: 2,
    });
    expect((await api.get('/audit')).body.entries[0]).toMatchObject({
      action: 'task-group.set',
      subject: 'default/db',
      detail: { before: 2, after: 0 },
    });
  });

  it('must be there before a workflow names it, and stays as long as one does', async () => {
    expect((await api.publish(file)).body.problems).toMatchObject([
      { path: ['tasks', 0, 'group'], code: 'unknown-task-group' },
      { path: ['tasks', 1, 'group'], code: 'unknown-task-group' },
    ]);
    await api.put('/task-groups/other/db', { slots: 1 });
    expect((await api.publish(file)).status).toBe(422);
    await api.put('/task-groups/default/db', { slots: 1 });
    expect((await api.publish(file)).status).toBe(200);
    const refused = await api.del('/task-groups/default/db');
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: 'db is used by default/load; change those first' },
    });
    await api.publish(file.replaceAll(', group: db', ''));
    expect((await api.del('/task-groups/default/db')).status).toBe(204);
    expect((await api.get('/task-groups')).body.taskGroups).toMatchObject([{ project: 'other', name: 'db' }]);
    expect((await api.del('/task-groups/default/db')).status).toBe(404);
  });

  it('lists those of one project alone, also where names begin alike', async () => {
    for (const group of ['a/x', 'a/y', 'ab/x']) await api.put(`/task-groups/${group}`, { slots: 1 });
    const { taskGroups } = (await api.get('/task-groups?project=a')).body;
    expect(
      taskGroups.map(({ project, name }: { project: string; name: string }) => `${project}/${name}`),
    ).toEqual(['a/x', 'a/y']);
  });
});
