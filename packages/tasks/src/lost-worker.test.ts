/** Workers that are killed in the middle of an attempt: nothing of it is left on either side. */
import { startPostgres } from '@orrery/testkit/databases';
import { eventually } from '@orrery/worker/testing/eventually';
import { assignment } from '@orrery/worker/testing/scripted-master';
import { startWorkerProcess } from '@orrery/worker/testing/start-worker-process';
import { temporaryFolder } from '@orrery/worker/testing/temporary-folder';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { processPlugins } from './testing/process-plugins.ts';

it('leaves neither processes nor statements behind', async () => {
  const server = new URL(await startPostgres());
  const admin = new pg.Client(server.href);
  await admin.connect();
  onTestFinished(() => admin.end());
  const mark = `lost_${process.pid}`;
  const connection = {
    kind: 'postgresql',
    settings: {
      host: server.hostname,
      port: Number(server.port),
      database: server.pathname.slice(1),
      user: server.username,
      tls: 'off',
    },
  };
  const sql = `SELECT '${mark}', count(*) FROM generate_series(1, 1000000000000)`;
  const sqlite = 'WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g) SELECT count(*) FROM g';
  const embedded = { kind: 'sqlite', settings: { file: 'a.db', readOnly: false } };
  const duckdb = 'SELECT count(*) FROM range(100000000000) a(x), range(1000) b(y) WHERE x % 7 = y % 5';
  const memory = { kind: 'duckdb', settings: { file: ':memory:', readOnly: false } };
  const code = 'import subprocess, time\nsubprocess.Popen(["sleep", "600"])\ntime.sleep(600)';
  const given = [
    { type: 'sql', with: { connection: 'db', sql }, connections: { db: connection } },
    { type: 'sql', with: { connection: 'db', sql: sqlite }, connections: { db: embedded } },
    { type: 'sql', with: { connection: 'db', sql: duckdb }, connections: { db: memory } },
    { type: 'python', with: { code } },
  ];
  const worker = startWorkerProcess(given.map(assignment), temporaryFolder(), { bundledIn: processPlugins });
  const statements = async () =>
    (
      await admin.query(
        "SELECT pid FROM pg_stat_activity WHERE query LIKE '%' || $1 || '%' AND pid <> pg_backend_pid()",
        [mark],
      )
    ).rowCount;
  await eventually('the statement runs', async () => (await statements()) === 1);
  // The guard, the interpreter and what it started; the guard and the process of SQLite, those of DuckDB.
  await eventually('the processes run', () => worker.tasks().length >= 7);
  worker.process.kill('SIGKILL');
  await eventually('no process is left', () => worker.tasks().length === 0);
  await eventually('no statement is left', async () => (await statements()) === 0);
  expect(worker.reports).toEqual([]);
});
