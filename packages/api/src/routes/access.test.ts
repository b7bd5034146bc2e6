import { type OperationId, operationIds, operationOf, routeOf } from '@orrery/contract';
import type { Role } from '@orrery/contract/roles';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing.ts';

const ROOT = 'the-server-token-0123456789abcdef0123456789abcdef';
const DAY = 24 * 3_600_000;

let api: TestApi;
beforeEach(async () => {
  api = await testApi({
    token: ROOT,
    config: [
      { name: 'port', value: 7070, source: 'default', secret: false },
      { name: 'token', value: ROOT, source: 'ORRERY_TOKEN', secret: true },
    ],
  });
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Sends a request with a token, or with none. */
async function send(token: string | undefined, method: Method, path: string, body?: unknown, more = {}) {
  const reply = await api.app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...more },
    payload: body as object,
  });
  const json = String(reply.headers['content-type']).includes('json');
  return { status: reply.statusCode, headers: reply.headers, body: json ? reply.json() : reply.body };
}

async function make(role: Role, more: { project?: string | null; days?: number | null } = {}) {
  const { status, body } = await send(ROOT, 'POST', '/tokens', { name: `a ${role}`, role, ...more });
  expect([status, body]).toEqual([201, expect.anything()]);
  return body as { id: number; token: string; hint: string; expiresAt: string | null };
}

async function publish(file: string, token = ROOT) {
  return send(token, 'POST', '/workflows', file, { 'content-type': 'application/yaml' });
}

describe('a token', () => {
  it('is shown once, and kept as a hash alone', async () => {
    const { token, id, hint } = await make('viewer');
    expect(token).toMatch(/^orr_[\w-]{43}$/);
    const listed = (await send(ROOT, 'GET', '/tokens')).body.tokens;
    expect(listed).toMatchObject([{ id, hint, name: 'a viewer', role: 'viewer', createdBy: 'admin' }]);
    expect(token.startsWith(hint)).toBe(true);
    expect(JSON.stringify(listed)).not.toContain(token);
    expect(JSON.stringify(await api.store.readToken({ id }))).not.toContain(token);
  });

  it('lets its holder in until it expires', async () => {
    const { token } = await make('viewer', { days: 1 });
    expect((await send(token, 'GET', '/me')).status).toBe(200);
    api.now += DAY + 1;
    const { status, body } = await send(token, 'GET', '/me');
    expect([status, body.type]).toEqual([401, 'urn:orrery:problem:expired']);
  });

  it('ends at once when it is revoked', async () => {
    const { token, id } = await make('viewer');
    expect((await send(token, 'GET', '/me')).status).toBe(200);
    expect((await send(ROOT, 'DELETE', `/tokens/${id}`)).body.revokedAt).not.toBeNull();
    const { status, body } = await send(token, 'GET', '/me');
    expect([status, body.detail]).toEqual([401, 'this token was revoked']);
    expect((await send(ROOT, 'DELETE', '/tokens/999999')).status).toBe(404);
  });

  it('says when it was last used, to the hour', async () => {
    const { token, id } = await make('viewer');
    const used = async () => {
      await send(token, 'GET', '/me');
      return (await api.store.readToken({ id }))?.lastUsedAt;
    };
    const first = api.now;
    expect(await used()).toBe(first);
    api.now += 60_000;
    expect(await used()).toBe(first);
    api.now += 3_600_000;
    expect(await used()).toBe(api.now);
  });

  it('is recorded with who made it and who ended it', async () => {
    const { id } = await make('editor', { project: 'etl' });
    await send(ROOT, 'DELETE', `/tokens/${id}`);
    const { entries } = (await send(ROOT, 'GET', '/audit')).body;
    expect(entries).toMatchObject([
      { actor: 'admin', action: 'token.revoke', subject: String(id) },
      { actor: 'admin', action: 'token.create', detail: { role: 'editor', project: 'etl' } },
    ]);
  });

  it.each([
    [{ name: '', role: 'viewer' }, 'name'],
    [{ name: 'x', role: 'owner' }, 'must be one of viewer, operator, editor, admin'],
    [{ name: 'x', role: 'viewer', days: 0 }, 'days'],
    [{ name: 'x', role: 'viewer', project: 'a/b' }, 'project'],
  ])('is not made from %j', async (body, detail) => {
    expect(await send(ROOT, 'POST', '/tokens', body)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining(detail) },
    });
  });
});

