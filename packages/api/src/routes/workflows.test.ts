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

const hello = `
name: hello
tasks:
  - {name: say, type: shell, with: {script: echo hello}}
`;

describe('publishing a workflow file', () => {
  it('makes the first version', async () => {
    const { status, body } = await api.publish(hello);
    expect(status).toBe(200);
    expect(body).toEqual({
      dryRun: false,
      warnings: [],
      workflows: [{ project: 'default', name: 'hello', version: 1, changed: true, created: true, diff: [] }],
    });
  });

  it('changes nothing the second time, even written in another way', async () => {
    await api.publish(hello);
    const json = { tasks: [{ with: { script: 'echo hello' }, type: 'shell', name: 'say' }], name: 'hello' };
    const { body } = await api.post('/workflows', json);
    expect(body.workflows).toEqual([
      { project: 'default', name: 'hello', version: 1, changed: false, created: false, diff: [] },
    ]);
  });

  it('says what a new version changes', async () => {
    await api.publish(hello);
    const { body } = await api.publish(`
name: hello
tasks:
  - {name: first, type: shell, with: {script: echo first}}
  - {name: say, type: shell, needs: first, retries: 2, with: {script: echo hello}}
`);
    expect(body.workflows[0]).toMatchObject({ version: 2, changed: true, created: false });
    expect(body.workflows[0].diff).toEqual([
      { path: 'tasks.first', after: expect.objectContaining({ type: 'shell' }) },
      { path: 'tasks.say.needs', before: [], after: ['first'] },
      { path: 'tasks.say.retries.limit', before: 0, after: 2 },
    ]);
  });

  it('publishes every workflow of a file', async () => {
    const { body } = await api.publish(`${hello}---\nproject: etl\n${hello}`);
    expect(body.workflows.map(({ project }: { project: string }) => project)).toEqual(['default', 'etl']);
  });

  it('only says what it would do in a dry run', async () => {
    const { status, body } = await api.post('/workflows?dryRun=true', hello, { 'content-type': 'text/yaml' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      dryRun: true,
      workflows: [{ version: null, changed: true, created: true }],
    });
    expect((await api.get('/workflows')).body.workflows).toEqual([]);
    expect(api.hinted).toEqual([]);
  });

  it('tells every problem with its line and column, and changes nothing', async () => {
    const { status, body, headers } = await api.publish(`
name: broken
tasks:
  - name: a
    type: shell
    needs: b
    timeout: 10 min
---
${hello}`);
    expect(status).toBe(422);
    expect(headers['content-type']).toContain('application/problem+json');
    expect(body).toMatchObject({ status: 422, title: expect.any(String), requestId: expect.any(String) });
    expect(body.problems).toEqual([
      expect.objectContaining({ code: 'unknown-task', line: 6, column: expect.any(Number) }),
      expect.objectContaining({ code: 'bad-value', line: 7, path: ['tasks', 0, 'timeout'] }),
    ]);
    expect((await api.get('/workflows')).body.workflows).toEqual([]);
  });

  it('refuses a task type that no worker knows', async () => {
    const { status, body } = await api.publish('name: w\ntasks: [{name: a, type: shel}]');
    expect(status).toBe(422);
    expect(body.problems).toEqual([
      {
        path: ['tasks', 0, 'type'],
        code: 'unknown-type',
        message: 'task "a" has the unknown type "shel"; did you mean "shell"?',
        said: {
          code: 'file.unknownType',
          fields: { task: 'a', type: 'shel', hint: { code: 'hint.meant', fields: { name: 'shell' } } },
        },
        line: 2,
        column: 19,
      },
    ]);
  });

  it.each([
    ['text that is no YAML', '{{{', 422],
    ['an empty body', '', 400],
    ['a list', '[1, 2]', 422],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00]), 400],
    ['an alias that expands without end', 'a: &a [x]\nb: *a\n'.repeat(3), 422],
  ])('refuses %s', async (_, text, status) => {
    const answer = await api.post('/workflows', text, { 'content-type': 'application/yaml' });
    expect(answer.status).toBe(status);
    expect(answer.body.detail).toEqual(expect.any(String));
  });

  it('refuses more than 10 MB and says so', async () => {
    const { status, body } = await api.publish('#'.repeat(10 * 1024 * 1024 + 1));
    expect(status).toBe(413);
    expect(body.detail).toBe('the body of this request may have at most 10 MB');
  });

  it('refuses content types it does not read', async () => {
    const { status, body } = await api.post('/workflows', '<xml/>', { 'content-type': 'application/xml' });
    expect(status).toBe(415);
    expect(body.type).toBe('urn:orrery:problem:unsupported-type');
  });

  it('reads a large file', async () => {
    const tasks = Array.from(
      { length: 3_000 },
      (_, i) => `  - {name: task-${i}, type: shell, with: {script: echo ${i}}}`,
    );
    const { body } = await api.publish(`name: large\ntasks:\n${tasks.join('\n')}`);
    expect(body.workflows[0]).toMatchObject({ name: 'large', version: 1 });
  });

  it('reports the problems of a large file too', async () => {
    const { status, body } = await api.publish(`${hello}# ${'x'.repeat(100_000)}\nbad-key: 1\n`);
    expect(status).toBe(422);
    expect(body.problems[0]).toMatchObject({ code: 'unknown-key', line: 6 });
  });

  it('gives each schedule its next due time', async () => {
    await api.publish(`${hello}\nschedules: [{name: noon, cron: 0 12 * * *}, {name: often, every: 10m}]`);
    const { body } = await api.get('/schedules');
    expect(
      body.schedules.map(({ name, nextDue }: { name: string; nextDue: string }) => [name, nextDue]),
    ).toEqual([
      ['noon', '2026-03-01T12:00:00.000Z'],
      ['often', '2026-03-01T08:10:00.000Z'],
    ]);
    expect(api.hinted).toEqual(['schedules']);
  });
});

