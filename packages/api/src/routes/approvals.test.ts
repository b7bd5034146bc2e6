import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing.ts';

const workflow = `name: release
tasks:
  - name: ask
    type: approval
    timeout: 2h
    with:
      message: "deliver <b>7</b> rows?"
      fields:
        most: {type: integer, required: true, description: rows at most}
        day: {options: [monday, friday], default: friday}
  - {name: deliver, type: shell, needs: ask}
`;
const question = { message: 'deliver <b>7</b> rows?', defaults: { day: 'friday' } };
const serverToken = 'the-token-of-this-server-0123456789abcdef';

let api: TestApi;
let run: number;

beforeEach(async () => {
  api = await testApi({ token: serverToken });
  api.headers.authorization = `Bearer ${serverToken}`;
  await api.publish(workflow);
  run = await ask('release');
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

/** Starts a run whose first task waits for an answer. */
async function ask(name: string): Promise<number> {
  const { id } = (await api.post('/runs', { workflow: name })).body;
  await api.hand.claim();
  await api.hand.change(id, {
    state: 'running',
    startedAt: api.now,
    tasks: [[0, api.hand.task('waiting', { question, started: api.now })]],
    approvals: { open: [{ task: 0, round: 1, name: 'ask', message: question.message }], close: [] },
  });
  return id;
}

/** The owner applied an answer, or the task ended in another way. */
async function close(state: 'success' | 'killed' = 'success'): Promise<void> {
  await api.hand.change(run, {
    tasks: [[0, api.hand.task(state, { question })]],
    approvals: { open: [], close: [{ task: 0, round: 1 }] },
  });
}

const yes = { answer: 'yes', values: { most: '5' } };
const told = async () => (await api.store.loadRuns({ runs: [run] }))[0].inbox.map(({ message }) => message);

async function tokenOf(role: string, project: string | null = null): Promise<Record<string, string>> {
  const { body } = await api.post('/tokens', { name: `${role}-token`, role, project });
  return { authorization: `Bearer ${body.token}` };
}

/** The one entry of an answer in the audit: the control that it becomes has none of its own. */
const answered = ({ entries }: { entries: { action: string; detail: object }[] }) => {
  const found = entries.filter(({ action }) => /answer/.test(action));
  expect(found.map(({ action }) => action)).toEqual(['approval.answer']);
  return found[0];
};

/** Opens a link, or presses one of the buttons of its page, as a browser does. */
async function visit(path: string, form?: Record<string, string>, more: Record<string, string> = {}) {
  const site = { 'sec-fetch-site': 'same-origin', ...more };
  const reply = await api.app.inject(
    form === undefined
      ? { method: 'GET', url: path, headers: more }
      : {
          method: 'POST',
          url: path,
          headers: { 'content-type': 'application/x-www-form-urlencoded', ...site },
          payload: new URLSearchParams(form).toString(),
        },
  );
  return { status: reply.statusCode, text: reply.body, headers: reply.headers };
}

const link = async () =>
  (await api.post(`/task-runs/${run}.ask/answer-links`, { for: 'ann@example.com' })).body.path as string;

describe('approvals', () => {
  it('are listed, shown with their fields and answered once', async () => {
    const { body: list } = await api.get('/approvals');
    expect(list.approvals).toMatchObject([{ id: `${run}.ask`, workflow: 'release', task: 'ask' }]);
    const { body: shown } = await api.get(`/task-runs/${run}.ask/approval`);
    expect(shown).toMatchObject({
      message: question.message,
      waiting: true,
      until: '2026-03-01T10:00:00.000Z',
      refusal: null,
      said: {},
      fields: [
        { name: 'most', type: 'integer', required: true },
        { name: 'day', default: 'friday', options: ['monday', 'friday'] },
      ],
    });
    const answered = await api.post(`/task-runs/${run}.ask/answer`, { ...yes, comment: 'fine' });
    expect([answered.status, answered.body.by]).toEqual([202, 'admin']);
    expect(await told()).toEqual([
      {
        type: 'control',
        by: 'admin',
        control: {
          type: 'answer',
          task: 'ask',
          round: 1,
          answer: 'yes',
          values: { most: '5' },
          comment: 'fine',
          by: 'admin',
        },
      },
    ]);
    const again = await api.post(`/task-runs/${run}.ask/answer`, { answer: 'no' });
    expect([again.status, again.body.detail]).toEqual([409, 'it was answered by admin']);
    expect((await api.get('/approvals')).body.approvals).toEqual([]);
    await close();
    const late = await api.post(`/task-runs/${run}.ask/answer`, yes);
    expect([late.status, late.body.detail]).toEqual([409, 'the task is not waiting for an answer']);
  });

  it('say who answered in the history of the run and in the audit', async () => {
    await api.post(`/task-runs/${run}.ask/answer`, yes, await tokenOf('operator'));
    const { body } = await api.get('/audit');
    expect(answered(body)).toMatchObject({
      actor: 'operator-token',
      action: 'approval.answer',
      subject: `${run}.ask`,
      detail: { answer: 'yes' },
    });
  });

  it('let one of two simultaneous answers through', async () => {
    const answers = ['yes', 'no'].map((answer) =>
      api.post(`/task-runs/${run}.ask/answer`, { ...yes, answer }),
    );
    expect((await Promise.all(answers)).map(({ status }) => status).sort()).toEqual([202, 409]);
    expect(await told()).toHaveLength(1);
  });

  it.each([
    [{ answer: 'yes' }, 'is required'],
    [{ answer: 'yes', values: { most: 'many' } }, 'is not of type integer'],
    [{ answer: 'yes', values: { most: '1', day: 'sunday' } }, 'is not one of monday, friday'],
    [{ answer: 'yes', values: { most: '1', other: '1' } }, 'unknown'],
    [{ answer: 'maybe' }, ''],
  ])('refuse %j', async (body, why) => {
    const { status, body: problem } = await api.post(`/task-runs/${run}.ask/answer`, body);
    expect(status).toBe(422);
    expect(JSON.stringify(problem)).toContain(why);
    expect(await told()).toEqual([]);
  });

  it('need nothing to be filled in for a no', async () => {
    expect((await api.post(`/task-runs/${run}.ask/answer`, { answer: 'no' })).status).toBe(202);
  });

  it('are not answered by a viewer, nor from another project, nor for a task that asks nothing', async () => {
    for (const [headers, status] of [
      [await tokenOf('viewer'), 403],
      [await tokenOf('admin', 'other'), 404],
    ] as const) {
      expect((await api.post(`/task-runs/${run}.ask/answer`, yes, headers)).status).toBe(status);
      const made = await api.post(`/task-runs/${run}.ask/answer-links`, { for: 'me' }, headers);
      expect(made.status).toBe(status);
    }
    const seen = await api.app.inject({
      url: `/api/v1/task-runs/${run}.ask/approval`,
      headers: await tokenOf('viewer'),
    });
    expect(seen.json().refusal).toContain('this needs the role operator');
    expect((await api.post(`/task-runs/${run}.deliver/answer`, yes)).status).toBe(404);
    expect(await told()).toEqual([]);
  });

  it('are answered only by those they name', async () => {
    const named = workflow
      .replace('name: release', 'name: named')
      .replace('fields:', 'by: [boss]\n      fields:');
    await api.publish(named);
    run = await ask('named');
    const refused = await api.post(`/task-runs/${run}.ask/answer`, yes);
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'only boss may answer this, and you are admin',
    ]);
    expect((await api.post(`/task-runs/${run}.ask/answer-links`, { for: 'boss' })).status).toBe(403);
    expect((await api.get(`/task-runs/${run}.ask/approval`)).body.refusal).toMatch('only boss');
  });

  it('are a need on Home and the reason why', async () => {
    const { needs } = (await api.get('/overview')).body;
    expect(needs.find(({ kind }: { kind: string }) => kind === 'approval')).toMatchObject({
      text: `default/release: ask waits for an answer: ${question.message}`,
      address: `/runs/${run}?task=ask`,
    });
    const { body: why } = await api.get(`/why/${run}.ask`);
    expect(why).toMatchObject({
      why: `waits for an answer to "${question.message}", until 2026-03-01T10:00:00.000Z`,
      frees: `someone answers: orrery approvals answer ${run}.ask yes`,
    });
  });
});