describe('a role', () => {
  it.each([
    ['viewer', 'GET', '/runs', 200],
    ['viewer', 'POST', '/runs', 403],
    ['operator', 'POST', '/runs', 202],
    ['operator', 'POST', '/workflows', 403],
    ['editor', 'POST', '/workflows', 200],
    ['editor', 'GET', '/tokens', 403],
    ['editor', 'GET', '/config', 403],
    ['admin', 'GET', '/config', 200],
  ] as const)('%s: %s %s is answered with %i', async (role, method, path, status) => {
    await publish('name: w\ntasks: [{name: a, type: shell}]');
    const { token } = await make(role);
    const file = path === '/workflows';
    const reply = await send(
      token,
      method,
      path,
      method === 'GET' ? undefined : file ? 'name: x\ntasks: [{name: a, type: shell}]' : { workflow: 'w' },
      file ? { 'content-type': 'application/yaml' } : {},
    );
    expect([reply.status, reply.body.detail ?? '']).toEqual([
      status,
      status === 403 ? expect.stringMatching(/this needs the role \w+; an admin can give it to you/) : '',
    ]);
  });

  it('shows in the actions of what is read', async () => {
    await publish('name: w\ntasks: [{name: a, type: shell}]');
    const { id } = (await send(ROOT, 'POST', '/runs', { workflow: 'w' })).body;
    const stop = async (token: string) =>
      (await send(token, 'GET', `/runs/${id}`)).body.actions.find(
        ({ name }: { name: string }) => name === 'stop',
      );
    expect(await stop((await make('operator')).token)).toEqual({ name: 'stop', allowed: true });
    expect(await stop((await make('viewer')).token)).toEqual({
      name: 'stop',
      allowed: false,
      reason: 'this needs the role operator; an admin can give it to you',
      code: 'access.needsRole',
      fields: { role: 'operator' },
    });
  });

  it('says what it allows', async () => {
    const { body } = await send((await make('operator')).token, 'GET', '/me');
    expect(body).toMatchObject({ name: 'a operator', role: 'operator', project: null, signedIn: true });
    expect(body.rights).toContain('startRun');
    expect(body.rights).not.toContain('publishWorkflows');
  });
});

