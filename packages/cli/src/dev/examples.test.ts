/** Every example, run by a real server: what its comment promises is what happens. */
import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { orrery } from '../run-binary.ts';
import { ServerProcess } from './server-process.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const examples = join(root, 'examples');
let folder: string;
let server: ServerProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-examples-'));
  process.env.ORRERY_SECRET_DB_PASSWORD = '$tr0ng "password"';
  process.env.ORRERY_HTTP_ALLOW = '127.0.0.1';
  process.env.ORRERY_SECRET_IMPORT_HOOK = 'what-requests-are-signed-with';
  server = await ServerProcess.start(join(folder, 'data'), '--code', root);
  expect(await call(['apply', '-f', examples])).toMatchObject({ code: 0, err: '' });
});
afterAll(async () => {
  await server?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const call = (args: readonly string[]) => orrery([...args, '--url', server.url]);

/** A run to its end. */
async function run(
  ...args: string[]
): Promise<{ id: number; state: string; log(task: string): Promise<string> }> {
  const { out, err } = await call(['run', ...args, '--wait', '--json']);
  // What it waits for is told, indented, to whoever waits long.
  expect(err.replace(/^ {2}.*\n/gm, '')).toBe('');
  const { id, state } = JSON.parse(out);
  return { id, state, log: async (task) => (await call(['logs', `${id}.${task}`])).out };
}

async function start(...args: string[]): Promise<number> {
  return JSON.parse((await call(['run', ...args, '--json'])).out).id;
}

interface RunTimes {
  readonly id: number;
  readonly state: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

/** The runs of a workflow once so many have ended, in the order of their ids. */
async function ended(workflow: string, count: number): Promise<RunTimes[]> {
  for (;;) {
    const { runs } = await server.get<{ runs: RunTimes[] }>(`/runs?workflow=${workflow}`);
    if (runs.filter(({ endedAt }) => endedAt !== null).length >= count) return runs.reverse();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Most runs that were open at the same time. */
function together(runs: readonly RunTimes[]): number {
  const open = (at: string | null) =>
    runs.filter(
      ({ startedAt, endedAt }) =>
        at !== null && startedAt !== null && endedAt !== null && startedAt <= at && at < endedAt,
    ).length;
  return Math.max(...runs.map(({ startedAt }) => open(startedAt)));
}

describe('the examples', () => {
  it('hello greets', async () => {
    const { state, log } = await run('hello', '--param', 'name=Ada');
    expect(state).toBe('success');
    expect(await log('greet')).toContain('hello, Ada! Your name has 3 letters.');
  });

  it('parameters come from the start, the business time and the task before', async () => {
    const { log } = await run('parameters', '--param', 'region=us', '--business-time', '2026-03-01 00:00:00');
    expect(await log('count')).toContain('counting at most 100 orders in /data/us/20260228');
    expect(await log('report')).toContain('orders of us on 2026-02-28: 42');
    const refused = await call(['run', 'parameters', '--param', 'region=moon']);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('region') });
  });

  it('project parameters stand over those of all projects', async () => {
    expect(await call(['parameters', 'set', '-p', 'bucket=s3://data', '-p', 'region=eu'])).toMatchObject({
      code: 0,
    });
    await call(['projects', 'set', 'sales', '-p', 'bucket=${bucket}/sales']);
    const { log } = await run('sales/project-parameters');
    expect(await log('load')).toContain('loading s3://data/sales of eu');
  });

  it('secrets are known to the task and hidden in its log', async () => {
    const { state, log } = await run('secrets');
    expect(state).toBe('success');
    expect(await log('load')).toContain('loading from postgres://loader:***@warehouse/sales');
    expect(await log('load')).toContain('a password of 51 characters');
  });

  it('an ETL waits for a file and moves data with Python and SQL', async () => {
    const file = join(folder, 'shop.db');
    expect((await run('etl')).state).toBe('failed');
    const set = ['connections', 'set', 'shop', '--kind', 'sqlite', '-s'];
    expect(await call([...set, 'file=5', '-s', 'nope=1'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^orrery: .*nope/),
    });
    expect(await call([...set, `file=${file}`])).toMatchObject({ code: 0, err: '' });
    expect(await call(['connections', 'test', 'shop'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^connected to sqlite 3\.\S+ in \d+ ms\n$/),
    });
    const { state, log } = await run('etl', '--param', 'day=2026-11-18');
    expect(state).toBe('success');
    expect(await log('report')).toContain('3 orders of 2026-11-18, 240 in all');
    await call(['connections', 'set', 'shop', '-s', 'file=/nowhere/at/all.db']);
    expect(await call(['connections', 'test', 'shop'])).toMatchObject({
      code: 1,
      out: expect.stringContaining('unable to open database file'),
    });
    expect(await call(['connections', 'delete', 'shop'])).toMatchObject({
      err: expect.stringContaining('is used by default/etl'),
    });
  });

  it('approval waits for a person', async () => {
    const id = await start('approval');
    const list = async () => JSON.parse((await call(['approvals', 'list', '--json'])).out).approvals;
    while ((await list()).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await call(['approvals'])).out).toContain('Send 7 invoices?');
    expect((await call(['approvals', 'show', `${id}.ask`])).out).toMatch(/most +integer +7/);
    expect((await call(['why', `${id}.ask`])).out).toContain('waits for an answer to "Send 7 invoices?"');
    const { out: link } = await call(['approvals', 'link', `${id}.ask`, '--for', 'ann@example.com']);
    expect(await (await fetch(link.trim())).text()).toContain('Send 7 invoices?');
    const say = ['approvals', 'answer', `${id}.ask`];
    expect((await call([...say, 'perhaps'])).code).toBe(2);
    const said = await call([...say, 'yes', '--set', 'most=5']);
    expect(said).toMatchObject({ code: 0, out: `${id}.ask: yes by admin\n` });
    expect((await call([...say, 'no'])).code).not.toBe(0);
    while ((await server.get<{ state: string }>(`/runs/${id}`)).state !== 'success')
      await new Promise((resolve) => setTimeout(resolve, 50));
    const { out } = await call(['logs', `${id}.send`]);
    expect(out).toContain('sending 5 invoices by mail, approved by admin');
    expect((await fetch(link.trim())).status).toBe(404);
  });

  it('retries go on until an attempt succeeds', async () => {
    const { state, log } = await run('retries');
    expect(state).toBe('success');
    expect(await log('unreliable')).toContain('attempt 3');
    expect(await log('too-slow')).toContain('quick this time');
  });

  it('orders fail, and are recovered from the task that failed', async () => {
    const { id, state, log } = await run('orders');
    expect(state).toBe('failed');
    expect(await log('load')).toContain('ERROR connection refused: warehouse:5432 is restarting');
    expect(await call(['runs', 'recover', String(id)])).toMatchObject({ code: 0 });
    const show = () => server.get<{ state: string; round: number }>(`/runs/${id}`);
    while ((await show()).state !== 'success') await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await log('load')).toContain('loaded by attempt 2');
    expect(await log('report')).toContain('1204 orders of');
  });

  it('clean-up handles one failure, fails by the other, tells and releases', async () => {
    const { state, log } = await run('clean-up');
    expect(state).toBe('failed');
    expect(await log('copy-elsewhere')).toContain('copied elsewhere');
    expect(await log('tell')).toContain('something failed');
    expect(await log('release')).toContain('released');
    expect(await log('publish')).toBe('');
  });

  it.each([
    ['true', 'repair', 'publish'],
    ['false', 'publish', 'repair'],
  ])('conditions with broken=%s go on with %s', async (broken, taken, other) => {
    const { state, log } = await run('conditions', '--param', `broken=${broken}`);
    expect(state).toBe('success');
    expect(await log(taken)).not.toBe('');
    expect(await log(other)).toBe('');
    expect(await log('report')).toContain('reported');
  });

  it.each([
    ['0', 'nothing'],
    ['12', 'at-once'],
    ['5000', 'in-parts'],
  ])('switch with %s rows goes on with %s', async (rows, taken) => {
    const { state, log } = await run('switch', '--param', `rows=${rows}`);
    expect(state).toBe('success');
    for (const task of ['nothing', 'at-once', 'in-parts'])
      expect([task, (await log(task)) !== '']).toEqual([task, task === taken]);
  });

  it('sub-workflow takes values and gives one back', async () => {
    const { state, log } = await run('sub-workflow');
    expect(state).toBe('success');
    expect(await log('print')).toContain('the area is 42');
    expect(await (await run('area', '--param', 'width=3')).log('multiply')).toContain('area=3');
  });

  it('fan-out starts a run for every combination, two at a time', async () => {
    expect((await run('fan-out')).state).toBe('success');
    const runs = await ended('copy-table', 4);
    expect(together(runs)).toBeLessThanOrEqual(2);
    const logs = await Promise.all(runs.map(({ id }) => call(['logs', `${id}.copy`])));
    expect(logs.map(({ out }) => /copying (.*)/.exec(out)?.[1]).sort()).toEqual([
      'items of eu',
      'items of us',
      'orders of eu',
      'orders of us',
    ]);
  });

  it('shards each load their own part', async () => {
    const { id, state } = await run('shards');
    expect(state).toBe('success');
    const { out } = await call(['logs', `${id}.load`, '--shard', '1']);
    expect(out).toContain('shard 1 of 3 loads shanghai');
  });

  it('dependent waits for both loads of the day', async () => {
    // Of the same day, also where the day ends while this runs.
    const day = ['--business-time', '2026-03-01 12:00:00'];
    const report = await start('report', ...day);
    await run('load-orders', ...day);
    const { runs } = await server.get<{ runs: RunTimes[] }>('/runs?workflow=report');
    expect(runs).toMatchObject([{ id: report, endedAt: null }]);
    await run('load-stock', ...day);
    expect(await ended('report', 1)).toMatchObject([{ state: 'success' }]);
  });

  it('serial runs one after the other, in order', async () => {
    for (const number of [1, 2, 3]) await start('serial', '--param', `number=${number}`);
    const runs = await ended('serial', 3);
    expect(together(runs)).toBe(1);
    expect(runs.map(({ startedAt }) => startedAt)).toEqual(runs.map(({ startedAt }) => startedAt).sort());
  });

  it('limited runs two at a time', async () => {
    for (let k = 0; k < 5; k++) await start('limited');
    expect(together(await ended('limited', 5))).toBeLessThanOrEqual(2);
  });

  it('a task group is set up before workflows name it, and gives all its slots back', async () => {
    const file = join(examples, 'set-up', 'task-group.yaml');
    expect((await call(['apply', '-f', file])).err).toContain('there is no task group "warehouse"');
    await call(['groups', 'set', 'warehouse', '--slots', '2']);
    expect(await call(['apply', '-f', file])).toMatchObject({ code: 0 });
    const { state } = await run('task-group');
    expect(state).toBe('success');
    const { out } = await call(['groups', 'show', 'warehouse']);
    expect(out).toContain('0 of 2 slots taken, 0 waiting');
    const used = await call(['groups', 'delete', 'warehouse']);
    expect(used).toMatchObject({ code: 1, err: expect.stringContaining('used by default/task-group') });
  });

  it('an environment gives variables, its secrets hidden in the log', async () => {
    const variables = ['-v', 'PGHOST=db.example', '-v', 'PGPASSWORD=${secret.db_password}'];
    expect(await call(['environments', 'set', 'warehouse', ...variables])).toMatchObject({ code: 0 });
    await call(['apply', '-f', join(examples, 'set-up', 'environment.yaml')]);
    const { log } = await run('environment');
    expect(await log('load')).toContain('loading from db.example with ***');
  });

  it('tenants share the cap of all runs: a flood keeps nobody else waiting', async () => {
    await call(['apply', '-f', join(examples, 'set-up', 'tenants.yaml')]);
    // Nothing starts before all of them wait.
    await call(['limits', 'set', '--runs', '0']);
    for (let k = 0; k < 5; k++) await start('import-file');
    const report = await start('quick-report');
    expect((await call(['limits', 'set', '--runs', '1'])).code).toBe(0);
    await ended('quick-report', 1);
    const runs = [...(await ended('import-file', 5)), ...(await ended('quick-report', 1))];
    expect(await call(['limits', 'set', '--runs', 'none'])).toMatchObject({ code: 0 });
    const order = runs.toSorted((a, b) => (a.startedAt ?? '').localeCompare(b.startedAt ?? ''));
    expect(order.findIndex(({ id }) => id === report)).toBeLessThanOrEqual(1);
  });

  it('http hands a value of the answer on', async () => {
    const { state, log } = await run('http', '--param', `server=${server.url}`);
    expect(state).toBe('success');
    expect(await log('tell')).toMatch(/orrery [\d.]+ says ok/);
    // What the operator allows holds for all that connects to addresses.
    const set = ['connections', 'set', 'api', '--kind', 'http', '-s', `url=${server.url}/api/v1/health`];
    expect(await call(set)).toMatchObject({ code: 0 });
    expect(await call(['connections', 'test', 'api'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('status 200'),
    });
  });

  it('leave no schedule firing', async () => {
    const { schedules } = JSON.parse((await call(['schedules', '--json'])).out);
    expect(schedules.length).toBeGreaterThan(3);
    expect(schedules.filter(({ state }: { state: string }) => state !== 'paused')).toEqual([]);
  });

  it('schedule fires by itself once it is turned on', async () => {
    expect((await call(['schedules', 'resume', 'schedule', 'often'])).code).toBe(0);
    const first = (await ended('schedule', 1)).find(({ endedAt }) => endedAt !== null);
    expect(first).toMatchObject({ state: 'success' });
    const { out } = await call(['logs', `${first?.id}.report`]);
    expect(out).toMatch(/report for \d{4}-\d{2}-\d{2}, business time /);
    await call(['schedules', 'pause', 'schedule', 'often']);
  });

  it('triggers start a run after both reports, after a failure, and on a signed request', async () => {
    const figures = await run('sales-figures');
    const last = await run('stock-figures');
    const [digest] = await ended('digest', 1);
    const { out } = await call(['logs', `${digest.id}.send`]);
    expect(out).toContain('digest after default/stock-figures with 7 rows');
    const shown = await call(['runs', 'show', String(digest.id)]);
    expect(shown.out).toContain(`reports, after run ${last.id} of default/stock-figures`);
    expect(figures.state).toBe('success');
    await run('stock-figures', '--param', 'broken=true');
    expect(await ended('figures-alarm', 1)).toMatchObject([{ state: 'success' }]);

    const body = '{"object":{"path":"orders.csv"}}';
    const now = String(Math.floor(Date.now() / 1_000));
    const bodySum = createHash('sha256').update(body).digest('hex');
    const text = ['POST', 'default/import-orders/arrived', now, 'first', bodySum].join('\n');
    const sum = createHmac('sha256', process.env.ORRERY_SECRET_IMPORT_HOOK ?? '').update(text);
    const answer = await fetch(`${server.url}/api/v1/hooks/default/import-orders/arrived`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'orrery-timestamp': now,
        'orrery-delivery': 'first',
        'orrery-signature': `v2=${sum.digest('hex')}`,
      },
      body,
    });
    expect(answer.status).toBe(202);
    const [loaded] = await ended('import-orders', 1);
    expect((await call(['logs', `${loaded.id}.load`])).out).toContain('loading orders.csv');
  });

  it('deadline runs in time, and nobody is needed', async () => {
    const { id, state } = await run('deadline');
    expect(state).toBe('success');
    const { needs } = await server.get<{ needs: { kind: string; examples: string[] }[] }>('/overview');
    expect(needs.filter(({ examples }) => examples.includes(String(id)))).toEqual([]);
  });

  it('backfill runs each day and then what depends on it', async () => {
    const range = ['sales', '--from', '2026-03-28', '--to', '2026-03-30', '--downstream'];
    const dry = await call(['backfill', ...range, '--dry-run', '--utc']);
    // The clocks go forward on the second day.
    expect(dry.out.trimEnd().split('\n')).toEqual([
      '3 business times, 6 runs of default/sales, default/sales-report',
      '2026-03-28T03:30:00Z',
      '2026-03-29T02:30:00Z',
      '2026-03-30T02:30:00Z',
    ]);
    const { code, out } = await call(['backfill', ...range, '--parallel', '2', '--wait', '--json']);
    expect([code, JSON.parse(out).backfill]).toMatchObject([0, { total: 3, done: 3, failed: 0 }]);
    const logs = (await ended('sales-report', 3)).map(({ id }) => call(['logs', `${id}.send`]));
    const days = (await Promise.all(logs)).map(({ out }) => /report of (\S+)/.exec(out)?.[1]);
    expect(days.sort()).toEqual(['2026-03-28', '2026-03-29', '2026-03-30']);
    const shown = await call(['runs', 'show', String(JSON.parse(out).id)]);
    expect(shown.out).toContain('3 of 3 done, 0 failed, 0 open, 2 at once');
  });

  it('are all in the page that explains them', () => {
    const files = readdirSync(examples, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.yaml'));
    const page = readFileSync(join(root, 'docs', 'workflows', 'README.md'), 'utf8');
    for (const file of files) expect(page).toContain(`examples/${file})`);
  });
});
