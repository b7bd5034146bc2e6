/** The server of the console's benchmark, in its own process: serves a folder seeded with more than fits. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seedCrowd } from '@orrery/testkit/seed/crowd';
import { seedHuge } from '@orrery/testkit/seed/huge';
import { manyJobs, seedJobs } from '@orrery/testkit/seed/jobs';
import { seedLargestRun } from '@orrery/testkit/seed/largest-run';
import { serveSeed } from '@orrery/testkit/seed/serve';
import type { World } from './servers.ts';

const world = JSON.parse(process.argv[2]) as World;
const folder = mkdtempSync(join(tmpdir(), 'orrery-bench-console-'));
const now = Date.now();
const options = { console: join(import.meta.dirname, '..', '..', 'packages', 'ui', 'dist') };
const { url, ...places } = await serve();
console.log(JSON.stringify({ url, folder, ...places }));

async function serve(): Promise<{ url: string; backfill?: number }> {
  if (world.kind === 'huge') await seedHuge(folder, now, world);
  if (world.kind === 'grid') await seedLargestRun(folder, now, world.tasks, world.runs);
  if (world.kind !== 'crowd') return { url: (await serveSeed(folder, options)).url };
  const { now: moment, backfill } = await seedCrowd(folder, world);
  const jobs = await seedJobs(manyJobs.slice(0, world.things), moment);
  return { url: (await serveSeed(folder, { ...options, now: moment, jobs })).url, backfill };
}
