/**
 * The red team: someone with a token of one project, a task of another system user, a forged worker and a stranger try to
 * get through the walls of a real server. Each attack says what must not happen.
 */
import { createHash, createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFull } from '@orrery/testkit/tier';
import type { MasterFrame, WorkerFrame } from '@orrery/wire/frames';
import { connectMaster } from '@orrery/wire/network';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRoot, TENANT } from '../../packages/worker/src/testing/tenants.ts';
import { JOIN_TOKEN, SECRET, SERVER_TOKEN, Target } from './target.ts';

const target = new Target();
let attacker: string;
let viewer: string;

beforeAll(async () => {
  await target.start();
  attacker = await target.token('editor', 'attacker');
  viewer = await target.token('viewer', 'victim');
  const flow = {
    project: 'victim',
    name: 'flow',
    params: { given: 'nothing' },
    triggers: [{ name: 'sent', webhook: { secret: 'hook', params: { given: 'body.value' } } }],
    tasks: [{ name: 't', type: 'shell', with: { script: 'echo "got ${given}"; echo ${given}' } }],
  };
  expect((await target.publish(SERVER_TOKEN, flow)).status).toBe(200);
});
afterAll(() => target.stop());

const script = (text: string, more = {}) => ({
  project: 'attacker',
  name: 'evil',
  tasks: [{ name: 't', type: 'shell', with: { script: text } }],
  ...more,
});