describe('a token for one project', () => {
  let token: string;
  let mine: number;
  let other: number;
  beforeEach(async () => {
    for (const project of ['etl', 'hidden'])
      await publish(
        `project: ${project}\nname: ${project}-flow\nschedules: [{name: s, every: 1h}]\ntasks: [{name: ${project}-task, type: shell}]`,
      );
    mine = (await send(ROOT, 'POST', '/runs', { workflow: 'etl/etl-flow' })).body.id;
    other = (await send(ROOT, 'POST', '/runs', { workflow: 'hidden/hidden-flow' })).body.id;
    await api.hand.claim();
    token = (await make('admin', { project: 'etl' })).token;
  });

  const ids = (run: number): Record<string, string> => ({
    '/runs/{id}': `${run}`,
    '/task-runs/{id}': `${run}.${run === mine ? 'etl' : 'hidden'}-task`,
    '/attempts/{id}': `${run}.${run === mine ? 'etl' : 'hidden'}-task.1`,
    '/why/{id}': `${run}`,
  });

  /** The path of an operation that reads, about one run, one workflow and one schedule. */
  function pathOf(id: OperationId, run: number, schedule: number): string {
    const project = run === mine ? 'etl' : 'hidden';
    const { path } = routeOf(id);
    const start = Object.keys(ids(run)).find((known) => path.startsWith(known));
    const thing = path.startsWith('/schedules/') ? schedule : start ? ids(run)[start] : 1;
    const query: Partial<Record<string, string>> = {
      search: '?q=flow',
      followEvents: '?topics=nosuch',
      compareVersions: '?from=1&to=1',
      searchLog: '?q=x',
    };
    return `${path
      .replace('{project}', project)
      .replace('{name}', `${project}-flow`)
      .replace('{id}', String(thing))}${query[id] ?? ''}`;
  }

  const reading = operationIds.filter((id) => routeOf(id).method === 'GET');

  it.each(reading)('reads nothing of other projects by %s', async (id) => {
    const schedules = (await send(ROOT, 'GET', '/schedules')).body.schedules as {
      id: number;
      project: string;
    }[];
    const of = (project: string) => schedules.find((each) => each.project === project)?.id ?? 0;
    const about = await send(token, 'GET', pathOf(id, other, of('hidden')));
    const { scope, stream } = operationOf(id);
    if (['path', 'run', 'schedule', 'every'].includes(scope)) {
      expect([id, about.status]).toEqual([id, scope === 'path' || scope === 'every' ? 403 : 404]);
    }
    const own = await send(token, 'GET', pathOf(id, mine, of('etl')));
    if (scope !== 'every' && !stream) expect([id, own.status < 500]).toEqual([id, true]);
    expect(JSON.stringify(own.body)).not.toContain('hidden');
    if (scope === 'filter') expect(JSON.stringify(about.body)).not.toContain('hidden');
  });

  it('starts, controls and publishes only what is of its project', async () => {
    const start = (workflow: string) => send(token, 'POST', '/runs', { workflow });
    expect((await start('etl/etl-flow')).status).toBe(202);
    expect(await start('hidden/hidden-flow')).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('your token is for project etl alone') },
    });
    expect((await send(token, 'POST', `/runs/${other}/pause`)).status).toBe(404);
    expect((await send(token, 'POST', `/runs/${mine}/pause`)).status).not.toBe(404);
    const file = (project: string) => `project: ${project}\nname: new\ntasks: [{name: a, type: shell}]`;
    expect((await publish(file('etl'), token)).status).toBe(200);
    expect((await publish(file('hidden'), token)).status).toBe(403);
    expect((await publish(`${file('etl')}\n---\n${file('hidden')}`, token)).status).toBe(403);
  });

  it('is not told names of other projects by what was perhaps meant', async () => {
    const ask = (asked: string) => send(asked, 'GET', '/workflows/etl/hidden-flow');
    expect((await ask(ROOT)).body.detail).toContain('did you mean "hidden/hidden-flow"?');
    expect((await ask(token)).body.detail).toBe('there is no workflow etl/hidden-flow');
  });

  it('gives tokens for its project alone', async () => {
    const give = (project: string | null) =>
      send(token, 'POST', '/tokens', { name: 'x', role: 'viewer', project });
    expect((await give('etl')).status).toBe(201);
    expect((await give('hidden')).status).toBe(403);
    expect((await give(null)).status).toBe(403);
    const { id } = await make('viewer');
    expect((await send(token, 'DELETE', `/tokens/${id}`)).status).toBe(404);
    expect((await send(token, 'GET', '/tokens')).body.tokens).toHaveLength(2);
  });
});

