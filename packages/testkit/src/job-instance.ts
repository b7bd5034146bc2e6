/**
 * An instance of an elastic job as a process, for tests: every shard writes to a table, guarded by its token, and
 * prints what happened. JOB holds the definition, DATABASE says where the table is if not in the registry; a shard takes `TAKES` milliseconds and never looks at its signal.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { elastic } from '../../cli/src/elastic.ts';

const { REGISTRY = '', JOB = '{}', TAKES = '0', SESSION = '3000' } = process.env;
const { DATABASE = REGISTRY, NAMESPACE: namespace = 'test' } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE, max: 2 });
pool.on('error', () => {});
const print = (line: object) => console.log(JSON.stringify(line));
const log = (level: string, text: string) => console.error(`${level}: ${text}`);
const jobs = await elastic({ registry: REGISTRY, namespace, sessionTimeout: Number(SESSION), log });

/** A conditional write: refused once a later run of the shard has written. */
const WRITE = `INSERT INTO effect (shard, token, due, cause, process) SELECT $1::int, $2::bigint, $3::bigint, $4, $5::int
  WHERE NOT EXISTS (SELECT FROM effect WHERE shard = $1::int AND token >= $2::bigint)`;

const job = await jobs.schedule({
  ...JSON.parse(JOB),
  grace: 100,
  run: async ({ shard, token, due, cause, signal }) => {
    print({ began: shard, token, due, cause, at: Date.now() });
    signal.addEventListener('abort', () => print({ aborted: shard, at: Date.now() }));
    await sleep(Number(TAKES));
    const { rowCount } = await pool.query(WRITE, [shard, token, due ?? null, cause, process.pid]);
    print(rowCount === 1 ? { wrote: shard, token, due, cause, at: Date.now() } : { refused: shard, token });
  },
});
print({ instance: job.instance, pid: process.pid });

process.once('SIGTERM', async () => {
  await jobs.stop();
  await pool.end();
});