describe('a token of another project', () => {
  it.each([
    ['sub-workflow', { tasks: [{ name: 't', type: 'sub-workflow', with: { workflow: 'victim/flow' } }] }],
    [
      'dynamic',
      {
        tasks: [
          { name: 't', type: 'dynamic', with: { workflow: 'victim/flow', over: { given: ['$(id)'] } } },
        ],
      },
    ],
    [
      'dependent',
      {
        tasks: [
          { name: 't', type: 'dependent', with: { all: [{ workflow: 'victim/flow', window: 'today' }] } },
        ],
      },
    ],
    ['a trigger', { triggers: [{ name: 'x', after: 'victim/flow' }] }],
  ])('does not reach its workflows by %s', async (_, more) => {
    const { status, text } = await target.publish(attacker, script('true', more));
    expect([status, text]).toEqual([422, expect.stringContaining('callableFrom')]);
  });

  it.each([
    'GET /workflows/victim/flow',
    'GET /workflows/victim/flow/draft',
    'PUT /workflows/victim/flow/draft',
    'POST /workflows/victim/flow/rename',
    'DELETE /workflows/victim/flow',
    'GET /connections/victim/db',
    'PUT /connections/victim/db',
    'PUT /projects/victim',
    'PUT /worker-groups/vault',
    'POST /tokens',
    'GET /audit',
    'GET /config',
    'GET /metrics',
    'GET /jobs',
    'GET /refused-calls',
    'GET /ownership/schedules',
    'GET /invitations',
    'GET /calendars/victim/holidays',
    'DELETE /calendars/victim/holidays',
    'GET /task-groups/victim/g',
    'GET /alerts?project=victim',
    'GET /alert-rules?project=victim',
    'GET /alert-channels',
    'GET /approvals?project=victim',
    'GET /views?project=victim',
    'GET /search?q=flow&project=victim',
    'GET /ticks?project=victim',
    'GET /runs?workflow=victim/flow',
    'GET /bulks?project=victim',
    'GET /deliveries/1',
    'POST /alerts/1/acknowledge',
    'POST /deliveries/1/retry',
    'PUT /workflows/victim/flow/online',
    'POST /workflows/victim/flow/draft/run',
    'POST /workflows/victim/flow/draft/publish',
    'POST /workflows/victim/flow/versions/1/restore',
    'POST /alert-rules/*/preview',
    'POST /alert-mutes/victim',
    'POST /alert-channels/*/ops/test',
    'POST /alert-channels/victim/ops/test',
    'DELETE /alert-channels/*/ops',
    'DELETE /alert-rules/victim/failures',
    'DELETE /alert-mutes/victim/1',
    'POST /connections/victim/db/test',
  ])('is refused by %s', async (request) => {
    const body = request.startsWith('GET') || request.startsWith('DELETE') ? undefined : {};
    const { status, text } = await target.ask(attacker, request, body);
    expect([400, 403, 404, 422]).toContain(status);
    expect(text).not.toContain('got ${given}');
  });

  it.each([
    ['POST /runs', { workflow: 'victim/flow' }],
    ['POST /runs/batch', { runs: [{ workflow: 'attacker/evil' }, { workflow: 'victim/flow' }] }],
    ['POST /backfills', { workflow: 'victim/flow', times: ['2026-01-01T00:00:00Z'] }],
    ['POST /bulks', { action: 'stop', filter: { project: 'victim' } }],
    ['POST /bulks', { action: 'stop', filter: { workflow: 'victim/flow' } }],
    // A channel of this kind starts programs on the masters.
    ['PUT /alert-channels/attacker/x', { kind: 'script', settings: { program: '/bin/sh' } }],
    ['PUT /alert-rules/*/x', { name: 'x', channels: ['x'] }],
    ['PUT /calendars/victim/x', { yearly: ['12-25'] }],
    ['PUT /worker-groups/default', { projects: ['attacker'] }],
    ['POST /invitations', { worker: 'evil', groups: ['default'] }],
  ])('is refused by %s with %j', async (request, body) => {
    expect((await target.ask(attacker, request, body)).status).toBe(403);
  });

  it('sees and controls no run of it, whatever names the run', async () => {
    const { body: run } = await target.ask(SERVER_TOKEN, 'POST /runs', { workflow: 'victim/flow' });
    const { id } = run;
    const requests = [
      ...['', '/tasks', '/events', '/waits'].map((part) => `GET /runs/${id}${part}`),
      ...[`GET /why/${id}`, `GET /why/${id}.t`, `GET /task-runs/${id}.t`, `GET /task-runs/${id}.t/attempts`],
      ...[`GET /attempts/${id}.t.1/log`, `GET /attempts/${id}.t.1/log/search?text=got`],
      ...['pause', 'stop', 'rerun', 'recover', 'replay', 'set-params'].map(
        (name) => `POST /runs/${id}/${name}`,
      ),
      ...[`POST /task-runs/${id}.t/answer`, `POST /task-runs/${id}.t/answer-links`, `PUT /runs/${id}/tags`],
    ];
    for (const request of requests) {
      const { status, text } = await target.ask(
        attacker,
        request,
        request.startsWith('GET') ? undefined : {},
      );
      expect([request, [400, 403, 404, 422].includes(status)]).toEqual([request, true]);
      expect(text).not.toMatch(/nothing|got/);
    }
    const found = await target.ask(attacker, `GET /search?q=${id}`);
    const kinds = found.body.hits.map(({ kind }: { kind: string }) => kind);
    expect(kinds.filter((kind: string) => /run|attempt|workflow/.test(kind))).toEqual([]);
    const bulk = { action: 'stop', ids: [id], dryRun: true };
    expect((await target.ask(attacker, 'POST /bulks', bulk)).text).not.toMatch(/"allowed":[1-9]/);
  });

  it('does not run its workflows again by a backfill that someone else started over both', async () => {
    const daily = { ...script('true'), name: 'daily', callableFrom: ['victim'], tenant: TENANT };
    expect((await target.publish(attacker, daily)).status).toBe(200);
    const all = [{ workflow: 'attacker/daily', window: 'today' }];
    const after = {
      project: 'victim',
      name: 'after',
      tasks: [{ name: 'w', type: 'dependent', with: { all } }],
    };
    expect((await target.publish(SERVER_TOKEN, after)).status).toBe(200);
    const asked = { workflow: 'attacker/daily', times: ['2026-01-01T00:00:00Z'], includeDownstream: true };
    const { body: made } = await target.ask(SERVER_TOKEN, 'POST /backfills', asked);
    const runsOf = async () =>
      (await target.ask(SERVER_TOKEN, 'GET /runs?workflow=victim/after')).body.runs.length;
    await expect.poll(runsOf).toBe(1);
    for (const control of ['rerun', 'recover', 'stop', 'pause'])
      expect((await target.ask(attacker, `POST /runs/${made.id}/${control}`, {})).status).toBe(403);
    const bulk = { action: 'rerun', ids: [made.id], dryRun: true };
    expect((await target.ask(attacker, 'POST /bulks', bulk)).body.would.allowed).toBe(0);
    expect(await runsOf()).toBe(1);
  });

  it.each([
    ['a connection', { type: 'sql', with: { connection: 'victim/db', sql: 'SELECT 1' } }],
    ['the API of the server', { type: 'http', with: { url: 'http://127.0.0.1:1/', outputs: {} } }],
    ['a metadata service', { type: 'wait', with: { url: 'http://[::ffff:a9fe:a9fe]/', timeout: 1 } }],
    ['a port of the inside', { type: 'wait', with: { port: 22, host: '169.254.169.254', timeout: 1 } }],
    ['a file of the worker', { type: 'wait', with: { file: '/etc/shadow', timeout: 1 } }],
  ])('does not reach %s by a task', async (_, task) => {
    if (!isRoot) return;
    const tasks = [{ name: 't', ...task }];
    const published = await target.publish(attacker, { project: 'attacker', name: 'reach', tasks });
    if (published.status !== 200) return expect(published.status).toBe(422);
    expect(await target.run(attacker, 'attacker/reach')).toMatchObject({ state: 'failed' });
  });

  it('does not read its secrets', async () => {
    await target.publish(attacker, script('echo "${secret.pw}"'));
    const { state, log } = await target.run(attacker, 'attacker/evil');
    expect([state, log.includes(SECRET)]).toEqual(['failed', false]);
  });

  it('runs nothing on a worker group and in an environment of others', async () => {
    await target.ask(SERVER_TOKEN, 'PUT /worker-groups/vault', { projects: ['victim'] });
    const environment = { variables: { KEY: 'shown-to-victims-alone' }, projects: ['victim'] };
    await target.ask(SERVER_TOKEN, 'PUT /environments/closed', environment);
    for (const more of [{ workerGroup: 'vault' }, { environment: 'closed' }]) {
      const { status, text } = await target.publish(attacker, script('env', more));
      expect([status, text.includes('shown-to-victims')]).toEqual([422, false]);
    }
    expect((await target.ask(attacker, 'GET /environments')).text).not.toContain('closed');
  });
});

