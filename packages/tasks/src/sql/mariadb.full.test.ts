/** `sql`, `procedure` and `wait` tasks on a real MariaDB. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@orrery/worker/testing/eventually';
import { assignment } from '@orrery/worker/testing/scripted-master';
import { startWorkerProcess } from '@orrery/worker/testing/start-worker-process';
import { temporaryFolder } from '@orrery/worker/testing/temporary-folder';
import { own } from '@orrery/worker/testing/test-worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, startMariadb } from '../testing/mariadb.ts';
import { processPlugins } from '../testing/process-plugins.ts';
import { startTaskWorker } from '../testing/task-worker.ts';

let server: Awaited<ReturnType<typeof startMariadb>>;
beforeAll(async () => {
  server = await startMariadb();
}, 60_000);
afterAll(() => server.stop());

const connected = (changes: object = {}) => ({
  connections: { db: { kind: 'mysql', settings: { ...server.settings, ...changes } } },
  secrets: [PASSWORD],
});
const sql = (text: string, more: object = {}, params: Record<string, string> = {}) => ({
  type: 'sql',
  with: { connection: 'db', sql: text, ...more },
  params,
  ...connected(),
});
/** Statements on the server that hold this word. */
const running = async (word: string) => {
  const [rows] = await server.admin.query(
    'SELECT id FROM information_schema.processlist WHERE info LIKE ? AND id <> connection_id()',
    [`%${word}%`],
  );
  return rows as { id: number }[];
};
const ENDLESS = 'SELECT count(*) FROM seq_1_to_1000000 a, seq_1_to_1000000 b, seq_1_to_1000000 c';

describe('sql on MariaDB', () => {
  it('runs statements before, several of its own and after, binds, and hands on rows', async () => {
    const { run } = await startTaskWorker();
    const { outcome } = await run(
      sql(
        `INSERT INTO t (id, name) VALUES (1, \${name}), (2, 'a;b');  -- a comment; with a semicolon
         INSERT INTO t (id, name) VALUES (3, 'c');
         SELECT id, name, day, big FROM t WHERE id IN (\${ids}) AND name <> '\${other}' ORDER BY id`,
        {
          before: `DROP TABLE IF EXISTS t;
            CREATE TABLE t (id INT, name TEXT, day DATE DEFAULT '2026-11-18', big BIGINT DEFAULT 9007199254740993)`,
          after: 'DROP TABLE t',
        },
        { name: "x'); DROP TABLE t; --", ids: '[1, 3]', other: 'zz' },
      ),
    );
    expect(outcome).toMatchObject({ state: 'success' });
    expect(outcome.outputs).toMatchObject({ count: '2', id: '1', name: "x'); DROP TABLE t; --" });
    const more = { day: '2026-11-18', big: '9007199254740993' };
    expect(JSON.parse(outcome.outputs?.rows ?? '')).toEqual([
      { id: 1, name: "x'); DROP TABLE t; --", ...more },
      { id: 3, name: 'c', ...more },
    ]);
  });

  it('counts changed rows, in a transaction that a failure undoes', async () => {
    const { run } = await startTaskWorker();
    await run(sql('CREATE TABLE u (id INT)', { before: 'DROP TABLE IF EXISTS u' }));
    expect((await run(sql('INSERT INTO u VALUES (1), (2)'))).outcome.outputs).toEqual({ count: '2' });
    const failed = await run(sql('INSERT INTO u VALUES (3);\nSELECT * FROM nowhere', { transaction: true }));
    expect(failed.outcome).toMatchObject({
      state: 'failed',
      error: "statement 2 (line 2): Table 'shop.nowhere' doesn't exist [ER_NO_SUCH_TABLE]",
    });
    expect((await run(sql('SELECT count(*) AS n FROM u'))).outcome.outputs).toMatchObject({ n: '2' });
    const plan = await run(sql('INSERT INTO u SELECT id FROM u', { explain: true }));
    expect(own(plan.log).length).toBeGreaterThan(1);
    expect((await run(sql('SELECT * FROM u'))).outcome.outputs).toMatchObject({ count: '2' });
  });

  it.each(['', ' WHERE seq <= ${n}'])(
    'writes 100,000 rows to a file without keeping them%s',
    async (where) => {
      const { run, codeFolder } = await startTaskWorker();
      const used = () => process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
      const small = used();
      const text = `SELECT seq AS i, repeat('x', 100) AS text FROM seq_1_to_100000${where}`;
      const { outcome } = await run(sql(text, { csv: 'out/rows.csv', maxRows: 2 }, { n: '100000' }));
      expect(outcome).toMatchObject({ state: 'success', outputs: { count: '100000', i: '1' } });
      const lines = readFileSync(join(codeFolder, 'out/rows.csv'), 'utf8').split('\r\n');
      expect(lines).toHaveLength(100_002);
      expect(used() - small).toBeLessThan(150 * 1_048_576);
    },
  );

  it('is cancelled on the server when it is killed', async () => {
    const { killAt } = await startTaskWorker();
    const text = ENDLESS.replace('count(*)', "count(*), 'killed'");
    const { outcome } = await killAt(`statement: ${text}`, sql(text));
    expect(outcome).toMatchObject({ state: 'killed' });
    expect(await running('killed')).toEqual([]);
  });

  it('is ended by the server, when that next sends a row, after its worker has died', async () => {
    const text = ENDLESS.replace('count(*)', "a.seq, 'orphan'");
    const worker = startWorkerProcess([assignment(sql(text))], temporaryFolder(), {
      bundledIn: processPlugins,
    });
    await eventually('the statement runs', async () => (await running('orphan')).length === 1);
    worker.process.kill('SIGKILL');
    await eventually('no statement is left', async () => (await running('orphan')).length === 0);
  });

  it('tells a wrong connection, password and database in one line, without the password', async () => {
    const { run } = await startTaskWorker();
    const failing = async (changes: object) => {
      const { outcome, log } = await run({ ...sql('SELECT 1'), ...connected(changes) });
      expect(JSON.stringify([outcome, log])).not.toContain(PASSWORD);
      return outcome.error;
    };
    expect(await failing({ port: 1 })).toMatch(/^cannot connect to "db" \(mysql at .*:1\): .*ECONNREFUSED/);
    expect(await failing({ password: `${PASSWORD}!` })).toMatch(/Access denied for user 'loader'/);
    expect(await failing({ database: 'nowhere' })).toMatch(/'nowhere'/);
    const shown = await run(sql(`SELECT '${PASSWORD}' AS word`));
    expect(shown.outcome.outputs).toMatchObject({ word: '***' });
    expect(shown.log).not.toContain(PASSWORD);
    const probe = await run({ type: 'connection-test', with: { connection: 'db' }, ...connected() });
    expect(probe.outcome.outputs?.server).toContain('MariaDB');
  });

  it('gives the next attempt its session as new', async () => {
    const { run } = await startTaskWorker();
    const first = await run(sql('SET @left = 5; SELECT connection_id() AS id'));
    const second = await run(sql('SELECT connection_id() AS id, @left AS seen'));
    expect(second.outcome.outputs).toMatchObject({ id: first.outcome.outputs?.id, seen: '' });
  });
});

