import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

const path = '/workflows/default/w/draft';
const text = (script: string) => `name: w\ntasks:\n  - {name: a, type: shell, with: {script: ${script}}}\n`;
const live = async () => (await api.get('/workflows/default/w')).body;

describe('a draft', () => {
  it('is saved as it is, also with problems, and read back with its revision', async () => {
    const saved = await api.put(path, { text: 'name: w\ntasks: [' });
    expect(saved).toMatchObject({ status: 200, body: { revision: 1, base: null, author: 'admin' } });
    expect(saved.headers.etag).toBe('"1"');
    const { body, headers } = await api.get(path);
    expect(body).toEqual({
      text: 'name: w\ntasks: [',
      revision: 1,
      base: null,
      live: null,
      author: 'admin',
      savedAt: new Date(START).toISOString(),
    });
    expect(headers.etag).toBe('"1"');
  });

  it('is never overwritten by somebody who has not seen it', async () => {
    await api.put(path, { text: 'one' });
    const blind = await api.put(path, { text: 'two' });
    expect(blind.status).toBe(412);
    expect(blind.body).toMatchObject({
      type: 'urn:orrery:problem:changed',
      current: { text: 'one', revision: 1 },
    });
    expect((await api.put(path, { text: 'two' }, { 'if-match': '"1"' })).body.revision).toBe(2);
    const late = await api.put(path, { text: 'three' }, { 'if-match': '"1"' });
    expect([late.status, late.body.current.text]).toEqual([412, 'two']);
    expect((await api.put(path, { text: 'x' }, { 'if-match': 'W/"x"' })).status).toBe(400);
  });

  it('begins from the live version, and keeps that when it is saved again', async () => {
    await api.publish(text('one'));
    expect((await api.put(path, { text: text('two') })).body.base).toBe(1);
    await api.publish(text('other'));
    expect((await api.put(path, { text: text('three') }, { 'if-match': '1' })).body.base).toBe(1);
    expect((await api.put(path, { text: text('three'), base: 2 }, { 'if-match': '2' })).body.base).toBe(2);
  });

  it('is thrown away, once', async () => {
    await api.put(path, { text: 'one' });
    expect((await api.del(path, { 'if-match': '"9"' })).status).toBe(412);
    expect((await api.del(path)).status).toBe(204);
    expect((await api.del(path)).status).toBe(404);
    expect((await api.get(path)).status).toBe(404);
  });

  it('is published as a version by its author, while runs stay on theirs', async () => {
    await api.publish(text('one'));
    const { body: run } = await api.post('/runs', { workflow: 'w' });
    await api.hand.claim();
    await api.put(path, { text: text('two') });
    const { status, body } = await api.post(`${path}/publish`, { note: 'better' }, { 'if-match': '"1"' });
    expect([status, body]).toEqual([
      200,
      {
        project: 'default',
        name: 'w',
        version: 2,
        changed: true,
        created: false,
        diff: [{ path: 'tasks.a.with.script', before: 'one', after: 'two' }],
      },
    ]);
    expect(await live()).toMatchObject({ version: 2, note: 'better', author: 'admin', draft: null });
    expect((await api.get('/workflows/default/w/versions')).body.versions[0].source).toBe('editor');
    expect((await api.get(`/runs/${run.id}`)).body.version).toBe(1);
    expect((await api.get(path)).status).toBe(404);
  });

  it('is published once for a key, however often that is asked for', async () => {
    await api.put(path, { text: text('one') });
    const publish = (note: string) => api.post(`${path}/publish`, { note }, { 'idempotency-key': 'k1' });
    const first = await publish('a');
    expect(first.body.version).toBe(1);
    expect(await publish('a')).toMatchObject({ status: 200, body: first.body });
    const other = await publish('b');
    expect([other.status, other.body.detail]).toEqual([
      409,
      'this Idempotency-Key was used for another request',
    ]);
    expect((await api.post(`${path}/publish`, { note: 'a' })).status).toBe(404);
  });

  it('that has problems is not published, stays, and every problem is told with its place', async () => {
    await api.put(path, { text: 'name: w\ntasks:\n  - {name: a, type: shel, needs: x}\n' });
    const { status, body } = await api.post(`${path}/publish`);
    expect(status).toBe(422);
    expect(body.problems).toMatchObject([
      { code: 'unknown-type', line: 3, column: 15 },
      { code: 'unknown-task', line: 3, column: 27 },
    ]);
    expect((await api.get(path)).status).toBe(200);
  });

  it.each([
    'name: other\ntasks: [{name: a, type: shell}]',
    `${text('a')}---\nname: v\ntasks: [{name: a, type: shell}]`,
  ])('that is of another workflow is not published: %s', async (other) => {
    await api.put(path, { text: other });
    expect((await api.post(`${path}/publish`)).status).toBe(422);
    expect((await api.get('/workflows')).body.workflows).toMatchObject([{ name: 'w', version: null }]);
  });

  it('is not published over a version that its author has not seen, unless that is asked for', async () => {
    await api.publish(text('one'));
    await api.put(path, { text: text('mine') });
    await api.publish(text('theirs'));
    const refused = await api.post(`${path}/publish`);
    expect([refused.status, refused.body.detail]).toEqual([
      412,
      'the draft began from version 1, and version 2 is live; merge it, or overwrite',
    ]);
    expect((await api.post(`${path}/publish`, {}, { 'if-match': '"7"' })).status).toBe(412);
    expect((await api.post(`${path}/publish`, { overwrite: true })).body.version).toBe(3);
  });
});