describe('a viewer', () => {
  it.each([
    ['POST /runs', { workflow: 'victim/flow' }],
    ['PUT /workflows/victim/flow/draft', { text: 'x' }],
    ['PUT /connections/victim/db', { kind: 'sqlite', settings: {} }],
    ['POST /connections/victim/db/test', {}],
    ['POST /bulks', {}],
  ])('changes nothing by %s', async (request, body) => {
    expect((await target.ask(viewer, request, body)).status).toBe(403);
  });
});

describe('a hostile value', () => {
  it.each(['$(touch CANARY)', '`touch CANARY`', "'; touch CANARY; '", 'a\ntouch CANARY\n', '${secret.pw}'])(
    'is no command and no reference: %j',
    async (value) => {
      const canary = join(target.folder, 'canary');
      const given = value.replaceAll('CANARY', canary);
      const { state, log } = await target.run(SERVER_TOKEN, 'victim/flow', { given });
      expect([state, existsSync(canary), log.includes(SECRET)]).toEqual(['success', false, false]);
      expect(log).toContain(`got ${given.split('\n')[0]}`);
    },
  );

  it.each([
    ['a shell in a container', 'container', { image: 'a', command: ['sh', '-c', 'echo ${given}'] }],
    ['a statement that nothing binds', 'sqoop', { tool: 'import', connection: 'c', query: "'${given}'" }],
    ['the program', 'spark', { program: '${given}', file: 'a.jar' }],
    ['what Python installs', 'python', { code: 'pass', requirements: ['${given}'] }],
  ])('is not parsed by %s', async (_, type, settings) => {
    const flow = {
      project: 'victim',
      name: 'parsed',
      params: { given: 'nothing' },
      tenant: TENANT,
      tasks: [{ name: 't', type, with: settings }],
    };
    const published = await target.publish(SERVER_TOKEN, flow);
    expect([published.status, published.text]).toEqual([200, expect.stringContaining('an attempt fails if')]);
    const canary = join(target.folder, 'canary');
    const given = `'; touch ${canary}; '`;
    const { state, log } = await target.run(SERVER_TOKEN, 'victim/parsed', { given });
    expect([state, existsSync(canary)]).toEqual(['failed', false]);
    expect(log).not.toContain('touch');
  });
});

