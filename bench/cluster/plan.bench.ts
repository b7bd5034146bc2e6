/** Plans for many schedules: how long one takes to make and to adopt, and what the crash of a master costs in ticks. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgres } from '@orrery/store';
import pg from 'pg';
import { type NodeProcess, TestCluster } from '../../packages/cli/src/server/node-process.ts';
import { planOrder } from '../../packages/cluster/src/plan/plan-order.ts';
import { countMoved, makePlan, type PlanStrategy } from '../../packages/cluster/src/plan/planner.ts';
import { describePostgres, withDatabase } from '../engine/databases.ts';
import { watchSteps } from '../engine/figures.ts';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';

export const title = 'plans: making, adopting, and the crash of a master';
export const about = describePostgres;

const SCHEDULES = bySize(100_000, 1_000);
const MASTERS = bySize(100, 10);
/** Schedules that fire every second while their master is killed. */
const TICKING = bySize(100, 3);
const SESSION = 3_000;

export function run(): Promise<Row[]> {
  return withDatabase(async (url) => {
    await (await openPostgres({ url })).close();
    const client = new pg.Client(url);
    await client.connect();
    try {
      await fill(client);
      return [...(await making(url)), ...(await crashing(url, client))];
    } finally {
      await client.end();
    }
  });
}

/** Schedules that are due in years. */
async function fill(client: pg.Client): Promise<void> {
  const body = JSON.stringify({ every: 86_400_000, timezone: 'UTC', params: {}, enabled: true });
  await client.query(
    `INSERT INTO workflow (id, project, name, live, created_at) VALUES (1, 'default', 'far', NULL, 0)`,
  );
  await client.query(
    `INSERT INTO schedule (id, workflow, name, body, enabled, version, fired_until, next_due)
     SELECT 1 + k, 1, 's' || k, $1, 1, 1, 4000000000000, 4000000000000 FROM generate_series(1, $2::int) AS k`,
    [body, SCHEDULES],
  );
  await client.query(`SELECT setval('numbers', $1)`, [SCHEDULES + 10]);
  await client.query('VACUUM ANALYZE');
}

/** Plans for all masters, and for all but one. */
async function making(url: string): Promise<Row[]> {
  const store = await openPostgres({ url });
  const nodes = Array.from({ length: MASTERS }, (_, k) => `10.0.0.${k}:7071`);
  const strategies: PlanStrategy[] = ['range', 'balanced', 'weighted', 'consistent-hash'];
  const rows: Row[] = [];
  const note = `${SCHEDULES.toLocaleString('en-US')} schedules, ${MASTERS} masters`;
  for (const strategy of strategies) {
    const weights = new Map(nodes.map((node, k) => [node, 1 + (k % 3)]));
    const before = await makePlan(store, { number: 1, strategy, nodes: nodes.slice(1), weights });
    const turns = watchSteps();
    const begin = performance.now();
    const { plan } = await makePlan(store, { number: 2, strategy, nodes, weights });
    const moved = await countMoved(store, before.plan, plan);
    const made = performance.now() - begin;
    const longest = turns();
    const asked = performance.now();
    const order = planOrder(nodes[0], plan);
    for (let id = 2; id <= SCHEDULES + 1; id++) order.delayOf(id);
    const sorted = performance.now() - asked;
    const details = `${note}; ${moved.toLocaleString('en-US')} move; longest turn ${longest.toFixed(1)} ms`;
    rows.push({ what: `${strategy}: plan made and moves counted`, value: made, unit: 'ms', note: details });
    rows.push({ what: `${strategy}: own schedules told from others`, value: sorted, unit: 'ms', note });
  }
  await store.close();
  return rows;
}

/** Three master processes; kills the one that fires the schedules of every second. */
async function crashing(url: string, client: pg.Client): Promise<Row[]> {
  const cluster = new TestCluster(url, '--join-token', 'bench');
  const start = (name: string) => cluster.master(name, '--registry-timeout', `${SESSION}ms`);
  try {
    const masters = new Map<string, NodeProcess>();
    for (const name of ['m1', 'm2', 'm3']) masters.set(name, await start(name));
    await cluster.api();
    const names = Array.from(
      { length: TICKING },
      (_, k) => `  - { name: s${k}, every: 1s, misfire: fire-all }`,
    );
    await cluster.publish(`name: often\nschedules:\n${names.join('\n')}\ntasks: [{ name: x, type: noop }]`);
    await until(client, `SELECT count(*) >= 3 AS ok FROM plan WHERE adopted_at IS NOT NULL`);
    await sleep(3_000);
    const [{ now }] = (await client.query('SELECT extract(epoch FROM now()) * 1000 AS now')).rows;
    await masters.get(await holderOf(cluster))?.end('SIGKILL');
    const killed = Math.floor(Number(now));
    await until(
      client,
      `SELECT count(*) > 0 AS ok FROM plan WHERE written_at > ${killed} AND adopted_at IS NOT NULL`,
    );
    await sleep(2_000);
    const { rows: late } = await client.query(
      `SELECT max(fired_at - due) AS late, count(*) AS n FROM tick WHERE due > ${killed}`,
    );
    const { rows: plans } = await client.query(
      `SELECT max(adopted_at - written_at) AS pause, max(written_at) - ${killed} AS after, max(moved) AS moved FROM plan WHERE written_at > ${killed}`,
    );
    const note = `3 masters, ${(SCHEDULES + TICKING).toLocaleString('en-US')} schedules, session timeout ${SESSION} ms`;
    return [
      {
        what: 'holder killed: latest tick after it',
        value: Number(late[0].late),
        unit: 'ms',
        note: `${note}; ${late[0].n} ticks; bar ${SESSION + 1_000}`,
      },
      { what: 'holder killed: next plan written after', value: Number(plans[0].after), unit: 'ms', note },
      {
        what: 'reshard: from written to adopted by all',
        value: Number(plans[0].pause),
        unit: 'ms',
        note: `${note}; ${plans[0].moved} move; bar 1,000`,
      },
    ];
  } finally {
    await cluster.stop();
  }
}

/** The master that fires the schedule of every second. */
async function holderOf(cluster: TestCluster): Promise<string> {
  const { schedules } = (await cluster.call('/schedules?workflow=often&limit=1')) as {
    schedules: { id: number }[];
  };
  return ((await cluster.call(`/schedules/${schedules[0].id}/holder`)) as { holder: string }).holder;
}

async function until(client: pg.Client, text: string): Promise<void> {
  while (!(await client.query(text)).rows[0].ok) await sleep(50);
}