describe('validating a workflow file', () => {
  const validate = (text: string) =>
    api.post('/workflows/validate', text, { 'content-type': 'application/yaml' });

  it('says what is wrong with it and changes nothing', async () => {
    expect((await validate(text('x'))).body).toEqual({
      valid: true,
      workflows: [{ project: 'default', name: 'w' }],
      problems: [],
      warnings: [],
      missing: [],
    });
    const { status, body } = await validate('name: w\ntasks: [{name: a, type: nosuch}]');
    expect([status, body.valid, body.problems[0].code]).toEqual([200, false, 'unknown-type']);
    expect((await api.get('/workflows')).body.workflows).toEqual([]);
  });

  it('names the workflows that are used and not there', async () => {
    await api.publish('name: there\ntasks: [{name: a, type: shell}]');
    const uses = (name: string) => `{name: ${name}, type: sub-workflow, with: {workflow: ${name}}}`;
    const { body } = await validate(
      `name: w\ntasks: [${uses('there')}, ${uses('v')}, ${uses('gone')}]\n---\nname: v\ntasks: [{name: a, type: shell}]`,
    );
    expect([body.valid, body.missing]).toEqual([
      true,
      [{ project: 'default', name: 'gone', as: 'sub-workflow' }],
    ]);
  });

  it('holds settings against the schema of the task type', async () => {
    const strict = {
      type: 'object',
      properties: { script: { type: 'string' } },
      additionalProperties: false,
    };
    const other = await testApi({ taskTypes: () => [{ name: 'shell', schema: strict }] });
    const { status, body } = await other.publish(
      'name: w\ntasks: [{name: a, type: shell, with: {scirpt: x}}]',
    );
    expect([status, body.problems]).toEqual([
      422,
      [
        {
          path: ['tasks', 0, 'with', 'scirpt'],
          code: 'unknown-key',
          message: 'unknown key "scirpt"; did you mean "script"?',
          line: 2,
          column: 39,
          said: {
            code: 'file.unknownKey',
            fields: { key: '"scirpt"', hint: { code: 'hint.meant', fields: { name: 'script' } } },
          },
        },
      ],
    ]);
    await other.app.close();
    await other.store.close();
  });
});
