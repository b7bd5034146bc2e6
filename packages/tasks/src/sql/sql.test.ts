/** `sql` tasks on a real worker and real databases. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { startPostgres } from '@orrery/testkit/databases';
import { eventually } from '@orrery/worker/testing/eventually';
import { isolated, TENANT } from '@orrery/worker/testing/tenants';
import { own } from '@orrery/worker/testing/test-worker';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startTaskWorker } from '../testing/task-worker.ts';

let server: URL;
let admin: pg.Client;
const schema = `sql_task_${process.pid}`;
beforeAll(async () => {
  server = new URL(await startPostgres());
  admin = new pg.Client(server.href);
  await admin.connect();
  await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}`);
});
afterAll(async () => {
  await admin.query(`DROP SCHEMA ${schema} CASCADE`);
  await admin.end();
});

const postgres = (changes: object = {}) => ({
  kind: 'postgresql',
  settings: {
    host: server.hostname,
    port: Number(server.port),
    database: server.pathname.slice(1),
    user: server.username,
    password: 'hush-hush',
    tls: 'off',
    ...changes,
  },
});

const kinds = [
  {
    name: 'PostgreSQL',
    connection: () => postgres(),
    before: [`SET search_path TO ${schema}`],
    series: 'generate_series(1, ${n}::int) AS g(i)',
    blanks: "repeat(' ', 1000)",
    mostMemory: 50_000_000,
    endless: "SELECT 'now', count(*) FROM generate_series(1, 1000000000000)",
    unknown: /^statement, line 1: relation "nowhere" does not exist \[42P01\]$/,
  },
  {
    name: 'SQLite',
    connection: () => ({ kind: 'sqlite', settings: { file: 'test.db', readOnly: false } }),
    before: [],
    series:
      '(WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g WHERE i < CAST(${n} AS INTEGER)) SELECT i FROM g)',
    blanks: "printf('%1000s', '')",
    mostMemory: 170_000_000,
    endless: 'WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g) SELECT count(*) FROM g',
    unknown: /^statement: no such table: nowhere$/,
  },
  {
    name: 'DuckDB',
    connection: () => ({ kind: 'duckdb', settings: { file: 'test.duck', readOnly: false } }),
    before: [],
    series: 'range(1, CAST(${n} AS BIGINT) + 1) AS g(i)',
    blanks: "repeat(' ', 1000)",
    mostMemory: 390_000_000,
    endless: 'SELECT count(*) FROM range(100000000000) a(x), range(1000) b(y) WHERE x % 7 = y % 5',
    unknown: /Table with name nowhere does not exist/,
  },
];

describe.each(kinds)('sql on $name', (kind) => {
  const { name, connection, before, series, blanks, mostMemory, endless, unknown } = kind;
  const task = (sql: string, more: object = {}, params: Record<string, string> = {}) => ({
    type: 'sql',
    with: { connection: 'db', sql, before, ...more },
    params,
    connections: { db: connection() },
    secrets: ['hush-hush'],
  });

  it('runs statements before, several of its own and after, binds, and hands on rows', async () => {
    const { run } = await startTaskWorker();
    const { outcome } = await run(
      task(
        `INSERT INTO t VALUES (1, \${name}), (2, 'a;b');  -- a comment; with a semicolon
         INSERT INTO t VALUES (3, 'c');
         SELECT id, name FROM t WHERE id IN (\${ids}) AND name <> '\${other}' ORDER BY id`,
        {
          before: [...before, 'DROP TABLE IF EXISTS t', 'CREATE TABLE t (id INTEGER, name TEXT)'],
          after: 'DROP TABLE t',
        },
        { name: "x'); DROP TABLE t; --", ids: '[1, 3]', other: 'zz' },
      ),
    );
    expect(outcome).toMatchObject({ state: 'success' });
    expect(outcome.outputs).toMatchObject({ count: '2', id: '1', name: "x'); DROP TABLE t; --" });
    expect(JSON.parse(outcome.outputs?.rows ?? '')).toEqual([
      { id: 1, name: "x'); DROP TABLE t; --" },
      { id: 3, name: 'c' },
    ]);
  });

  it('counts changed rows, in a transaction that a failure undoes', async () => {
    const { run } = await startTaskWorker();
    await run(task('CREATE TABLE u (id INTEGER)', { before: [...before, 'DROP TABLE IF EXISTS u'] }));
    expect((await run(task('INSERT INTO u VALUES (1), (2)'))).outcome.outputs).toEqual({ count: '2' });
    const { outcome } = await run(
      task('INSERT INTO u VALUES (3); SELECT * FROM nowhere', { transaction: true }),
    );
    expect(outcome).toMatchObject({ state: 'failed', error: expect.stringContaining('nowhere') });
    const { outcome: counted } = await run(task('SELECT count(*) AS n FROM u', { after: 'DROP TABLE u' }));
    expect(counted.outputs).toMatchObject({ n: '2' });
  });

  it('fails with the line of the database, at the place where it stands', async () => {
    const { run } = await startTaskWorker();
    expect((await run(task('SELECT * FROM nowhere'))).outcome).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(unknown),
    });
    const second = await run(task('SELECT 1;\n\nSELECT * FROM nowhere'));
    expect(second.outcome.error).toMatch(/^statement 2 \(line 3\)/);
    expect((await run(task("SELECT 'x${missing}y'"))).outcome).toMatchObject({
      error: expect.stringContaining('where no value can be bound'),
      fatal: true,
    });
  });

  it('writes 100,000 rows to a file without keeping them', { timeout: 180_000 }, async () => {
    const { run, codeFolder } = await startTaskWorker();
    const [text, bytes] = [`'with "quotes"' || ${blanks}`, 100_000 * 1_000];
    const wide = (n: number) =>
      run(
        task(
          `SELECT i, ${text} AS text FROM ${series}`,
          { csv: 'out/rows.csv', maxRows: 2 },
          { n: String(n) },
        ),
        120_000,
      );
    const used = () => {
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    let most = 0;
    const small = used();
    const watch = setInterval(() => {
      most = Math.max(most, used());
    }, 10);
    const { outcome, peakMemory } = await wide(100_000);
    clearInterval(watch);
    expect(outcome).toMatchObject({ state: 'success', outputs: { count: '100000', i: '1' } });
    const file = join(codeFolder, 'out/rows.csv');
    const lines = readFileSync(file, 'utf8').split('\r\n');
    expect(lines).toHaveLength(100_002);
    expect(lines[100_000]).toMatch(/^100000,"with ""quotes"" +"$/);
    expect(statSync(file).size).toBeGreaterThan(bytes);
    expect(existsSync(`${file}.part`)).toBe(false);
    // A process of its own, with its database and a runtime; all rows would add their 100 MB to that.
    expect(name === 'PostgreSQL' ? most - small : peakMemory).toBeLessThan(mostMemory);
  });

  it('hides secrets in its log, outputs and errors', async () => {
    const { run } = await startTaskWorker();
    const shown = await run(task("SELECT 'hush-hush' AS word, 1 AS one"));
    expect(shown.outcome.outputs).toMatchObject({ word: '***', one: '1' });
    const failed = await run(task('SELECT * FROM "hush-hush"'));
    expect(failed.outcome).toMatchObject({ state: 'failed', error: expect.stringContaining('***') });
    expect(JSON.stringify([shown.log, failed.log, failed.outcome])).not.toContain('hush-hush');
  });

  it('hands on what fits of a row of many long columns, after its work is done', async () => {
    const { run } = await startTaskWorker();
    const columns = Array.from({ length: 20 }, (_, k) => `'${'x'.repeat(15_000)}' AS c${k}`);
    const { outcome, log } = await run(task(`SELECT ${columns.join(', ')}`));
    expect(outcome).toMatchObject({ state: 'success', outputs: { count: '1', c0: 'x'.repeat(15_000) } });
    expect(Object.keys(outcome.outputs ?? {})).toHaveLength(8);
    expect(log).toContain('14 columns are no outputs: the first row is too long');
  });

  it('shows plans in a dry run and changes nothing', async () => {
    const { run } = await startTaskWorker();
    const table = name === 'PostgreSQL' ? `${schema}.v` : 'v';
    await run(task(`DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} (id INTEGER)`));
    const { outcome, log } = await run(
      task(`INSERT INTO ${table} SELECT i FROM ${series}`, { explain: true }, { n: '9' }),
    );
    expect(outcome.outputs).toBeUndefined();
    expect(own(log).length).toBeGreaterThan(1);
    expect((await run(task(`SELECT * FROM ${table}`))).outcome.outputs).toMatchObject({ count: '0' });
  });

  it('ends when it is killed, and leaves nothing running', async () => {
    const { killAt, tasks } = await startTaskWorker();
    const line = `statement: ${endless}`;
    const { outcome } = await killAt(line, task(endless, { before: [] }));
    expect(outcome).toMatchObject({ state: 'killed' });
    expect(tasks()).toEqual([]);
    const { rows } = await admin.query(
      "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE $1 AND pid <> pg_backend_pid()",
      [`${endless}%`],
    );
    expect(rows).toEqual([]);
  });
});

it('writes Parquet by DuckDB, and reads it again', async () => {
  const { run, codeFolder } = await startTaskWorker();
  const given = {
    type: 'sql',
    params: { day: "it's today" },
    connections: { db: { kind: 'duckdb', settings: { file: ':memory:', readOnly: false } } },
  };
  const sql = `COPY (SELECT i, 'row ' || i AS name FROM range(100000) AS g(i)) TO 'rows.parquet' (FORMAT parquet);
    SELECT count(*) AS n, max(i) AS last, \${day} AS day FROM 'rows.parquet'`;
  const { outcome } = await run({ ...given, with: { connection: 'db', sql } });
  expect(outcome).toMatchObject({ outputs: { n: '100000', last: '99999', day: "it's today" } });
  expect(readFileSync(join(codeFolder, 'rows.parquet')).subarray(0, 4).toString()).toBe('PAR1');
});

describe('a procedure task', () => {
  it('hands out parameters on, and fails with the line of the database', async () => {
    await admin.query(`CREATE PROCEDURE ${schema}.add_up(a int, b int, OUT total int, INOUT label text)
      LANGUAGE plpgsql AS $$ BEGIN total := a + b; label := upper(label);
      IF a < 0 THEN RAISE EXCEPTION 'a is negative'; END IF; END $$`);
    const { run } = await startTaskWorker();
    const call = (first: unknown, procedure = `${schema}.add_up`) =>
      run({
        type: 'procedure',
        with: {
          connection: 'db',
          procedure,
          arguments: [first, '3', { out: 'total' }, { value: 'x', out: 'label' }],
        },
        connections: { db: postgres() },
      });
    expect((await call(4)).outcome).toMatchObject({ state: 'success', outputs: { total: '7', label: 'X' } });
    expect((await call(-1)).outcome.error).toMatch(/add_up: a is negative \[P0001\]$/);
    expect((await call(1, 'x(); DROP TABLE t')).outcome.error).toContain('is no name of a procedure');
  });
});

describe('a connection of an sql task', () => {
  const select = { type: 'sql', with: { connection: 'db', sql: 'SELECT 1 AS one' } };
  const run = async (connections: Record<string, ReturnType<typeof postgres>>, more: object = {}) => {
    const worker = await startTaskWorker();
    return worker.run({ ...select, connections, secrets: ['hush-hush'], ...more });
  };

  it('that is missing, of another kind, wrong or not there is told in one line', async () => {
    expect((await run({})).outcome).toMatchObject({
      error:
        'there is no connection "db" in project "default"; make it with: orrery connections set default/db --kind KIND',
      fatal: true,
    });
    const mail = { kind: 'smtp', settings: {} } as never;
    expect((await run({ db: mail })).outcome.error).toBe(
      'connection "db" is of kind smtp; this task needs postgresql or mysql or clickhouse or sqlserver or oracle or trino or hive or sqlite or duckdb',
    );
    expect((await run({ db: postgres({ port: 'x' }) })).outcome.error).toMatch(/^connection "db": port: /);
    expect((await run({ db: postgres({ port: 1 }) })).outcome.error).toMatch(
      /^cannot connect to "db" \(postgresql at .*:1\): .*ECONNREFUSED/,
    );
    expect((await run({ db: postgres({ user: 'nobody-hush-hush' }) })).outcome.error).toMatch(
      /^cannot connect to "db" .*role "nobody-\*\*\*" does not exist$/,
    );
  });

  it.each([
    ['sqlite', /unable to open database file/],
    ['duckdb', /Cannot open (file|database) .*nowhere/],
  ])('to a file of %s that is not there is told in one line', async (kind, error) => {
    const settings = { file: 'nowhere/at-all.db', readOnly: true };
    const { outcome } = await run({ db: { kind, settings } as never });
    expect(outcome).toMatchObject({ state: 'failed', error: expect.stringMatching(error) });
    expect(outcome.error).not.toContain('\n');
  });

  it('with a wrong password is told so, without the password', async () => {
    // The server of the tests trusts everybody; here one role has to sign in.
    const role = `signs_in_${process.pid}`;
    const { rows } = await admin.query('SHOW hba_file');
    const file = rows[0].hba_file as string;
    const trusting = readFileSync(file, 'utf8');
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'right-one'`);
    try {
      writeFileSync(file, `host all ${role} all scram-sha-256\n${trusting}`);
      await admin.query('SELECT pg_reload_conf()');
      const wrong = async () => (await run({ db: postgres({ user: role }) })).outcome;
      await eventually('it has to sign in', async () => (await wrong()).state === 'failed');
      expect((await wrong()).error).toMatch(
        new RegExp(
          `^cannot connect to "db" \\(postgresql at .*\\): password authentication failed for user "${role}"`,
        ),
      );
      const right = await run({ db: postgres({ user: role, password: 'right-one' }) });
      expect(right.outcome).toMatchObject({ state: 'success' });
    } finally {
      writeFileSync(file, trusting);
      await admin.query('SELECT pg_reload_conf()');
      await admin.query(`DROP ROLE ${role}`);
    }
  });

  it('without a password uses none of the worker', async () => {
    const sent: string[] = [];
    // Asks for a password in the clear, and hangs up when it has one.
    const server = createServer((socket) => {
      socket.once('data', () => {
        socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
        socket.once('data', (bytes) => {
          sent.push(bytes.toString('latin1', 5, bytes.length - 1));
          socket.destroy();
        });
      });
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    vi.stubEnv('PGPASSWORD', 'of-the-worker');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { port } = server.address() as AddressInfo;
    const settings = { host: '127.0.0.1', port, database: 'd', user: 'u' };
    const { run } = await startTaskWorker();
    const { outcome } = await run({
      type: 'sql',
      with: { connection: 'db', sql: 'SELECT 1' },
      connections: { db: { kind: 'postgresql', settings } },
    });
    expect([outcome.state, sent]).toEqual(['failed', ['']]);
  });

  it('of a socket or a file of the machine is refused where tasks are isolated', async () => {
    const { run } = await startTaskWorker(isolated('user'));
    const tries = [
      ['postgresql', { host: '/var/run/postgresql', database: 'd' }, 'sql', { sql: 'SELECT 1' }],
      ['jobs', { url: 'postgres:///d?host=/var/run/postgresql', namespace: 'n' }, 'job', { job: 'j' }],
      ['jobs', { url: 'postgres://%2Fvar%2Frun/d', namespace: 'n' }, 'job', { job: 'j' }],
    ] as const;
    for (const [kind, settings, type, more] of tries) {
      const { outcome } = await run({
        type,
        tenant: TENANT,
        with: { connection: 'db', ...more },
        connections: { db: { kind, settings } },
      });
      expect(outcome).toMatchObject({ state: 'failed', error: expect.stringContaining('isolates tasks') });
    }
  });

  it('is kept for the next attempt and given to it as new', async () => {
    const worker = await startTaskWorker();
    const given = { connections: { db: postgres() } };
    const sql = (text: string) =>
      worker.run({ ...given, type: 'sql', with: { connection: 'db', sql: text } });
    const first = await sql('SET search_path TO elsewhere; SELECT pg_backend_pid() AS pid');
    const second = await sql("SELECT pg_backend_pid() AS pid, current_setting('search_path') AS path");
    expect(second.outcome.outputs?.pid).toBe(first.outcome.outputs?.pid);
    expect(second.outcome.outputs?.path).not.toContain('elsewhere');
  });

  it('hides its secrets in log, outputs and errors', async () => {
    const { outcome, log } = await run(
      { db: postgres() },
      { with: { connection: 'db', sql: "SELECT 'hush-hush' AS word" } },
    );
    expect(outcome.outputs).toMatchObject({ word: '***' });
    expect(log).not.toContain('hush-hush');
  });
});
