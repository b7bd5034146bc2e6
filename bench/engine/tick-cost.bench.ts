/**
 * What firing ticks costs, as CPU time: of the process that fires, and of the PostgreSQL server; beside the same rows
 * written by bare statements. CPU time says more than lateness on a machine that does other things too.
 */
import { readFileSync } from 'node:fs';
import { openPostgres, startCommand, startRow } from '@orrery/store';
import { task, workflow } from '@orrery/testkit/workflows';
import pg from 'pg';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { aboutPostgres, withDatabase } from './databases.ts';
import { median } from './figures.ts';

export const title = 'ticks: CPU time for 10,000 of them on PostgreSQL, warm';
export const about = aboutPostgres;

const COUNT = bySize(10_000, 100);
const ROUNDS = bySize(6, 2);
const BATCH = 1_000;
const TICK_MS = 10;

interface Cost {
  readonly wall: number;
  readonly process: number;
  readonly server: number;
  readonly bytes: number;
}

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, firing] of [
    ['fireTicks', withStore],
    ['bare statements', withStatements],
  ] as const) {
    const costs = await withDatabase((url) => measure(url, firing));
    const value = (of: (cost: Cost) => number) => median(costs.map(of));
    const note = `${COUNT.toLocaleString('en-US')} ticks, batches of ${BATCH}, median of ${costs.length} rounds`;
    rows.push(
      { what: `${what}: CPU of the firing process`, value: value((cost) => cost.process), unit: 'ms', note },
      { what: `${what}: CPU of the server`, value: value((cost) => cost.server), unit: 'ms', note },
      { what: `${what}: wall time`, value: value((cost) => cost.wall), unit: 'ms', note },
      { what: `${what}: log of the server a tick`, value: value((cost) => cost.bytes), unit: 'B', note },
    );
  }
  return rows;
}

/** Prepares ticks; the answer fires them. */
type Fire = (due: number) => () => Promise<void>;

/** Fires all schedules once a round; the first round is not counted. */
async function measure(
  url: string,
  firing: (url: string, client: pg.Client) => Promise<{ fire: Fire; close(): Promise<void> }>,
): Promise<Cost[]> {
  await (await openPostgres({ url })).close();
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  await fill(client);
  const { fire, close } = await firing(url, client);
  const costs: Cost[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await client.query('VACUUM schedule');
    await client.query('CHECKPOINT');
    const fireAll = fire(1_000 * (round + 1));
    globalThis.gc?.();
    const servers = await backends(client);
    const [log] = (await client.query('SELECT pg_current_wal_lsn() AS place')).rows;
    const before = new Map(servers.map((pid) => [pid, cpuOf(pid)]));
    const used = process.cpuUsage();
    const begin = performance.now();
    await fireAll();
    const wall = performance.now() - begin;
    const { user, system } = process.cpuUsage(used);
    const after = await backends(client);
    const server = after.reduce((sum, pid) => sum + cpuOf(pid) - (before.get(pid) ?? 0), 0);
    const [grown] = (
      await client.query('SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), $1)::int8 AS bytes', [log.place])
    ).rows;
    if (round > 0)
      costs.push({ wall, process: (user + system) / 1_000, server, bytes: Number(grown.bytes) / COUNT });
  }
  await close();
  await client.end();
  return costs;
}

/** Workflows and their schedules, due first at 1,000. */
async function fill(client: pg.Client): Promise<void> {
  const spec = JSON.stringify({
    name: 'main',
    every: 1_000,
    from: 0,
    timezone: 'UTC',
    misfire: { policy: 'fire-once', threshold: 60_000 },
    params: { region: 'north' },
    enabled: true,
  });
  const ids = `generate_series(1, ${COUNT}) AS k(id)`;
  await client.query(
    `INSERT INTO workflow (id, project, name, live, created_at) SELECT id, 'default', 'flow-' || id, 1, 0 FROM ${ids}`,
  );
  await client.query(
    `INSERT INTO schedule (id, workflow, name, body, enabled, version, fired_until, next_due)
     SELECT ${COUNT} + id, id, 'main', $1, 1, 1, 0, 1000 FROM ${ids}`,
    [spec],
  );
  await client.query(`SELECT setval('numbers', ${3 * COUNT})`);
  await client.query('VACUUM ANALYZE');
}

/** Fires as a master does: with two batches in flight. */
async function withStore(url: string): Promise<{ fire: Fire; close(): Promise<void> }> {
  const store = await openPostgres({ url, name: 'ticks' });
  const { epoch } = await store.joinNode({ id: 'm0', roles: ['master'], address: 'm0', info: {}, now: 0 });
  const self = { node: 'm0', epoch };
  const fire = (due: number) => {
    const all = Array.from({ length: COUNT }, (_, k) => scheduleTicks(k + 1, due));
    let next = 0;
    const fireSome = async () => {
      while (next < all.length) {
        const schedules = all.slice(next, next + BATCH);
        next += BATCH;
        const { outcomes } = await store.fireTicks({ self, schedules, now: due });
        if (outcomes.some(({ outcome }) => outcome !== 'fired')) throw new Error('not all have fired');
      }
    };
    return async () => {
      await Promise.all([fireSome(), fireSome()]);
    };
  };
  return { fire, close: () => store.close() };
}

function scheduleTicks(id: number, due: number) {
  const start = { trigger: 'tick', businessTime: due, params: { region: 'north' } } as const;
  const live = { id, version: 1, workflow: workflow([task('a')], { name: `flow-${id}` }) };
  return {
    schedule: COUNT + id,
    workflow: id,
    version: 1,
    seen: due - 1_000,
    firedUntil: due,
    nextDue: due + 1_000,
    live: 1,
    ticks: [{ due, start: startRow(startCommand(live, start)) }],
  };
}

/** The same rows from within the server, which reads nothing from us. */
async function withStatements(
  _url: string,
  client: pg.Client,
): Promise<{ fire: Fire; close(): Promise<void> }> {
  const { body } = scheduleTicks(1, 1_000).ticks[0].start;
  const fire = (due: number) => async () => {
    for (let k = 0; k < COUNT; k += BATCH) {
      const ids = `generate_series(${k + 1}, ${Math.min(COUNT, k + BATCH)}) AS k(id)`;
      await client.query('BEGIN');
      await client.query(
        `UPDATE schedule s SET fired_until = ${due}, next_due = ${due + 1_000} FROM ${ids} WHERE s.id = ${COUNT} + k.id AND s.fired_until = ${due - 1_000}`,
      );
      await client.query(
        `INSERT INTO command (seq, priority, workflow, limited, body, created_at)
         SELECT nextval('numbers'), 2, id, 0, $1, ${due} FROM ${ids}`,
        [body],
      );
      await client.query(
        `INSERT INTO tick (schedule, due, fired_at, run) SELECT ${COUNT} + id, ${due}, ${due}, id FROM ${ids}`,
      );
      await client.query('COMMIT');
    }
  };
  return { fire, close: async () => {} };
}

async function backends(client: pg.Client): Promise<number[]> {
  const { rows } = await client.query(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`,
  );
  return rows.map(({ pid }) => pid);
}

/** CPU time of a process so far, in milliseconds. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
