/** kill -9 of a master and of a worker, as real processes on PostgreSQL: from the kill until work has resumed. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type NodeProcess, TestCluster } from '../../packages/cli/src/server/node-process.ts';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { describePostgres, withDatabase } from './databases.ts';

export const title = 'kill -9 to resumed work';
export const about = describePostgres;

const TIMES = bySize(5, 1);
/** In milliseconds: as masters have it, and a lease short enough to wait for. */
const SESSION = 6_000;
const LEASE = 5_000;
const GRACE = 5_000;

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  await withDatabase(async (url) => {
    const cluster = new TestCluster(url, '--join-token', 'bench');
    try {
      const masters = new Map<string, NodeProcess>();
      for (const name of ['m1', 'm2']) masters.set(name, await master(cluster, name));
      const workers = new Map<string, NodeProcess>();
      for (const name of ['w1', 'w2']) workers.set(name, await cluster.worker(name, 'm1', 'm2'));
      await cluster.api();
      rows.push(...figures('master', SESSION, await times(() => killMaster(cluster, masters))));
      rows.push(...figures('worker', LEASE + GRACE, await times(() => killWorker(cluster, workers))));
    } finally {
      await cluster.stop();
    }
  });
  return rows;
}

function master(cluster: TestCluster, name: string): Promise<NodeProcess> {
  return cluster.master(name, '--session-timeout', `${SESSION}ms`, '--lease', `${LEASE}ms`);
}

async function times(measure: () => Promise<number>): Promise<number[]> {
  const taken: number[] = [];
  for (let k = 0; k < TIMES; k++) taken.push(await measure());
  return taken;
}

function figures(what: string, detection: number, taken: readonly number[]): Row[] {
  const sorted = [...taken].sort((a, b) => a - b);
  const note = `detection ${detection} ms, ${taken.length} kills`;
  const row = (name: string, value: number) => ({ what: `${what}, ${name}`, value, unit: 'ms', note });
  return [
    row('median', sorted[Math.floor(sorted.length / 2)]),
    row('longest', sorted[sorted.length - 1]),
    row('longest beyond detection', sorted[sorted.length - 1] - detection),
  ];
}

/** Its attempt ends right after the kill: work has resumed when the task after it runs. */
async function killMaster(cluster: TestCluster, masters: Map<string, NodeProcess>): Promise<number> {
  const files = await begin(cluster, 'go');
  const { owner } = (await cluster.call(`/runs/${files.run}`)) as { owner: string };
  const killedAt = performance.now();
  await masters.get(owner)?.end('SIGKILL');
  writeFileSync(files.go, '');
  const taken = (await written(files.next)) - killedAt;
  await cluster.endOf(files.run);
  masters.set(owner, await master(cluster, owner));
  return taken;
}

/** Work has resumed when the second attempt runs on the other worker. */
async function killWorker(cluster: TestCluster, workers: Map<string, NodeProcess>): Promise<number> {
  const files = await begin(cluster, 'again');
  // Its work folder lies in the worker's own.
  const [name] = relative(cluster.folder, readFileSync(files.began, 'utf8').trim()).split(sep);
  const killedAt = performance.now();
  await workers.get(name)?.end('SIGKILL');
  const taken = (await written(files.again)) - killedAt;
  writeFileSync(files.go, '');
  await cluster.endOf(files.run);
  workers.set(name, await cluster.worker(name, 'm1', 'm2'));
  return taken;
}

let made = 0;

/** Starts a run whose first task lasts until it is released, and waits until that task runs. */
async function begin(cluster: TestCluster, kind: string) {
  const name = `${kind}${++made}`;
  const file = (what: string) => join(cluster.folder, `${name}.${what}`);
  const files = { go: file('go'), next: file('next'), began: file('began'), again: file('again') };
  const wait = `if [ -e ${files.began} ]; then touch ${files.again}; fi; echo $ORRERY_WORK_DIR > ${files.began}.new; mv ${files.began}.new ${files.began}; while [ ! -e ${files.go} ]; do sleep 0.02; done`;
  await cluster.publish(`
name: ${name}
tasks:
  - { name: first, type: shell, with: { script: '${wait}' } }
  - { name: next, type: shell, needs: first, with: { script: 'touch ${files.next}' } }
`);
  const run = await cluster.run(name);
  await written(files.began);
  return { ...files, run };
}

async function written(file: string): Promise<number> {
  while (!existsSync(file)) await sleep(5);
  return performance.now();
}
