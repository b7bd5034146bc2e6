/**
 * The TypeScript side of the job that Java and TypeScript share: the same lines of output and input as
 * `java/src/main/java/SharedJob.java`.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { elastic } from '../../cli/src/elastic.ts';

const { REGISTRY = '', NAMESPACE = '', SERVER, SHARDS = '4', CRON = '0 0 0 1 1 ? 2099' } = process.env;
const print = (line: object) => console.log(JSON.stringify(line));
let takes = 0;
const jobs = await elastic({
  registry: REGISTRY,
  namespace: NAMESPACE,
  server: SERVER,
  sessionTimeout: 4_000,
});
const job = await jobs.schedule({
  name: 'shared',
  identity: 'SharedJob',
  cron: CRON,
  shards: Number(SHARDS),
  shardParameters: '0=zero',
  failover: true,
  run: async ({ shard, total, parameter, token, cause, signal }) => {
    print({ began: shard, total, parameter, token, cause, at: Date.now() });
    await sleep(takes, undefined, { signal });
    print({ ended: shard });
  },
});
print({ started: process.pid, instance: job.instance });
createInterface({ input: process.stdin }).on('line', async (line) => {
  if (line === 'stop') {
    await jobs.stop();
    process.exit(0);
  }
  takes = Number(line.slice('takes '.length));
  print({ takes });
});