describe('a link to an approval', () => {
  it('shows a page, as often as it is opened, and decides by its button alone', async () => {
    const path = await link();
    for (let times = 0; times < 3; times++) {
      const page = await visit(path);
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('method="post"')]);
      expect(page.text).toContain('deliver &#60;b&#62;7&#60;/b&#62; rows?');
      expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    }
    expect((await visit(path, undefined, { 'accept-language': 'zh-CN,en' })).text).toContain('同意');
    expect(await told()).toEqual([]);
    const wrong = await visit(path, { answer: 'yes', 'field.most': 'x' });
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('is not of type integer')]);
    expect((await visit(path, {})).status).toBe(422);
    expect(await told()).toEqual([]);
    const pressed = await visit(path, { answer: 'yes', 'field.most': '5', 'field.day': 'friday' });
    expect(pressed.status).toBe(200);
    expect(await told()).toMatchObject([
      {
        control: {
          answer: 'yes',
          values: { most: '5', day: 'friday' },
          by: 'ann@example.com (link by admin)',
        },
      },
    ]);
    const { body } = await api.get('/audit');
    expect(answered(body).detail).toMatchObject({ linkBy: 'admin' });
  });

  it('decides by nothing that opens it, whoever is signed in', async () => {
    const path = await link();
    const said = 'answer=yes&field.most=5&field.day=friday';
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT'] as const)
      for (const headers of [{}, api.headers, await tokenOf('viewer')])
        await api.app.inject({ method, url: `${path}?${said}`, headers, payload: undefined });
    const json = { method: 'POST', url: path, payload: { answer: 'yes', 'field.most': '5' } } as const;
    expect((await api.app.inject(json)).statusCode).toBeGreaterThanOrEqual(400);
    // What is in the address is not what a button sends.
    expect((await visit(`${path}?${said}`, {})).status).toBe(422);
    expect(await told()).toEqual([]);
    // A session says nothing about who was given the link.
    await visit(path, { answer: 'no' }, await tokenOf('viewer'));
    expect(await told()).toMatchObject([{ control: { by: 'ann@example.com (link by admin)' } }]);
  });

  it('is good once, and no longer than its approval', async () => {
    const [first, second] = [await link(), await link()];
    await visit(first, { answer: 'no' });
    for (const path of [first, second]) {
      expect((await visit(path)).status).toBe(404);
      expect((await visit(path, { answer: 'yes', 'field.most': '5' })).status).toBe(404);
    }
    expect(await told()).toHaveLength(1);
    await close();
    await api.hand.change(run, {
      tasks: [[0, api.hand.task('waiting', { question, round: 2 })]],
      approvals: { open: [{ task: 0, round: 2, name: 'ask', message: 'again?' }], close: [] },
    });
    expect((await visit(second)).status).toBe(404);
  });

  it('ends when the approval times out or is stopped', async () => {
    const path = await link();
    await close('killed');
    expect((await visit(path)).status).toBe(404);
    expect((await api.post(`/task-runs/${run}.ask/answer-links`, { for: 'x' })).status).toBe(409);
  });

  it('cannot be guessed, forged, or posted from the page of another site', async () => {
    const path = await link();
    expect((await visit(`${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`)).status).toBe(404);
    expect((await visit(`/approve/${run}.ask`, { answer: 'yes' })).status).toBe(404);
    const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    expect((await visit(path, { answer: 'no' }, foreign)).status).toBe(403);
    expect(await told()).toEqual([]);
    for (let times = 0; times < 25; times++) await visit(`/approve/guess-${times}`);
    expect((await visit('/approve/guess')).status).toBe(429);
  });
});
