/**
 * Tasks a second through 1, 2 and 3 masters as real processes on PostgreSQL, with two workers, and the CPU time that each
 * part takes for a task: what the machine has no more of is what limits them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type NodeProcess, TestCluster } from '../../packages/cli/src/server/node-process.ts';
import { describePostgres, withDatabase } from '../engine/databases.ts';
import { cpuOfServices, cpuSeconds } from '../engine/figures.ts';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';

export const title = 'throughput by the number of masters';
export const about = describePostgres;
export const alone = true;

const RUNS = bySize(2_000, 20);
const TASKS = 20;
const MASTERS = bySize([1, 2, 3], [1]);

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const masters of MASTERS) rows.push(await withDatabase((url) => drain(url, masters)));
  return rows;
}

/** Starts all runs at once, and waits until all have ended. */
async function drain(url: string, count: number): Promise<Row> {
  const cluster = new TestCluster(url, '--join-token', 'bench');
  const client = new pg.Client(url);
  await client.connect();
  try {
    const names = Array.from({ length: count }, (_, k) => `m${k + 1}`);
    const masters = await all(names, (name) => cluster.master(name));
    const workers = await all(['w1', 'w2'], (name) => cluster.worker(name, ...names));
    const api = await cluster.api();
    const tasks = Array.from({ length: TASKS }, (_, k) => `  - { name: t${k}, type: noop }`);
    await cluster.publish(`name: wide\ntasks:\n${tasks.join('\n')}`);
    const used = () => [masters, workers, [api]].map((nodes) => sum(nodes.map(({ pid }) => cpuSeconds(pid))));
    const [before, servedBefore, begin] = [used(), cpuOfServices(), performance.now()];
    for (let k = 0; k < RUNS; k += 1_000) {
      const runs = Array.from({ length: Math.min(1_000, RUNS - k) }, () => ({ workflow: 'wide' }));
      const headers = { 'content-type': 'application/json' };
      await cluster.call('/runs/batch', { method: 'POST', headers, body: JSON.stringify({ runs }) });
    }
    const ended = `SELECT count(*) AS ended FROM run WHERE state = 'success'`;
    while (Number((await client.query(ended)).rows[0].ended) < RUNS) await sleep(100);
    const seconds = (performance.now() - begin) / 1_000;
    const each = (cpu: number) => `${Math.round((1_000_000 * cpu) / (RUNS * TASKS))} µs`;
    const [ofMasters, ofWorkers, ofApi] = used().map((cpu, k) => each(cpu - before[k]));
    const ofServer = each(cpuOfServices() - servedBefore);
    return {
      what: `${count} master${count > 1 ? 's' : ''}, 2 workers`,
      value: (RUNS * TASKS) / seconds,
      unit: 'tasks/s',
      note: `${RUNS} runs of ${TASKS} no-op tasks, starts included; CPU a task: masters ${ofMasters}, workers ${ofWorkers}, API ${ofApi}, PostgreSQL ${ofServer}`,
    };
  } finally {
    await client.end();
    await cluster.stop();
  }
}

/** Starts nodes one after the other. */
async function all(names: readonly string[], start: (name: string) => Promise<NodeProcess>) {
  const nodes: NodeProcess[] = [];
  for (const name of names) nodes.push(await start(name));
  return nodes;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
