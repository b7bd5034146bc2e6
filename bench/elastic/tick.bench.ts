/**
 * The delay from the due time of a tick to the first and last of 100 shards, and the registry requests of a
 * round.
 */
import { randomUUID } from 'node:crypto';
import { machineClock as clock } from '../../packages/cli/src/node/machine-clock.ts';
import { parseJob } from '../../packages/core/src/model/index.ts';
import { openOperator } from '../../packages/elastic/src/board/open-operator.ts';
import { openElasticJobBoard } from '../../packages/elastic/src/elasticjob/board.ts';
import { Nodes } from '../../packages/elastic/src/elasticjob/nodes.ts';
import { openNativeBoard } from '../../packages/elastic/src/native/board.ts';
import { JobRunner } from '../../packages/elastic/src/run/job-runner.ts';
import { openRegistry } from '../../packages/registry/src/index.ts';
import { zooKeeperOptions } from '../../packages/registry/src/zookeeper/index.ts';
import { median, quantile } from '../engine/figures.ts';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { type Place, places } from './places.ts';

export const title = 'a tick of an elastic job with 100 shards on one instance';

const SHARDS = bySize(100, 10);
const TICKS = bySize(10, 1);
/** Requests that wait for each other in ElasticJob 3: 6 + 8 for each shard. */
const JAVA = 6 + 8 * SHARDS;

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const place of await places()) rows.push(...(await measure(place)));
  rows.push({
    what: "ElasticJob's round",
    value: JAVA,
    unit: 'requests',
    note: '6 + 8 N, one after the other',
  });
  return rows;
}

async function measure({ name, url }: Place): Promise<Row[]> {
  const namespace = `bench-${randomUUID()}`;
  const { job } = parseJob({ namespace, name: 'job', shards: SHARDS, cron: '* * * * * ?' });
  if (!job) throw new Error('the job is not accepted');
  let requests = 0;
  const ports = {
    clock,
    server: '10.0.0.1',
    zone: 'UTC',
    newInstance: () => `10.0.0.1@-@1-${randomUUID()}`,
    newLatchId: randomUUID,
    id: randomUUID,
    log: () => {},
  };
  const count = () => void requests++;
  const board =
    name === 'zookeeper'
      ? await openElasticJobBoard(async () => {
          const nodes = await Nodes.open(zooKeeperOptions(url, {}));
          counting(nodes.client, count);
          return nodes;
        }, ports)
      : await openNativeBoard(async () => counting(await openRegistry(url), count), ports);
  const first: number[] = [];
  const last: number[] = [];
  const asked: number[] = [];
  let begun = 0;
  let before = 0;
  let done = () => {};
  const measured = new Promise<void>((resolve) => {
    done = resolve;
  });
  const runner = await JobRunner.start(
    board,
    { job, identity: 'bench', strategies: {} },
    {
      handler: ({ due }) => {
        const late = clock.now() - (due ?? 0);
        if (begun++ === 0) first.push(late);
        if (begun === SHARDS) last.push(late);
      },
      limits: { retries: 0, retryDelay: 0, timeout: undefined, grace: 0 },
      listeners: {
        after: () => {
          asked.push(requests - before);
          before = requests;
          begun = 0;
          // The first round divides the shards.
          if (first.length > TICKS) done();
        },
      },
      onError: (error) => {
        throw new Error(error);
      },
    },
    ports,
  );
  await measured;
  await runner.stop();
  await board.close();
  const half = openOperator(url, namespace, { id: randomUUID, zone: 'UTC', options: {} });
  await half.operator.remove('job');
  await half.close();
  const note = `${SHARDS} shards, ${TICKS} ticks; bar 100 ms, aim 20`;
  return [
    { what: `${name}: due to first shard, median`, value: median(first.slice(1)), unit: 'ms', note },
    { what: `${name}: due to first shard, worst`, value: quantile(first.slice(1), 1), unit: 'ms' },
    { what: `${name}: due to last shard, median`, value: median(last.slice(1)), unit: 'ms' },
    { what: `${name}: asked of the registry per round`, value: median(asked.slice(1)), unit: 'requests' },
  ];
}

/** Counts the calls of a client that go to its server. */
function counting<T extends object>(client: T, count: () => void): T {
  const names = ['get', 'children', 'subtree', 'create', 'set', 'delete', 'transaction', 'serverTime'];
  const java = ['exists', 'getData', 'setData', 'getChildren', 'multi', 'sync'];
  for (const name of [...names, ...java]) {
    const own: unknown = Reflect.get(client, name);
    if (typeof own === 'function')
      Reflect.set(client, name, (...args: unknown[]) => {
        count();
        return Reflect.apply(own, client, args);
      });
  }
  return client;
}
