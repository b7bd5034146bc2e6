import { damageableDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing.ts';

const flow = 'name: load\ntasks:\n  - { name: extract, type: shell, with: { script: echo } }\n';

describe.each(damageableDatabases())('a run that was set aside, on $name', ({ open, close, damage }) => {
  let api: TestApi;
  let id: number;
  beforeEach(async () => {
    api = await testApi({ store: await open() });
    await api.publish(flow);
    id = (await api.post('/runs', { workflow: 'default/load' })).body.id;
    await api.hand.claim();
    await api.hand.enqueue(id, 0);
  });
  afterAll(close);

  const breakRun = async (reason: string) =>
    api.store.breakRun({ self: await api.hand.join(), run: id, reason, now: api.now });
  const allowed = async (path: string) => {
    const { actions } = (await api.get(path)).body;
    return actions
      .filter((action: { allowed: boolean }) => action.allowed)
      .map(({ name }: { name: string }) => name);
  };

  it('says so in words: the run, its history, why, and what needs attention', async () => {
    await damage(`UPDATE task_run SET body = '{' WHERE run = ${id}`);
    await breakRun('task 1 cannot be read');
    expect((await api.get(`/runs/${id}`)).body).toMatchObject({
      state: 'broken',
      reason: 'task 1 cannot be read',
      counts: { killed: 1 },
    });
    expect(await allowed(`/runs/${id}`)).toEqual(['stop', 'recover', 'rerun', 'replay', 'tag']);
    expect((await api.get(`/why/${id}`)).body).toMatchObject({
      why: 'was set aside: task 1 cannot be read',
      frees: 'recover, rerun or stop it',
    });
    expect((await api.get(`/why/${id}.extract`)).body).toMatchObject({
      why: 'was stopped: task 1 cannot be read',
    });
    const { events } = (await api.get(`/runs/${id}/events`)).body;
    expect(events).toContainEqual(
      expect.objectContaining({
        kind: 'action',
        action: 'broken',
        actor: 'm1',
        text: 'task 1 cannot be read',
      }),
    );
    const { needs } = (await api.get('/overview')).body;
    expect(needs).toContainEqual(
      expect.objectContaining({ kind: 'failed', text: 'default/load was set aside: task 1 cannot be read' }),
    );
    expect((await api.post(`/runs/${id}/recover`, {})).status).toBe(202);
    expect(api.defects).toEqual([]);
  });

  it.each([
    ['cannot be read', `UPDATE workflow_version SET body = '{'`],
    ['is gone', 'DELETE FROM workflow_version'],
  ])('can be looked at though its plan %s, and replayed or stopped alone', async (text, statement) => {
    await damage(statement);
    await breakRun(`it has no plan: it ${text}`);
    expect(await allowed(`/runs/${id}`)).toEqual(['stop', 'replay', 'tag']);
    expect((await api.get(`/why/${id}`)).body).toMatchObject({
      why: `was set aside: it has no plan: it ${text}`,
      frees: 'replay it with the latest version, or stop it',
    });
    for (const path of [`/runs/${id}/tasks`, `/runs/${id}/events`, '/runs', '/overview'])
      expect((await api.get(path)).status, path).toBe(200);
    expect((await api.get('/overview')).body.needs).toContainEqual(
      expect.objectContaining({ kind: 'failed', action: null, command: `orrery runs replay ${id} --latest` }),
    );
    const refused = await api.post(`/runs/${id}/recover`, {});
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      expect.stringContaining('replay it with the latest'),
    ]);
    expect((await api.publish(flow.replace('echo', 'date'))).status).toBe(200);
    expect((await api.post(`/runs/${id}/replay`, { version: 'latest' })).status).toBe(202);
    expect((await api.post(`/runs/${id}/stop`, {})).status).toBe(202);
    expect(api.defects).toEqual([]);
  });
});
