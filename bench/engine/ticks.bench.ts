/** Lateness of ticks: many schedules due at one instant or within one second, fired by masters that are processes. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgres, openSqliteThread } from '@orrery/store';
import { task, workflow } from '@orrery/testkit/workflows';
import pg from 'pg';
import type { Row } from '../run.ts';
import { bySize, smallest } from '../size.ts';
import { aboutPostgres, withDatabase, withFolder } from './databases.ts';
import { quantile } from './figures.ts';
import type { TickReport } from './tick-master.ts';

export const title = 'ticks: how late they fire, and how late their runs are created';
export const about = aboutPostgres;

/** How many schedules, within how many milliseconds they are due, and by how many masters on PostgreSQL. */
const loads = bySize(
  [
    { count: 1_000, within: 0, masters: [1, 2, 3] },
    { count: 10_000, within: 0, masters: [1, 2, 3] },
    { count: 10_000, within: 1_000, masters: [1, 2, 3] },
    { count: 100_000, within: 0, masters: [1, 3] },
  ],
  [{ count: 20, within: 0, masters: [1, 2] }],
).filter(
  ({ count }) => !process.env.BENCH_TICKS || process.env.BENCH_TICKS.split(',').includes(String(count)),
);
/** Before the first is due: masters start, load and prepare. */
const LEAD = 12_000;

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { count, within, masters } of loads) {
    const what = (where: string) =>
      `${where}, ${count.toLocaleString('en-US')} schedules ${within === 0 ? 'at one instant' : `within ${within / 1_000} s`}`;
    rows.push(...rowsOf(what('SQLite'), count, await onSqlite(count, within)));
    const byMasters = new Map<number, readonly TickReport[]>();
    for (const number of masters) {
      const reports = await onPostgres(count, within, number);
      byMasters.set(number, reports);
      rows.push(...rowsOf(what(`PostgreSQL, ${number} master${number > 1 ? 's' : ''}`), count, reports));
    }
    const [one, three] = [byMasters.get(1), byMasters.get(3)];
    if (one && three) rows.push(...ratiosOf(what('PostgreSQL, 3 masters : 1'), one, three));
  }
  return rows;
}

const sumOf = (reports: readonly TickReport[], of: (report: TickReport) => number) =>
  reports.reduce((total, report) => total + of(report), 0);

function ratiosOf(what: string, one: readonly TickReport[], three: readonly TickReport[]): Row[] {
  const p99 = (reports: readonly TickReport[]) =>
    quantile(
      reports.flatMap(({ ticks }) => ticks),
      0.99,
    );
  const statements = (reports: readonly TickReport[]) => sumOf(reports, ({ statements }) => statements);
  return [
    { what: `${what}: tick p99`, value: p99(three) / p99(one), unit: 'x', note: 'bar 1.3 x' },
    {
      what: `${what}: statements`,
      value: statements(three) / statements(one),
      unit: 'x',
      note: 'bar 1.1 x; beats not counted',
    },
  ];
}

function rowsOf(what: string, count: number, reports: readonly TickReport[]): Row[] {
  const sum = (of: (report: TickReport) => number) => sumOf(reports, of);
  const ticks = reports.flatMap((report) => report.ticks);
  const runs = reports.flatMap((report) => report.runs);
  const late = (values: readonly number[]) =>
    `p50 ${Math.round(quantile(values, 0.5))}, max ${Math.max(...values)} ms`;
  if (ticks.length !== count) throw new Error(`${what}: ${ticks.length} of ${count} ticks fired`);
  const cpu = `${Math.round((1_000 * sum(({ cpu }) => cpu)) / count)} µs of the masters' CPU a tick, all in all`;
  const share = ((100 * sum(({ lost }) => lost)) / count).toFixed(2);
  const lost = `${share} % lost; ${sum(({ statements }) => statements)} statements and ${sum(({ beats }) => beats)} beats`;
  const bytes = Math.round(sum(({ before, after }) => after - before) / count);
  console.error(`  ${what}: tick p99 ${Math.round(quantile(ticks, 0.99))} ms`);
  return [
    {
      what: `${what}: tick p99`,
      value: quantile(ticks, 0.99),
      unit: 'ms',
      note: `${late(ticks)}; ${lost}; ${cpu}`,
    },
    { what: `${what}: run p99`, value: quantile(runs, 0.99), unit: 'ms', note: late(runs) },
    {
      what: `${what}: memory a schedule`,
      value: bytes,
      unit: 'B',
      note: 'heap of all masters, ticks prepared',
    },
  ];
}