describe('a browser', () => {
  const cookieOf = (headers: Record<string, unknown>) => String(headers['set-cookie']);
  const sameSite = {
    origin: 'http://localhost:7070',
    'sec-fetch-site': 'same-origin',
    host: 'localhost:7070',
  };

  const sessionOf = async (token: string) => {
    const { headers } = await send(undefined, 'POST', '/session', { token }, sameSite);
    return cookieOf(headers).split(';')[0];
  };

  it('is signed in by a cookie that pages cannot read, and out again', async () => {
    const { token } = await make('operator');
    const signedIn = await send(undefined, 'POST', '/session', { token }, sameSite);
    expect(signedIn).toMatchObject({ status: 200, body: { name: 'a operator', role: 'operator' } });
    expect(cookieOf(signedIn.headers)).toMatch(
      /^orrery_session=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
    );
    const cookie = cookieOf(signedIn.headers).split(';')[0];
    const asked = await send(undefined, 'GET', '/me', undefined, { cookie: `a=b; ${cookie}` });
    expect(asked).toMatchObject({ status: 200, body: { name: 'a operator' } });
    const out = await send(undefined, 'DELETE', '/session', undefined, { ...sameSite, cookie });
    expect(cookieOf(out.headers)).toContain('orrery_session=; Path=/; Max-Age=0');
    // Whoever kept a copy of the cookie is signed out too; the token goes on.
    expect((await send(undefined, 'GET', '/me', undefined, { cookie })).status).toBe(401);
    expect((await send(token, 'GET', '/me')).status).toBe(200);
  });

  it('has a session that is not the token, and ends with it', async () => {
    const { id, token } = await make('operator');
    const cookie = await sessionOf(token);
    expect(cookie).not.toContain(token);
    expect(
      (await send(undefined, 'GET', '/me', undefined, { cookie: `orrery_session=${token}` })).status,
    ).toBe(401);
    expect((await send(undefined, 'GET', '/me', undefined, { cookie })).status).toBe(200);
    await send(ROOT, 'DELETE', `/tokens/${id}`);
    expect((await send(undefined, 'GET', '/me', undefined, { cookie })).status).toBe(401);
  });

  it('is signed in with the token of the server until that is another one', async () => {
    const cookie = await sessionOf(ROOT);
    const me = (app: TestApi) => app.app.inject({ method: 'GET', url: '/api/v1/me', headers: { cookie } });
    expect((await me(api)).statusCode).toBe(200);
    const other = await testApi({ store: api.store, token: 'another-token-of-the-same-server' });
    expect((await me(other)).statusCode).toBe(401);
    await other.app.close();
  });

  it.each(['text/plain', 'text/plain;charset=utf-8'])('cannot send a body of type %s', async (type) => {
    const reply = await send(ROOT, 'POST', '/runs', '{"workflow":"w"}', { 'content-type': type });
    expect(reply.status).toBe(415);
  });

  it('sends its session over TLS alone where it came that way', async () => {
    const forwarded = { ...sameSite, 'x-forwarded-proto': 'https' };
    const { headers } = await send(undefined, 'POST', '/session', { token: ROOT }, forwarded);
    expect(cookieOf(headers)).toMatch(/; Secure$/);
  });

  it('keeps the session no longer than its token lives', async () => {
    const { token } = await make('viewer', { days: 1 });
    const { headers } = await send(undefined, 'POST', '/session', { token }, sameSite);
    expect(cookieOf(headers)).toContain(`Max-Age=${DAY / 1_000};`);
  });

  it('is told when its login has expired', async () => {
    const { token } = await make('viewer', { days: 1 });
    const cookie = await sessionOf(token);
    api.now += DAY + 1;
    expect(await send(undefined, 'GET', '/me', undefined, { cookie })).toMatchObject({
      status: 401,
      body: { detail: 'this session has ended; sign in again' },
    });
  });

  it('cannot be used by a page of another site, nor by one that does not say what it is', async () => {
    const { token } = await make('operator');
    const cookie = await sessionOf(token);
    const start = (headers: object) =>
      send(undefined, 'PUT', '/me/preferences', {}, { host: 'localhost:7070', cookie, ...headers });
    expect((await start({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await start({})).status).toBe(403);
    expect((await start(sameSite)).status).toBe(200);
  });

  it('is refused with a token that is none', async () => {
    expect((await send(undefined, 'POST', '/session', { token: 'wrong' })).status).toBe(401);
    expect((await send(undefined, 'POST', '/session', { token: 'a; Path=/' })).status).toBe(401);
  });
});

describe('wrong tokens', () => {
  it('are answered more slowly after many of them from one address, and for a minute only', async () => {
    const { token } = await make('viewer');
    await send(token, 'GET', '/me');
    for (let k = 0; k < 20; k++) expect((await send(`wrong${k}`, 'GET', '/me')).status).toBe(401);
    const { status, headers } = await send('another', 'GET', '/me');
    expect([status, headers['retry-after']]).toEqual([429, '60']);
    // Neither the server's own token nor whoever was recognised before is kept out by what others send.
    expect((await send(ROOT, 'GET', '/me')).status).toBe(200);
    api.now += 30_000;
    expect((await send(token, 'GET', '/me')).status).toBe(200);
    expect((await send('another', 'GET', '/me')).status).toBe(429);
    api.now += 30_001;
    expect((await send(ROOT, 'GET', '/me')).status).toBe(200);
    expect((await send('another', 'GET', '/me')).status).toBe(401);
  });
});

describe('a token that was made with another', () => {
  it('ends with it, and not later', async () => {
    const parent = await make('admin', { days: 2 });
    const child = await send(parent.token, 'POST', '/tokens', { name: 'child', role: 'admin', days: 90 });
    expect(child.body).toMatchObject({ parent: parent.id, expiresAt: parent.expiresAt });
    const grandchild = await send(child.body.token, 'POST', '/tokens', {
      name: 'grandchild',
      role: 'viewer',
    });
    const other = await make('viewer');
    await send(ROOT, 'DELETE', `/tokens/${parent.id}`);
    for (const { token } of [parent, child.body, grandchild.body])
      expect((await send(token, 'GET', '/me')).status).toBe(401);
    expect((await send(other.token, 'GET', '/me')).status).toBe(200);
  });

  it.each(['admin', 'Admin', ' nobody', 'system', 'a\u001bb', 'ad\u202emin'])(
    'cannot have the name %j',
    async (name) => {
      const { status, body } = await send(ROOT, 'POST', '/tokens', { name, role: 'viewer' });
      expect([status, body.detail]).toEqual([422, expect.stringMatching(/^name: /)]);
    },
  );
});

describe('behind a proxy', () => {
  it('callers are told apart by the address that a trusted proxy saw, and by no other', async () => {
    const behind = await testApi({ token: ROOT, trustedProxy: ['127.0.0.0/8', '10.0.0.0/8'] });
    const ask = async (forwarded: string, token: string, remoteAddress = '127.0.0.1') => {
      const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': forwarded };
      return (await behind.app.inject({ method: 'GET', url: '/api/v1/me', headers, remoteAddress }))
        .statusCode;
    };
    for (let k = 0; k < 20; k++)
      expect(await ask(`1.1.1.${k}, 203.0.113.9, 10.0.0.1`, `wrong${k}`)).toBe(401);
    expect(await ask('203.0.113.9', 'another')).toBe(429);
    expect(await ask('203.0.113.10', 'another')).toBe(401);
    // The first addresses are what the caller wrote itself.
    expect(await ask('203.0.113.10, 203.0.113.9', 'another')).toBe(429);
    // Not from a proxy that is trusted: the header means nothing.
    expect(await ask('203.0.113.9', 'another', '198.51.100.7')).toBe(401);
    await behind.app.close();
    await behind.store.close();
  });
});

describe('many wrong tokens at once', () => {
  it('are no more than many in a row', async () => {
    const all = await Promise.all(Array.from({ length: 60 }, (_, k) => send(`guess${k}`, 'GET', '/me')));
    expect(all.filter(({ status }) => status === 401)).toHaveLength(20);
    expect(all.filter(({ status }) => status === 429)).toHaveLength(40);
  });
});

describe('an idempotency key', () => {
  it('belongs to its caller', async () => {
    await send(ROOT, 'POST', '/workflows', { name: 'keyed', tasks: [{ name: 'a', type: 'shell' }] });
    const start = async (token: string) =>
      (await send(token, 'POST', '/runs', { workflow: 'keyed' }, { 'idempotency-key': 'k1' })).body;
    const [one, two] = [await make('operator'), await make('operator')];
    const first = await start(one.token);
    expect(await start(one.token)).toMatchObject({ id: first.id, repeated: true });
    const second = await start(two.token);
    expect([second.repeated, second.id === first.id]).toEqual([false, false]);
  });
});

describe('what a caller keeps', () => {
  it('is its own', async () => {
    const [one, two] = [await make('viewer'), await make('viewer')];
    const preferences = { zone: 'UTC', views: [{ name: 'failed', query: 'state=failed' }] };
    expect((await send(one.token, 'PUT', '/me/preferences', preferences)).body).toEqual({ preferences });
    expect((await send(one.token, 'GET', '/me')).body.preferences).toEqual(preferences);
    expect((await send(two.token, 'GET', '/me')).body.preferences).toEqual({});
  });

  it('is changed in part', async () => {
    const { token } = await make('viewer');
    const views = { failed: 'state=failed', mine: 'owner=ada' };
    await send(token, 'PUT', '/me/preferences', { zone: 'UTC', views });
    const change = { views: { mine: null, slow: 'duration=1h..' } };
    const preferences = { zone: 'UTC', views: { failed: 'state=failed', slow: 'duration=1h..' } };
    expect((await send(token, 'PATCH', '/me/preferences', change)).body).toEqual({ preferences });
    expect((await send(token, 'GET', '/me')).body.preferences).toEqual(preferences);
    const more = { more: 'y'.repeat(64_000) };
    expect((await send(token, 'PATCH', '/me/preferences', more)).status).toBe(200);
    const { status, body } = await send(token, 'PATCH', '/me/preferences', { yet: more });
    expect([status, body.detail]).toEqual([422, 'preferences: must be at most 64 KB of JSON']);
  });

  it('has a bound', async () => {
    const { status, body } = await send(ROOT, 'PUT', '/me/preferences', { x: 'y'.repeat(70_000) });
    expect([status, body.detail]).toEqual([422, 'must be at most 64 KB of JSON']);
  });
});

describe('settings', () => {
  it('are shown with their source, secrets without their value', async () => {
    const { body } = await send(ROOT, 'GET', '/config');
    expect(body.settings).toEqual([
      { name: 'port', value: 7070, source: 'default', secret: false },
      { name: 'token', value: null, source: 'ORRERY_TOKEN', secret: true },
    ]);
  });
});

describe('without a server token', () => {
  it('everybody is an admin, and nobody has to sign in', async () => {
    const open = await testApi();
    expect((await open.get('/me')).body).toMatchObject({ name: 'admin', role: 'admin', signedIn: false });
    await open.app.close();
    await open.store.close();
  });
});

describe('what can be done about a need', () => {
  it('is refused with the reason to viewers, and to those of one project', async () => {
    await publish('project: etl\nname: daily\ntasks: [{name: load, type: shell}]\n');
    const { body } = await send(ROOT, 'POST', '/runs', { workflow: 'etl/daily' });
    await api.hand.claim();
    await api.hand.change(body.id, {
      state: 'failed',
      endedAt: api.now,
      tasks: [[0, api.hand.task('failed')]],
    });
    const actionsFor = async (token: string) => {
      api.now += 1_001;
      const { needs } = (await send(token, 'GET', '/overview')).body;
      return needs.find(({ kind }: { kind: string }) => kind === 'failed').actions;
    };
    const reason = 'this needs the role operator; an admin can give it to you';
    expect(await actionsFor((await make('viewer')).token)).toEqual([
      { name: 'recover', allowed: false, reason, code: 'access.needsRole', fields: { role: 'operator' } },
      { name: 'mute', allowed: false, reason, code: 'access.needsRole', fields: { role: 'operator' } },
    ]);
    expect(await actionsFor((await make('operator', { project: 'etl' })).token)).toEqual([
      { name: 'recover', allowed: true },
      {
        name: 'mute',
        allowed: false,
        reason:
          'this concerns all projects; your token is for project etl alone; an admin can give you another',
        code: 'access.everyProject',
        fields: { project: 'etl' },
      },
    ]);
  });
});