describe('reading workflows', () => {
  beforeEach(async () => {
    await api.publish(hello);
    await api.publish(hello.replace('echo hello', 'echo again'));
    await api.publish(`project: etl\n${hello}`);
  });

  it('lists them, also of one project', async () => {
    const all = await api.get('/workflows');
    expect(all.body.workflows).toMatchObject([
      { project: 'default', name: 'hello', version: 2, createdAt: new Date(START).toISOString() },
      { project: 'etl', name: 'hello', version: 1, draft: null },
    ]);
    expect(all.body.next).toBeNull();
    expect((await api.get('/workflows?project=etl')).body.workflows).toHaveLength(1);
  });

  it('shows the live version or another one', async () => {
    const live = await api.get('/workflows/default/hello');
    expect(live.body).toMatchObject({ project: 'default', name: 'hello', version: 2 });
    expect(live.body.workflow.tasks[0].with).toEqual({ script: 'echo again' });
    const first = await api.get('/workflows/default/hello?version=1');
    expect(first.body.workflow.tasks[0].with).toEqual({ script: 'echo hello' });
  });

  it('pages through versions, newest first', async () => {
    const page = await api.get('/workflows/default/hello/versions?limit=1');
    expect(page.body.versions).toMatchObject([{ version: 2 }]);
    expect(page.body.next).toBe('/api/v1/workflows/default/hello/versions?limit=1&before=2');
    const next = await api.get('/workflows/default/hello/versions?limit=1&before=2');
    expect(next.body.versions).toMatchObject([{ version: 1 }]);
  });

  it('gives back the text that was published', async () => {
    const { body, headers } = await api.get('/workflows/default/hello/source?version=1');
    expect(body).toBe(hello);
    expect(headers['content-type']).toContain('application/yaml');
  });

  it.each([
    ['/workflows/default/helo', 404, 'there is no workflow default/helo; did you mean "default/hello"?'],
    ['/workflows/default/jolly', 404, 'there is no workflow default/jolly'],
    ['/workflows/defualt/helo', 404, 'there is no workflow defualt/helo; did you mean "default/hello"?'],
    ['/workflows/other/hello', 404, 'there is no workflow other/hello; did you mean "default/hello"?'],
    ['/workflows/default/hello?version=9', 404, 'workflow default/hello has no version 9'],
    ['/workflows/default/hello?version=zero', 400, 'version: must be a whole number'],
    [
      '/workflows?projekt=x',
      400,
      'projekt: unknown; did you mean "project"?; accepted are project, q, names, tag, owner, state, schedule, include, limit, after',
    ],
    ['/workflows/..%2f..%2fetc/passwd', 404, 'there is no workflow ../../etc/passwd'],
  ])('answers %s with %i', async (path, status, detail) => {
    const answer = await api.get(path);
    expect([answer.status, answer.body.detail]).toEqual([status, detail]);
  });
});