describe('a task', () => {
  it.each([
    ['the data folder', () => `cat '${target.data}'/* '${target.data}'/worker/spool/key`],
    [
      'tokens and secrets',
      () => `cat '${target.folder}/token' '${target.folder}/join' '${target.folder}'/secrets/*/*`,
    ],
    ['what its worker was started with', () => 'cat /proc/$PPID/environ /proc/$PPID/mem | head -c 100000'],
    ['work folders of others', () => `ls -R '${target.folder}'/work; cat '${target.folder}'/work/*/*`],
  ])('of another system user does not read %s', async (_, attack) => {
    if (!isRoot) return expect(target.printed).not.toContain('isolation');
    await target.publish(
      attacker,
      script(`(${attack()}) 2>&1 | tr -d '\\000'; id -un; :`, { tenant: TENANT }),
    );
    const { state, log } = await target.run(attacker, 'attacker/evil');
    expect([state, log]).toEqual(['success', expect.stringContaining(TENANT)]);
    expect(log).toMatch(/denied|Permission|cannot|No such/i);
    for (const hidden of [SERVER_TOKEN, JOIN_TOKEN, SECRET]) expect(log).not.toContain(hidden);
  });

  it('runs as nobody else: neither root nor an unlisted user', async () => {
    if (!isRoot) return;
    for (const tenant of ['root', 'man']) {
      await target.publish(attacker, script('id -un', { tenant }));
      expect(await target.run(attacker, 'attacker/evil')).toMatchObject({ state: 'failed' });
    }
  });

  it('leaves nothing behind, and cannot end its guard', async () => {
    if (!isRoot) return;
    const mark = '86399.25';
    const attack = `setsid env -i /bin/sleep ${mark} & kill -9 $PPID; kill -9 -1; echo alive`;
    await target.publish(attacker, script(attack, { tenant: TENANT }));
    await target.run(attacker, 'attacker/evil');
    const sleeping = () =>
      readdirSync('/proc')
        .filter((pid) => /^\d+$/.test(pid))
        .filter((pid) => commandOf(pid).includes(mark));
    await expect.poll(sleeping).toEqual([]);
    expect((await target.run(SERVER_TOKEN, 'victim/flow')).state).toBe('success');
  });
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

describe('a forged worker', () => {
  const options = { token: JOIN_TOKEN, timeout: 5_000 };
  const say = async (frames: readonly WorkerFrame[], token = JOIN_TOKEN): Promise<MasterFrame[]> => {
    const channel = connectMaster(target.join, { ...options, token });
    const heard: MasterFrame[] = [];
    const over = new Promise<void>((resolve) => channel.onClose(() => resolve()));
    channel.onFrame((frame) => heard.push(frame));
    for (const frame of frames) channel.send(frame);
    await over;
    return heard;
  };
  const hello = { type: 'hello', worker: 'one', address: '', groups: ['default'], slots: 99 } as const;

  it('is not let in without the join token', async () => {
    expect(await say([hello], 'not-the-join-token-of-the-cluster')).toEqual([]);
  });

  it.each([
    ['its name', hello],
    ['its session', { ...hello, resume: { epoch: 1, take: 1 }, key: 'guessed' }],
  ])('does not take %s from a live worker', async (_, frame) => {
    const heard = await say([frame]);
    expect(heard).toMatchObject([{ type: 'refused' }]);
    expect((await target.run(SERVER_TOKEN, 'victim/flow')).state).toBe('success');
  });
});

describe('a stranger', () => {
  const hook = (headers: Record<string, string>, body = '{"value":"x"}') =>
    target.ask(undefined, 'POST /hooks/victim/flow/sent', body, headers);
  const signed = (delivery: string, body: string, path = 'victim/flow/sent') => {
    const seconds = String(Math.floor(Date.now() / 1_000));
    const sum = createHash('sha256').update(body).digest('hex');
    const text = ['POST', path, seconds, delivery, sum].join('\n');
    const digest = createHmac('sha256', 'what-requests-are-signed-with').update(text).digest('hex');
    return { 'orrery-timestamp': seconds, 'orrery-delivery': delivery, 'orrery-signature': `v2=${digest}` };
  };

  it('starts nothing by a webhook that is unsigned, changed, for another hook or sent again', async () => {
    const body = '{"value":"x"}';
    expect((await hook({})).status).not.toBe(202);
    expect((await hook(signed('d1', body), '{"value":"y"}')).status).not.toBe(202);
    expect((await hook(signed('d1', body, 'victim/flow/other'))).status).not.toBe(202);
    const { 'orrery-signature': v2, ...rest } = signed('d1', body);
    const github = { ...rest, 'x-hub-signature-256': v2.replace('v2=', 'sha256=') };
    expect((await hook(github)).status).not.toBe(202);
    const headers = signed('d2', body);
    const first = await hook(headers);
    expect([first.status, (await hook(headers)).body]).toEqual([202, { ...first.body, repeated: true }]);
  });

  it.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
  ])('sends no body of type %s', async (type, status) => {
    const answer = await target.ask(attacker, 'POST /workflows', 'name: x', { 'content-type': type });
    expect(answer.status).toBe(status);
  });

  it('does not use a session that was signed out', async () => {
    const origin = { 'sec-fetch-site': 'same-origin' };
    const signIn = await target.session(viewer);
    const cookie = { cookie: signIn, ...origin };
    expect((await target.ask(undefined, 'GET /me', undefined, cookie)).status).toBe(200);
    await target.ask(undefined, 'DELETE /session', undefined, cookie);
    expect((await target.ask(undefined, 'GET /me', undefined, cookie)).status).toBe(401);
  });
});

