/**
 * Every workflow of the documentation of tasks, run by a real server. The systems that no test can have are stand-ins:
 * commands of other products print their arguments, hosts and folders of the pages are ones of this machine.
 */
import { randomUUID } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@orrery/core/timing';
import { startElastic } from '@orrery/elastic';
import { taskPlugins } from '@orrery/tasks';
import { startKubernetesApi, TOKEN } from '@orrery/tasks/testing/kubernetes-api';
import { startMailServer } from '@orrery/tasks/testing/mail-server';
import { writeWheel } from '@orrery/tasks/testing/wheel';
import { testDatabase } from '@orrery/testkit/databases';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { ServerProcess } from './server-process.ts';

const root = join(import.meta.dirname, '../../../..');
const blocks = (file: string, language: string) =>
  [
    ...readFileSync(join(root, file), 'utf8').matchAll(
      new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'),
    ),
  ].map((match) => match[1]);
const pages = globSync('docs/tasks/*.md', { cwd: root });
const workflows = pages.flatMap((page) => blocks(page, 'yaml'));
const nameOf = (text: string) => /^name: (\S+)$/m.exec(text)?.[1] ?? '';
const ran = new Set<string>();

let folder: string;
let server: ServerProcess;
let shop: string;
let database: Awaited<ReturnType<typeof testDatabase>>;

