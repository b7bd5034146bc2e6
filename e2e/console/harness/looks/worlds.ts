/** What pictures are taken of: seeds at a fixed moment, each served by the real API, with nothing that moves. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@orrery/sdk/client';
import { type CrowdSizes, crowdSizes, seedCrowd } from '@orrery/testkit/seed/crowd';
import { seedFurnished } from '@orrery/testkit/seed/furnished';
import { type HugeSizes, seedHuge } from '@orrery/testkit/seed/huge';
import { fewJobs, manyJobs, seedJobs } from '@orrery/testkit/seed/jobs';
import { seed } from '@orrery/testkit/seed/seed';
import { serveSeed } from '@orrery/testkit/seed/serve';
import { SMALL_NOW, seedSmall } from '@orrery/testkit/seed/small';
import { addAlerts } from './alerts.ts';

/** `locked` is an empty one that asks who one is. */
export type WorldName = 'empty' | 'small' | 'furnished' | 'crowd' | 'huge' | 'locked';

/** The addresses of all worlds, and of the things in them. */
export interface Worlds {
  readonly urls: Readonly<Record<WorldName, string>>;
  readonly places: Places;
  stop(): Promise<void>;
}

/** Addresses of runs and logs, which the seeds number. */
export type Places = Awaited<ReturnType<typeof findPlaces>> & { readonly manyTimes: string };

const dist = join(import.meta.dirname, '..', '..', '..', '..', 'packages', 'ui', 'dist');
/** Enough that counts end at 10,000+, a graph has a thousand boxes, and a log is read by its index. */
const hugeSizes: HugeSizes = { workflows: 200, runs: 12_000, wide: 1_000, tasks: 1_000, logLines: 200_000 };

/** How much is in the large ones. */
export interface WorldSizes {
  readonly huge: HugeSizes;
  readonly crowd: CrowdSizes;
}

/** Settings in force, one of every source. */
const config = [
  { name: 'port', value: 7700, source: 'default', secret: false },
  { name: 'database', value: 'postgres://db.example/orrery', source: 'orrery.yaml', secret: false },
  { name: 'keepRuns', value: '30d', source: 'option', secret: false },
  { name: 'keepLogs', value: '14d', source: 'ORRERY_KEEP_LOGS', secret: false },
  { name: 'token', value: null, source: 'ORRERY_TOKEN', secret: true },
];

/** Seeds and serves all. */
export async function startWorlds({
  huge: hugest = hugeSizes,
  crowd = crowdSizes,
}: Partial<WorldSizes> = {}): Promise<Worlds> {
  const root = mkdtempSync(join(tmpdir(), 'orrery-looks-'));
  const folder = (name: WorldName) => join(root, name);
  await seed('empty', folder('empty'), SMALL_NOW);
  await seed('empty', folder('locked'), SMALL_NOW);
  await seedSmall(folder('small'));
  await addAlerts(folder('small'), SMALL_NOW);
  await seedFurnished(folder('furnished'));
  const { backfill } = await seedCrowd(folder('crowd'), crowd);
  await seedHuge(folder('huge'), SMALL_NOW, hugest);
  const start = (name: WorldName, token?: string, jobs?: Awaited<ReturnType<typeof seedJobs>>) =>
    serveSeed(folder(name), { console: dist, now: SMALL_NOW, token, jobs, config });
  const served = {
    empty: await start('empty'),
    small: await start('small', undefined, await seedJobs(fewJobs, SMALL_NOW)),
    furnished: await start('furnished'),
    crowd: await start('crowd'),
    huge: await start('huge', undefined, await seedJobs(manyJobs, SMALL_NOW)),
    locked: await start('locked', 'a-token-of-the-pictures-01234567'),
  };
  const urls = {
    empty: served.empty.url,
    small: served.small.url,
    furnished: served.furnished.url,
    crowd: served.crowd.url,
    huge: served.huge.url,
    locked: served.locked.url,
  };
  const [small, furnished, huge] = [urls.small, urls.furnished, urls.huge].map((url) =>
    createClient({ url }),
  );
  return {
    urls,
    places: { ...(await findPlaces(small, furnished, huge)), manyTimes: `/backfills/${backfill}` },
    async stop() {
      for (const api of Object.values(served)) await api.stop();
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

async function findPlaces(small: Client, furnished: Client, huge: Client) {
  const newest = async (client: Client, filter: Parameters<Client['listRuns']>[0]) => {
    const { runs } = await client.listRuns({ ...filter, limit: 1 });
    return runs[0].id;
  };
  const byTick = (workflow: string, state: 'failed' | 'success') =>
    newest(small, { workflow, state: [state], trigger: ['tick'] });
  const failed = await byTick('etl/stock-sync', 'failed');
  const waiting = await newest(small, { workflow: 'ml/train-model', state: ['running'] });
  const [hourly] = (await furnished.listSchedules({})).schedules.filter(({ name }) => name === 'hourly');
  const { masters } = await furnished.listNodes();
  const chatty = await newest(huge, { workflow: 'ops/chatty' });
  return {
    failed: `/runs/${failed}`,
    orders: `/runs/${await byTick('etl/daily-orders', 'success')}`,
    queued: `/runs/${await newest(small, { state: ['queued'] })}`,
    log: `/task-runs/${failed}.fetch`,
    notStarted: `/task-runs/${waiting}.train`,
    wide: `/runs/${await newest(huge, { workflow: 'ml/wide' })}`,
    schedule: `/schedules/${hourly.id}`,
    backfill: `/backfills/${await newest(furnished, { kind: 'backfill' })}`,
    node: `/cluster/nodes/${masters[0].id}`,
    longLog: `/task-runs/${chatty}.export`,
  };
}
