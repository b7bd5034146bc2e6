/**
 * The same job with Java's ElasticJob and with ours, each by itself on the same ZooKeeper: its lateness and
 * its requests.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { JobProcess } from '../../packages/cli/src/jobs/testing.ts';
import { elasticJobInstance } from '../../packages/testkit/src/elasticjob-instance.ts';
import { startService } from '../../scripts/services/lifecycle.ts';
import { zookeeper } from '../../scripts/services/zookeeper.ts';
import { median, quantile } from '../engine/figures.ts';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { RequestCounter } from './request-counter.ts';

export const title =
  'a tick of an elastic job on ZooKeeper: ElasticJob 3.0.4 (Java) beside ours, one instance each';
/** Needs Maven, and minutes. */
export const alone = true;

const SHARDS = bySize(100, 10);
const TICKS = bySize(10, 1);
const PERIOD = 3;

export async function run(): Promise<Row[]> {
  const folder = join(import.meta.dirname, '../../.services');
  const { port } = await startService(zookeeper, folder, true);
  const instance = await elasticJobInstance();
  const cron = `0/${PERIOD} * * * * ?`;
  const ours = join(import.meta.dirname, '../../packages/testkit/src/shared-job.ts');
  return [
    ...(await measure('Java', port, (at, namespace) => {
      return new JobProcess([...instance, `127.0.0.1:${at}`, namespace, String(SHARDS), 'keep', cron]);
    })),
    ...(await measure('ours', port, (at, namespace) => {
      const environment = { NAMESPACE: namespace, SERVER: '10.0.0.1', SHARDS: String(SHARDS), CRON: cron };
      return new JobProcess(ours, { REGISTRY: `zookeeper://127.0.0.1:${at}`, ...environment });
    })),
  ];
}

async function measure(
  name: string,
  port: number,
  start: (port: number, namespace: string) => JobProcess,
): Promise<Row[]> {
  const counter = await RequestCounter.to(port);
  const job = start(counter.port, `bench-${randomUUID()}`);
  const began = () => Map.groupBy(job.having('began'), ({ at }) => Math.floor(Number(at) / (PERIOD * 1_000)));
  // The first round divides the shards, and Java compiles what it uses.
  const warm = 3;
  const seen: number[] = [];
  const rounds = () => began().size;
  while (rounds() < warm + TICKS + 1) {
    if (job.child.exitCode !== null) throw new Error(`${name} ended: ${job.errors.join('\n')}`);
    if (rounds() > seen.length) seen.push(counter.requests);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await job.end('SIGKILL');
  counter.close();
  const measured = [...began().values()].slice(warm, warm + TICKS);
  const late = measured.map((items) =>
    items.map(({ at }) => Number(at) % (PERIOD * 1_000)).sort((a, b) => a - b),
  );
  const first = late.map((times) => times[0]);
  // From tick to tick: a round, and the pings between two.
  const asked = seen.slice(warm + 1).map((count, i) => count - seen[warm + i]);
  const note = `${SHARDS} shards, failover on, every ${PERIOD} s, ${TICKS} ticks`;
  return [
    { what: `${name}: due to first shard, median`, value: median(first), unit: 'ms', note },
    { what: `${name}: due to first shard, worst`, value: quantile(first, 1), unit: 'ms' },
    {
      what: `${name}: due to last shard, median`,
      value: median(late.map((times) => times.at(-1) ?? 0)),
      unit: 'ms',
    },
    { what: `${name}: requests of ZooKeeper from tick to tick`, value: median(asked), unit: 'requests' },
  ];
}