/** A command that prints how it was called. */
function standIn(name: string, script = 'echo "$(basename "$0") $*"'): void {
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** The API of a shop, and the health of a warehouse. */
const api = createServer((request, response) => {
  const isKnown = request.headers.authorization === 'Bearer hush-hush-shop' || request.method === 'GET';
  const made = request.method === 'POST' ? 201 : 200;
  response.writeHead(isKnown ? made : 401, { 'content-type': 'application/json' });
  response.end(request.url === '/health' ? 'ready' : '{"data":{"id":"a/7"}}');
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-docs-'));
  for (const name of ['bin', 'home', 'code/jobs', 'code/scripts', 'code/reports', 'data', 'opt/jobs'])
    mkdirSync(join(folder, name), { recursive: true });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  shop = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  database = await testDatabase();
  Object.assign(process.env, {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    HOME: join(folder, 'home'),
    ORRERY_HTTP_ALLOW: '127.0.0.1',
    ORRERY_SECRET_SHOP_TOKEN: 'hush-hush-shop',
    ORRERY_SECRET_SHOP_PASSWORD: 'hush-hush-word',
    ORRERY_SECRET_CLUSTER_TOKEN: TOKEN,
    ORRERY_SECRET_MAIL_PASSWORD: 'hush-hush',
    ORRERY_SECRET_DEPLOY_KEY: 'a key',
    ORRERY_SECRET_DB_PASSWORD: 'hush-hush-word',
  });
  const plugin = join(root, 'examples/plugins/count-lines');
  server = await ServerProcess.start(
    join(folder, 'orrery'),
    ...['--code', join(folder, 'code'), '--plugin', plugin, '--slots', '8'],
  );
});
afterAll(async () => {
  await server?.end('SIGKILL');
  await database?.drop();
  await new Promise((resolve) => api.close(resolve));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function connect(name: string, kind: string, settings: object): Promise<void> {
  const answer = await fetch(`${server.url}/api/v1/connections/default/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind, settings }),
  });
  expect([answer.status, answer.ok ? '' : await answer.text()]).toEqual([200, '']);
}

/** A workflow of a page with places of this machine; it has begun. */
async function begin(name: string): Promise<number> {
  const text = workflows.find((each) => nameOf(each) === name) ?? '';
  const here = text
    .replaceAll(/https:\/\/(shop\.example|warehouse\.example\.org)/g, shop)
    // A pointer into an answer is no path.
    .replaceAll(/(?<=[ '"[])(?<!order: )\/(data|opt|lake)\//g, `${folder}/$1/`);
  const published = await server.post('/workflows', here, 'application/yaml');
  expect([published.status, published.ok ? '' : await published.text()]).toEqual([200, '']);
  const started = await server.post('/runs', JSON.stringify({ workflow: name }));
  ran.add(name);
  return ((await started.json()) as { id: number }).id;
}

interface Ended {
  readonly state: string;
  log(task: string): Promise<string>;
}

async function end(id: number): Promise<Ended> {
  const log = async (task: string) =>
    (await server.get<{ text: string }>(`/attempts/${id}.${task}.1/log`)).text;
  for (;;) {
    const { state } = await server.get<{ state: string }>(`/runs/${id}`);
    if (state === 'success') return { state, log };
    if (['failed', 'stopped', 'broken'].includes(state)) {
      const { why } = await server.get<{ why: string }>(`/why/${id}`);
      return { state: why, log };
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const run = async (name: string) => end(await begin(name));

it('shell, node and noop', async () => {
  standIn('pg_dump');
  writeFileSync(join(folder, 'code/scripts/report.sh'), '#!/bin/sh\necho reported\n', { mode: 0o755 });
  writeFileSync(join(folder, 'code/jobs/customers.ts'), blocks('docs/tasks/README.md', 'ts')[0]);
  const nightly = await run('nightly');
  expect([nightly.state, await nightly.log('report')]).toEqual([
    'success',
    expect.stringContaining('reported'),
  ]);
  const sync = await run('sync');
  expect([sync.state, await sync.log('customers')]).toEqual(['success', expect.stringContaining('page 4')]);
  // It is a rehearsal of a failure.
  expect((await run('rehearsal')).state).toMatch(/^failed.*break/);
});

it('a plugin', async () => {
  writeFileSync(join(folder, 'data/orders.csv'), 'a,paid\nb,open\n');
  const { state, log } = await run('check-orders');
  expect([state, await log('count')]).toEqual(['success', expect.stringContaining('1 of 2 lines')]);
});

it('http, with an order whose name is one part of the address', async () => {
  const { state, log } = await run('orders');
  expect([state, await log('check')]).toEqual(['success', expect.stringContaining('/api/orders/a%2F7')]);
});

it('wait', async () => {
  const { username, hostname, port, pathname } = new URL(database.url);
  const settings = { host: hostname, port: Number(port), database: pathname.slice(1), user: username };
  await connect('warehouse', 'postgresql', settings);
  const client = new pg.Client(database.url);
  await client.connect();
  const today = new Date().toISOString().slice(0, 10);
  const days = [today, today.replaceAll('-', '')];
  const export_ = join(folder, 'data/export', days[1]);
  try {
    await client.query('CREATE TABLE loads (day text, complete boolean)');
    const id = await begin('after-the-export');
    // system.biz.date is the day before the business time.
    await client.query(
      "INSERT INTO loads SELECT to_char(d, 'YYYYMMDD'), true FROM generate_series(now() - interval '2 days', now(), interval '1 day') d",
    );
    mkdirSync(export_, { recursive: true });
    writeFileSync(join(export_, '_SUCCESS'), '');
    const { state, log } = await end(id);
    expect([state, await log('load')]).toEqual(['success', expect.stringContaining('warehouse is up: true')]);
  } finally {
    await client.end();
  }
});

it('sql and procedure', async () => {
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    await client.query(`CREATE TABLE orders (day text, region text, amount int);
      CREATE TABLE daily_sales (day text, region text, amount int);
      INSERT INTO orders SELECT to_char(d, 'YYYY-MM-DD'), r, 5
        FROM generate_series(now() - interval '2 days', now(), interval '1 day') d, unnest(ARRAY['eu', 'us', 'asia']) r;
      CREATE SCHEMA accounts;
      CREATE PROCEDURE accounts.close_day(day text, OUT booked int, INOUT retries_used int)
        LANGUAGE plpgsql AS $$ BEGIN booked := 3; END $$`);
    const sales = await run('daily-sales');
    expect([sales.state, await sales.log('report')]).toEqual([
      'success',
      expect.stringContaining('10 in 2 lines'),
    ]);
    const { state, log } = await run('close-the-day');
    expect([state, await log('close')]).toEqual([
      'success',
      expect.stringContaining('CALL accounts.close_day with 3 arguments'),
    ]);
  } finally {
    await client.end();
  }
});

it('python, with a package from an index without a network', async () => {
  writeWheel(join(folder, 'wheels'), 'pandas', '2.3.3', '');
  mkdirSync(join(folder, 'home/.config/pip'), { recursive: true });
  writeFileSync(
    join(folder, 'home/.config/pip/pip.conf'),
    `[install]\nno-index = true\nfind-links = ${join(folder, 'wheels')}\n`,
  );
  writeFileSync(join(folder, 'code/jobs/publish.py'), 'import sys\nprint("published", *sys.argv[1:])\n');
  const { state, log } = await run('score');
  expect([state, await log('publish')]).toEqual(['success', expect.stringContaining('published --count 12')]);
});

it('mail', async () => {
  const { settings, messages } = await startMailServer();
  await connect('post', 'smtp', { ...settings, password: '${secret.mail_password}' });
  writeFileSync(join(folder, 'code/reports/sales.csv'), 'day,total\n');
  expect((await run('send-report')).state).toBe('success');
  expect(messages).toEqual([expect.stringContaining('The total is 1204.')]);
});

it('ssh', async () => {
  standIn('ssh', 'for last; do :; done\nexec /bin/sh -c "$last"');
  standIn('systemctl');
  mkdirSync(join(folder, 'home/shop'));
  writeFileSync(join(folder, 'home/shop/VERSION'), '1.4');
  await connect('shop-1', 'ssh', {
    host: 'shop-1.example.org',
    user: 'deploy',
    key: '${secret.deploy_key}',
    hostKey: 'ssh-ed25519 AAAA',
  });
  const { state, log } = await run('restart');
  expect([state, await log('restart')]).toEqual([
    'success',
    expect.stringMatching(/systemctl --user restart shop\n.*setValue\(version=1\.4\)/),
  ]);
});

it('container and kubernetes', async () => {
  standIn('podman', 'echo "podman $*"; [ "$1" != run ] || echo "${DB_PASSWORD:+a password}"');
  const { state, log } = await run('nightly-load');
  expect([state, await log('load')]).toEqual([
    'success',
    expect.stringMatching(/podman run .* registry\.example\.org\/etl:7 load --day .*\na password/),
  ]);
  const cluster = await startKubernetesApi();
  await connect('cluster', 'kubernetes', { ...cluster.settings, token: '${secret.cluster_token}' });
  const id = await begin('nightly-train');
  while (cluster.jobs().length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const [job] = cluster.jobs();
  cluster.begin(job, 'trained\n');
  cluster.finish(job, 0);
  const trained = await end(id);
  expect([trained.state, await trained.log('train')]).toEqual([
    'success',
    expect.stringContaining('trained'),
  ]);
});

it('commands of other products', async () => {
  for (const name of [
    'spark-submit',
    'yarn',
    'dbt',
    'papermill',
    'sqoop',
    'seatunnel.sh',
    'beeline',
    'hadoop',
    'flink',
  ])
    standIn(name);
  mkdirSync(join(folder, 'opt/datax/bin'), { recursive: true });
  writeFileSync(join(folder, 'opt/datax/bin/datax.py'), 'import sys\nprint("datax.py", *sys.argv[1:])\n');
  const models = await run('nightly-models');
  expect(models.state).toBe('success');
  expect(await models.log('aggregate')).toMatch(
    /^spark-submit --master yarn --deploy-mode client --class org/m,
  );
  expect(await models.log('notebook')).toMatch(/^papermill \S+report\.ipynb \S+\.ipynb -p alpha 0\.5/m);
  await connect('shop', 'mysql', {
    host: 'shop.example.org',
    database: 'shop',
    password: '${secret.shop_password}',
  });
  await connect('lake', 'hive', { url: 'jdbc:hive2://lake.example.org:10000/default' });
  const moves = await run('nightly-moves');
  expect(moves.state).toBe('success');
  const lines: Record<string, RegExp> = {
    orders: /^sqoop import .*--connect jdbc:mysql:\/\/shop\.example\.org:3306\/shop .*--table orders/m,
    customers: /^datax\.py --jvm=-Xms2G -Xmx2G \S+job\.json$/m,
    events: /^seatunnel\.sh --config \S+job\.json --deploy-mode local/m,
    partitions: /^beeline -u jdbc:hive2:.* --hivevar day=\d{8} /m,
    count: /^hadoop jar \S+count\.jar org\.example\.Count .*\/lake\/counts$/m,
    score: /^flink run -t remote -p 4 .*-c org\.example\.Score \S+score\.jar$/m,
  };
  for (const [task, line] of Object.entries(lines)) {
    const log = await moves.log(task);
    expect(log).toMatch(line);
    expect(log).not.toContain('hush-hush');
  }
});

it('a job', async () => {
  const namespace = `docs-${randomUUID()}`;
  const clock = realClock({
    now: () => Date.now(),
    monotonic: () => performance.now(),
    setTimeout: (call, delay) => setTimeout(call, delay),
    clearTimeout: (handle) => clearTimeout(handle),
  });
  const jobs = await startElastic(
    { namespace, url: database.url, options: { sessionTimeout: 10_000, clock } },
    {
      clock,
      id: randomUUID,
      server: '10.0.0.1',
      pid: 1,
      zone: 'UTC',
      log: () => {},
      raise: () => {},
      runCommand: async () => 0,
      fetch,
      openChannel: () => Promise.reject(new Error('no channels here')),
    },
  );
  onTestFinished(() => jobs.stop(0));
  await jobs.schedule({ name: 'settle', shards: 3, onError: 'ignore', run: () => {} });
  const { username, host, pathname } = new URL(database.url);
  await connect('billing', 'jobs', { url: `postgres://${host}${pathname}`, namespace, user: username });
  const { state, log } = await run('close-of-day');
  expect([state, await log('report')]).toEqual(['success', expect.stringContaining('3 shards settled')]);
});

it('an approval', async () => {
  const id = await begin('release');
  const waiting = () => server.get<{ approvals: object[] }>('/approvals');
  while ((await waiting()).approvals.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  const body = JSON.stringify({ answer: 'yes', values: { most: '5' } });
  expect((await server.post(`/task-runs/${id}.ask/answer`, body)).status).toBe(202);
  const { state, log } = await end(id);
  expect([state, await log('send')]).toEqual([
    'success',
    expect.stringContaining('sending 5 by mail, approved by admin'),
  ]);
});

it('are all of them, and show every type', () => {
  expect([...ran].sort()).toEqual(workflows.map(nameOf).sort());
  const shown = new Set(
    workflows.flatMap((text) => [...text.matchAll(/\btype: ([a-z-]+)/g)].map(([, type]) => type)),
  );
  const types = taskPlugins({ codeFolder: root, cacheFolder: root }).map(({ name }) => name);
  const internal = ['connection-test'];
  for (const type of [...types, 'shell', 'node', 'http', 'noop', 'approval'])
    if (!internal.includes(type)) expect(shown, type).toContain(type);
});