function onSqlite(count: number, within: number): Promise<TickReport[]> {
  return withFolder(async (folder) => {
    const path = join(folder, 'orrery.db');
    await (await openSqliteThread(path)).close();
    const database = new DatabaseSync(path);
    database.exec('BEGIN');
    for (const { table, columns, rows } of tables(count, within)) {
      const insert = database.prepare(
        `INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`,
      );
      for (const row of rows) insert.run(...row);
    }
    const first = firstDue(count);
    database.exec(`UPDATE numbers SET value = ${2 * count + 1}; ${arming(first)}; COMMIT`);
    database.close();
    return fire([await startMaster(path, 'm0')], count, first, within);
  });
}

function onPostgres(count: number, within: number, masters: number): Promise<TickReport[]> {
  return withDatabase(async (url) => {
    await (await openPostgres({ url })).close();
    const client = new pg.Client(url);
    await client.connect();
    for (const { table, columns, rows } of tables(count, within)) {
      for (let k = 0; k < rows.length; k += 5_000) {
        const page = rows.slice(k, k + 5_000);
        const arrays = columns.map((_, c) => page.map((row) => row[c]));
        const types = columns.map((_, c) => (typeof page[0][c] === 'number' ? 'int8[]' : 'text[]'));
        const list = types.map((type, c) => `$${c + 1}::${type}`).join();
        await client.query(`INSERT INTO ${table} (${columns.join()}) SELECT * FROM unnest(${list})`, arrays);
      }
    }
    await client.query(`SELECT setval('numbers', ${2 * count + 1})`);
    // Before the masters start: a master that has loaded its schedules learns of changes only from edits.
    const first = firstDue(count);
    await client.query(arming(first));
    await client.query('VACUUM ANALYZE');
    await client.end();
    const children = await Promise.all(Array.from({ length: masters }, (_, k) => startMaster(url, `m${k}`)));
    return fire(children, count, first, within);
  });
}

/** Far enough ahead that masters have loaded and prepared the due schedules. */
function firstDue(count: number): number {
  return Math.ceil((Date.now() + LEAD + count / 10) / 1_000) * 1_000;
}

/** Schedules are filled in as due after an instant, which is known when all else is done. */
function arming(first: number): string {
  return `UPDATE schedule SET body = replace(body, '"@"', CAST(${first} + fired_until AS TEXT)),
    next_due = ${first} + fired_until, fired_until = ${first - 1} + fired_until`;
}

/** Workflows of one task with one schedule each, which fires once a day. */
function tables(count: number, within: number) {
  const ids = Array.from({ length: count }, (_, k) => k + 1);
  const after = (id: number) => Math.floor(((id - 1) * within) / count);
  const spec = JSON.stringify({
    name: 'main',
    every: 86_400_000,
    from: '@',
    timezone: 'UTC',
    misfire: { policy: 'fire-once', threshold: 60_000 },
    params: { region: 'north' },
    enabled: true,
  });
  const body = (id: number) => JSON.stringify(workflow([task('a')], { name: `flow-${id}` }));
  return [
    {
      table: 'workflow',
      columns: ['id', 'project', 'name', 'live', 'created_at'],
      rows: ids.map((id) => [id, 'default', `flow-${id}`, 1, 0]),
    },
    {
      table: 'workflow_version',
      columns: ['workflow', 'version', 'body', 'hash', 'source', 'note', 'author', 'origin', 'created_at'],
      rows: ids.map((id) => [id, 1, body(id), `${id}`, '', '', '', 'api', 0]),
    },
    {
      table: 'schedule',
      columns: ['id', 'workflow', 'name', 'body', 'enabled', 'version', 'fired_until'],
      rows: ids.map((id) => [count + id, id, 'main', spec, 1, 1, after(id)]),
    },
  ] as const;
}

/** Waits until all has fired, and asks the masters how late that was. */
async function fire(
  children: readonly ChildProcess[],
  count: number,
  first: number,
  within: number,
): Promise<TickReport[]> {
  try {
    const left = first - Date.now();
    if (left < 2_000)
      throw new Error(`only ${left} ms are left until the first tick; the machine is too slow`);
    await sleep(left - 500);
    for (const child of children) child.send('weigh');
    await sleep(500 + within + Math.max(3_000, count / 4));
    return await Promise.all(children.map(askFor));
  } finally {
    for (const child of children) child.kill();
  }
}

async function askFor(child: ChildProcess): Promise<TickReport> {
  const told = once(child, 'message');
  child.send('report');
  const [report] = await told;
  return report as TickReport;
}

async function startMaster(place: string, name: string): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'tick-master.ts'), [place, name], {
    execArgv: smallest ? [] : ['--expose-gc'],
  });
  await once(child, 'message');
  return child;
}