describe('other tasks on MariaDB', () => {
  it('call procedures, with parameters in and out', async () => {
    await server.admin.query(`CREATE PROCEDURE shop.add_up(IN a INT, IN b INT, OUT total INT, INOUT label TEXT)
      BEGIN SET total = a + b; SET label = upper(label);
      IF a < 0 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'a is negative'; END IF; END`);
    const { run } = await startTaskWorker();
    const call = (first: number) =>
      run({
        type: 'procedure',
        with: {
          connection: 'db',
          procedure: 'shop.add_up',
          arguments: [first, '3', { out: 'total' }, { value: 'x', out: 'label' }],
        },
        ...connected(),
      });
    expect((await call(4)).outcome).toMatchObject({ state: 'success', outputs: { total: '7', label: 'X' } });
    expect((await call(-1)).outcome.error).toMatch(/^shop.add_up: a is negative/);
  });

  it('wait for a row', async () => {
    await server.admin.query('CREATE TABLE shop.loads (day TEXT)');
    const { master, worker } = await startTaskWorker();
    const given = assignment({
      type: 'wait',
      with: { connection: 'db', sql: 'SELECT 1 FROM loads WHERE day = ${day}', every: 1 },
      params: { day: "it's today" },
      ...connected(),
    });
    master.give(given);
    await eventually('it has looked', async () =>
      (await worker.logs.read(given.workflow, given.attempt)).bytes.toString().includes('returned no row'),
    );
    await server.admin.query('INSERT INTO shop.loads VALUES (?)', ["it's today"]);
    const { outcome } = await eventually('it is met', () => master.reportOf(given.attempt));
    expect(outcome).toMatchObject({ state: 'success', outputs: { met: 'true' } });
  });
});
