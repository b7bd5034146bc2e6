/**
 * A service that settles accounts every second, cut into shards over all its live instances. Start it as often as you
 * like, with the same registry: `REGISTRY=postgres://… node examples/jobs/service.ts`. Ctrl+C stops one in good order.
 */
import { elastic } from 'orrery-scheduler/elastic';

const jobs = await elastic({ registry: process.env.REGISTRY ?? 'memory:', namespace: 'billing' });

const settle = await jobs.schedule({
  name: 'settle',
  cron: '* * * * * ?',
  shards: 4,
  shardParameters: '0=beijing,1=shanghai,2=guangzhou,3=shenzhen',
  failover: true,
  run: async ({ shard, parameter, token, signal }) => {
    // A real job would read the accounts of this city, and write with `token` as a condition.
    signal.throwIfAborted();
    console.log(JSON.stringify({ shard, city: parameter, token }));
  },
});
console.log(JSON.stringify({ instance: settle.instance }));

// Jobs can be made while the service runs; this one has no cron, and runs when it is triggered.
await jobs.schedule({
  name: 'report',
  shards: 1,
  run: ({ triggerParameter }) => console.log(JSON.stringify({ report: triggerParameter })),
});
await jobs.trigger('report', { parameter: new Date().toISOString().slice(0, 10) });

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void jobs.stop(10_000));
