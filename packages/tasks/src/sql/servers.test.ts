/**
 * `sql` tasks on databases of which no server can be had here: the adapters are run over drivers that tests put in the
 * place of the real ones. What these tests cannot show is that a real server understands what the driver sends.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { own } from '@orrery/worker/testing/test-worker';
import { describe, expect, it } from 'vitest';
import { connectionKinds } from '../connections/kinds.ts';
import { type Answer, giveDriver, type Script } from '../testing/fake-drivers.ts';
import { startTaskWorker } from '../testing/task-worker.ts';

const network = { host: 'db.example.org', user: 'etl', password: 'hush-hush', tls: 'off' };
const kinds = [
  {
    kind: 'clickhouse',
    settings: { ...network, port: 8123, database: 'shop' },
    marked: '{p1:String}, {p2:String}',
  },
  { kind: 'sqlserver', settings: { ...network, port: 1433, database: 'shop' }, marked: '@p1, @p2' },
  { kind: 'oracle', settings: { ...network, port: 1521, service: 'SHOP' }, marked: ':1, :2' },
  { kind: 'trino', settings: { ...network, port: 8080, catalog: 'lake' }, marked: '?, ?' },
  {
    kind: 'hive',
    settings: { url: 'jdbc:hive2://db.example.org:10000/shop', user: 'etl', password: 'hush-hush' },
  },
] as const;
type Kind = (typeof kinds)[number];

const package_ = (kind: string) => connectionKinds.get(kind)?.driver ?? '';
const task = (
  { kind, settings }: Kind,
  sql: string,
  more: object = {},
  params: Record<string, string> = {},
) => ({
  type: 'sql',
  with: { connection: 'db', sql, ...more },
  params,
  connections: { db: { kind, settings } },
  secrets: ['hush-hush'],
});
const answers = (given: (text: string) => Answer): Script => ({ answer: given });
const ids = {
  columns: ['id', 'name'],
  rows: [
    [1, 'one'],
    [2, 'two'],
  ],
};

describe.each(kinds)('sql on $kind', (given) => {
  const { kind } = given;

  it('hands on rows and counts changed ones', async () => {
    const { run, codeFolder } = await startTaskWorker();
    const changed = kind === 'hive' ? 0 : 3;
    const script = answers((text) => (text.startsWith('SELECT') ? ids : { changed }));
    const { sent } = giveDriver(codeFolder, package_(kind), script);
    const both = await run(task(given, 'INSERT INTO t SELECT 1; SELECT id, name FROM t'));
    expect(both.outcome).toMatchObject({ state: 'success', outputs: { count: '2', id: '1', name: 'one' } });
    expect(JSON.parse(both.outcome.outputs?.rows ?? '')).toEqual([
      { id: 1, name: 'one' },
      { id: 2, name: 'two' },
    ]);
    expect(sent.map(({ text }) => text)).toEqual(['INSERT INTO t SELECT 1', 'SELECT id, name FROM t']);
    expect((await run(task(given, 'DELETE FROM t'))).outcome.outputs).toEqual({ count: String(changed) });
  });

  it('writes rows to a file in their order, waiting where the file is slower', async () => {
    const { run, codeFolder } = await startTaskWorker();
    const rows = Array.from({ length: 5_050 }, (_, k) => [k, `line ${k} ${'x'.repeat(20)}`]);
    const recorded = giveDriver(
      codeFolder,
      package_(kind),
      answers(() => ({ columns: ['k', 'line'], rows })),
    );
    const { outcome } = await run(task(given, 'SELECT * FROM large', { csv: 'rows.csv', maxRows: 0 }));
    expect(outcome).toMatchObject({ state: 'success', outputs: { count: '5050' } });
    const lines = readFileSync(join(codeFolder, 'rows.csv'), 'utf8').trimEnd().split('\r\n');
    expect(lines).toEqual(['k,line', ...rows.map((row) => row.join(','))]);
    if (kind === 'sqlserver') expect(recorded.pauses).toBeGreaterThan(0);
  });

  it('cancels the statement when the attempt is killed', async () => {
    const { killAt, codeFolder } = await startTaskWorker();
    const { cancelled } = giveDriver(
      codeFolder,
      package_(kind),
      answers(() => 'endless'),
    );
    const { outcome } = await killAt('statement: SELECT forever', task(given, 'SELECT forever'));
    expect(outcome).toMatchObject({ state: 'killed' });
    // Where a request may be too early it is repeated; the stand-ins lose the first.
    expect(cancelled).toHaveLength(['sqlserver', 'trino'].includes(kind) ? 1 : 2);
  });

  it('tells what is wrong in one line, without the password', async () => {
    const { run, codeFolder } = await startTaskWorker();
    const none = await run(task(given, 'SELECT 1'));
    expect(none.outcome).toMatchObject({
      state: 'failed',
      fatal: true,
      error: `this worker has no package ${package_(kind)}; in ${codeFolder} run: npm install ${package_(kind)}`,
    });
    const refused = new Error('no user etl with password hush-hush');
    giveDriver(codeFolder, package_(kind), { refused, ...answers(() => ids) });
    const wrong = await run(task(given, 'SELECT 1'));
    expect(wrong.outcome).toMatchObject({ state: 'failed' });
    expect(wrong.outcome.error).toMatch(
      new RegExp(
        `^cannot connect to "db" \\(${kind} at .*db\\.example\\.org:\\d+.*\\): no user etl with password \\*\\*\\*$`,
      ),
    );
  });

  it('fails with the line of the database', async () => {
    const { run, codeFolder } = await startTaskWorker();
    giveDriver(
      codeFolder,
      package_(kind),
      answers(() => ({ fault: new Error('no table nowhere') })),
    );
    const { outcome } = await run(task(given, 'SELECT * FROM nowhere'));
    expect(outcome).toMatchObject({ state: 'failed' });
    expect(outcome.error).toMatch(/^statement(, line 1)?: no table nowhere( \[SYNTAX_ERROR\])?$/);
  });

  it('is what a test of the connection and a wait for a row use', async () => {
    const { run, codeFolder } = await startTaskWorker();
    giveDriver(
      codeFolder,
      package_(kind),
      answers(() => ({ columns: ['v'], rows: [['Server 9\nof today']] })),
    );
    const { with: _, ...more } = task(given, '');
    const probe = await run({ ...more, type: 'connection-test', with: { connection: 'db' } });
    expect(probe.outcome).toMatchObject({ state: 'success', outputs: { server: 'Server 9' } });
    const wait = await run({ ...more, type: 'wait', with: { connection: 'db', sql: 'SELECT 1 FROM loads' } });
    expect(wait.outcome).toMatchObject({ state: 'success', outputs: { met: 'true' } });
  });
});

describe('parameters', () => {
  const injected = { a: "x'); DROP TABLE t; --", b: '2' };
  const sql = 'SELECT ${a}, ${b}';

  it.each(kinds.filter((one) => 'marked' in one))('of $kind are bound, never pasted', async (given) => {
    const { run, codeFolder } = await startTaskWorker();
    const { sent } = giveDriver(
      codeFolder,
      package_(given.kind),
      answers(() => ids),
    );
    expect((await run(task(given, sql, {}, injected))).outcome.state).toBe('success');
    const statement = `SELECT ${given.marked}`;
    expect(sent).toEqual([
      given.kind === 'trino'
        ? { text: `EXECUTE IMMEDIATE '${statement}' USING 'x''); DROP TABLE t; --', '2'`, values: [] }
        : { text: statement, values: [injected.a, injected.b] },
    ]);
  });

  it('of hive are refused, since its protocol has none', async () => {
    const { run, codeFolder } = await startTaskWorker();
    const { sent } = giveDriver(
      codeFolder,
      'hive-driver',
      answers(() => ids),
    );
    const { outcome } = await run(task(kinds[4], sql, {}, injected));
    expect(outcome).toMatchObject({
      fatal: true,
      error: expect.stringContaining('Hive binds no parameters'),
    });
    const wait = { ...task(kinds[4], '', {}, injected), type: 'wait', with: { connection: 'db', sql } };
    expect((await run(wait)).outcome).toMatchObject({ fatal: true });
    expect(sent).toEqual([]);
  });
});

describe('a transaction', () => {
  it.each([
    { at: 1, words: ['BEGIN TRANSACTION', 'COMMIT', 'IF @@TRANCOUNT > 0 ROLLBACK'] },
    { at: 2, words: ['SET TRANSACTION READ WRITE', 'COMMIT', 'ROLLBACK'] },
  ])('is begun and ended in the words of the database: $words', async ({ at, words }) => {
    const [begin, commit, rollback] = words;
    const { run, codeFolder } = await startTaskWorker();
    const script = answers((text) => (text === 'wrong' ? { fault: new Error('no') } : { changed: 1 }));
    const { sent } = giveDriver(codeFolder, package_(kinds[at].kind), script);
    await run(task(kinds[at], 'one; two', { transaction: true }));
    await run(task(kinds[at], 'one; wrong', { transaction: true }));
    expect(sent.map(({ text }) => text)).toEqual([
      begin,
      'one',
      'two',
      commit,
      begin,
      'one',
      'wrong',
      rollback,
    ]);
    // Oracle has no other word for it than not to commit after every statement.
    if (at === 2) expect(sent.every(({ values }) => values[0] === 'in transaction')).toBe(true);
  });

  it.each([0, 3, 4])('is refused where there is none', async (at) => {
    const { run, codeFolder } = await startTaskWorker();
    giveDriver(
      codeFolder,
      package_(kinds[at].kind),
      answers(() => ids),
    );
    const { outcome } = await run(task(kinds[at], 'SELECT 1', { transaction: true }));
    expect(outcome).toMatchObject({
      fatal: true,
      error: expect.stringContaining('has no transactions here'),
    });
  });
});

describe('a dry run', () => {
  const plan = { columns: ['plan'], rows: [['a scan of t']] };
  it.each([
    { at: 0, texts: ['EXPLAIN SELECT {p1:String}'] },
    {
      at: 1,
      texts: ['SET SHOWPLAN_TEXT ON', 'DECLARE @p1 NVARCHAR(MAX); SELECT @p1', 'SET SHOWPLAN_TEXT OFF'],
    },
    {
      at: 2,
      texts: ['EXPLAIN PLAN FOR SELECT :1', 'SELECT plan_table_output FROM TABLE(DBMS_XPLAN.DISPLAY())'],
    },
    { at: 3, texts: ["EXECUTE IMMEDIATE 'EXPLAIN SELECT ?' USING 'x'"] },
  ])('asks for the plan: $texts', async ({ at, texts }) => {
    const { run, codeFolder } = await startTaskWorker();
    const { sent } = giveDriver(
      codeFolder,
      package_(kinds[at].kind),
      answers(() => plan),
    );
    const { outcome, log } = await run(task(kinds[at], 'SELECT ${a}', { explain: true }, { a: 'x' }));
    expect(outcome.state).toBe('success');
    expect(own(log)).toContain('a scan of t');
    expect(sent.map(({ text }) => text)).toEqual(texts);
  });
});

describe('a procedure', () => {
  const call = (at: number, procedure: string, given: readonly unknown[]) => ({
    ...task(kinds[at], ''),
    type: 'procedure',
    with: { connection: 'db', procedure, arguments: given },
  });
  const given = ["4'; --", 3, { out: 'total' }, { value: 'x', out: 'label' }];

  it('of SQL Server hands out parameters on, from variables of its batch', async () => {
    const { run, codeFolder } = await startTaskWorker();
    const script = answers(() => ({ columns: ['', ''], rows: [['7', 'X']] }));
    const { sent } = giveDriver(codeFolder, 'tedious', script);
    const { outcome } = await run(call(1, 'dbo.add_up', given));
    expect(outcome).toMatchObject({ state: 'success', outputs: { total: '7', label: 'X' } });
    await run(call(1, 'shop.dbo.close_day', []));
    expect(sent).toEqual([
      {
        text: 'DECLARE @o3 NVARCHAR(MAX) = @p3, @o4 NVARCHAR(MAX) = @p4; EXEC dbo.add_up @p1, @p2, @o3 OUTPUT, @o4 OUTPUT; SELECT @o3, @o4',
        values: ["4'; --", '3', null, 'x'],
      },
      { text: 'EXEC shop.dbo.close_day', values: [] },
    ]);
  });

  it('of Oracle hands bound out parameters on', async () => {
    const { run, codeFolder } = await startTaskWorker();
    const { sent } = giveDriver(
      codeFolder,
      'oracledb',
      answers(() => ({ out: [7, 'X'] })),
    );
    const { outcome } = await run(call(2, 'shop.totals.add_up', given));
    expect(outcome).toMatchObject({ state: 'success', outputs: { total: '7', label: 'X' } });
    const text = { type: 'STRING', maxSize: 32_767 };
    expect(sent).toEqual([
      {
        text: 'BEGIN shop.totals.add_up(:1, :2, :3, :4); END;',
        values: ["4'; --", 3, { dir: 'OUT', ...text }, { dir: 'INOUT', val: 'x', ...text }],
      },
    ]);
  });

  it.each([1, 2])('fails with the line of the database, and is cancelled with its attempt', async (at) => {
    const { run, killAt, codeFolder } = await startTaskWorker();
    const script = answers((text) =>
      text.includes('forever') ? 'endless' : { fault: new Error('no procedure nowhere') },
    );
    const { cancelled } = giveDriver(codeFolder, package_(kinds[at].kind), script);
    expect((await run(call(at, 'nowhere', given))).outcome).toMatchObject({
      state: 'failed',
      error: 'nowhere: no procedure nowhere',
    });
    const { outcome } = await killAt('CALL forever with 0 arguments', call(at, 'forever', []));
    expect([outcome.state, cancelled.length]).toEqual(['killed', at]);
  });

  it.each([0, 3, 4])('is refused where there is none', async (at) => {
    const { run } = await startTaskWorker();
    const { outcome } = await run(call(at, 'p', []));
    expect(outcome).toMatchObject({
      fatal: true,
      error: `connection "db" is of kind ${kinds[at].kind}; this task needs postgresql or mysql or sqlserver or oracle`,
    });
  });

  it.each(['x; DROP TABLE t', 'a.b.c.d', '[a]', ''])('has no name that is more: %j', async (procedure) => {
    const { run } = await startTaskWorker();
    const { outcome } = await run(call(1, procedure, []));
    expect(outcome).toMatchObject({ fatal: true, error: expect.stringContaining('no name of a procedure') });
  });
});

it('ClickHouse ends with the fault that comes in place of a row', async () => {
  const { run, codeFolder } = await startTaskWorker();
  const fault = 'Code: 241. DB::Exception: Memory limit exceeded';
  giveDriver(
    codeFolder,
    '@clickhouse/client',
    answers(() => ({ columns: ['a'], rows: [], trailing: fault })),
  );
  const { outcome } = await run(task(kinds[0], 'SELECT 1', { csv: 'x.csv' }));
  expect(outcome).toMatchObject({ state: 'failed', error: `statement: ${fault}` });
});

it('Hive refuses addresses that only the driver of Java can reach', async () => {
  const { run, codeFolder } = await startTaskWorker();
  giveDriver(
    codeFolder,
    'hive-driver',
    answers(() => ids),
  );
  const url = 'jdbc:hive2://zoo1:2181,zoo2:2181/;serviceDiscoveryMode=zooKeeper';
  const { outcome } = await run(
    task({ ...kinds[4], settings: { ...kinds[4].settings, url } } as never, 'SELECT 1'),
  );
  expect(outcome).toMatchObject({ fatal: true, error: expect.stringContaining('use a task of type hive') });
});