describe('a token that ends', () => {
  it('takes those with it that were made with it', async () => {
    const made = await target.ask(SERVER_TOKEN, 'POST /tokens', {
      name: 'parent',
      role: 'admin',
      project: 'attacker',
    });
    const child = await target.ask(made.body.token, 'POST /tokens', {
      name: 'child',
      role: 'admin',
      project: 'attacker',
    });
    expect((await target.ask(child.body.token, 'GET /me')).status).toBe(200);
    await target.ask(SERVER_TOKEN, `DELETE /tokens/${made.body.id}`);
    expect((await target.ask(child.body.token, 'GET /me')).status).toBe(401);
  });
});

describe('much at once', () => {
  it('is refused before it costs anything, and the server goes on', async () => {
    // The first one is refused only after its three millionth sign.
    const large = isFull ? `name: w\ntasks: [${'a,'.repeat(2_150_000)}]` : '---\n1\n'.repeat(450_000);
    const yaml = { 'content-type': 'application/yaml' };
    const all = await Promise.all(
      Array.from({ length: 12 }, () => target.ask(viewer, 'POST /workflows/validate', large, yaml)),
    );
    for (const { status, text } of all)
      expect([status, text]).toEqual([
        expect.toBeOneOf([200, 503]),
        expect.stringMatching(/tokens|1000 documents|too many large/),
      ]);
    expect(all.some(({ status }) => status === 503)).toBe(true);
    expect((await target.ask(SERVER_TOKEN, 'GET /health')).status).toBe(200);
  });
});

// After all others: the address of this machine waits for a minute then.
describe('someone who guesses', () => {
  it('neither guesses tokens for long nor locks out those who have one', async () => {
    const guess = async (k: number) => (await target.ask(`orr_guess${k}`, 'GET /me')).status;
    const answers = [];
    for (let k = 0; k < 30; k++) answers.push(await guess(k));
    expect([...new Set(answers)]).toEqual([401, 429]);
    expect((await target.ask(SERVER_TOKEN, 'GET /me')).status).toBe(200);
    expect((await target.ask(viewer, 'GET /me')).status).toBe(200);
  });
});

describe('the audit', () => {
  it('has what was refused, with who tried; and nothing printed shows a secret', async () => {
    const { body } = await target.ask(SERVER_TOKEN, 'GET /audit?limit=500');
    const entries = body.entries as { action: string; actor: string; address: string | null }[];
    expect(entries.some(({ action, address }) => /refus|denied/.test(action) && address !== null)).toBe(true);
    expect(entries.some(({ actor }) => actor === 'editor of attacker')).toBe(true);
    for (const hidden of [SERVER_TOKEN, JOIN_TOKEN, SECRET]) {
      expect(target.printed).not.toContain(hidden);
      expect(JSON.stringify(entries)).not.toContain(hidden);
    }
  });

  it('keeps names that look like the server for the server', async () => {
    const named = { name: 'server', role: 'viewer', project: 'attacker' };
    expect((await target.ask(SERVER_TOKEN, 'POST /tokens', named)).status).toBe(422);
  });
});
