import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testDatabase } from '@orrery/testkit/databases';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { orrery } from '../run-binary.ts';
import { TestCluster } from './node-process.ts';

const long = { timeout: 180_000 };
const RUNS = 100;
const flow = `
name: flow
tasks: [{ name: work, type: shell, with: { script: 'echo done' } }]
`;

let database: Awaited<ReturnType<typeof testDatabase>>;
let cluster: TestCluster;
let mounted: string | undefined;
beforeEach(async () => {
  database = await testDatabase();
  cluster = new TestCluster(database.url, '--join-token', 'hush');
});
afterEach(async () => {
  if (mounted !== undefined) spawnSync('/bin/umount', ['-l', mounted]);
  mounted = undefined;
  await cluster.stop();
  await database.drop();
});

/** A worker's folder on a small disk of its own, where one can be mounted. */
function smallDisk(): string {
  const folder = join(cluster.folder, 'sick');
  mkdirSync(folder);
  const options = ['-t', 'tmpfs', '-o', 'size=32m,mode=700', 'tmpfs', folder];
  if (spawnSync('/bin/mount', options, { stdio: 'ignore' }).status === 0) mounted = folder;
  return folder;
}

const workers = async () =>
  JSON.parse((await orrery(['nodes', 'list', '--json', '--url', await cluster.url()])).out).workers as {
    id: string;
    state: string;
    unhealthy: { reason: string } | null;
  }[];
const sick = async () => (await workers()).find(({ id }) => id === 'sick');

it('a worker that cannot write hands back, says why, and takes again when it can', long, async () => {
  await cluster.master('m1');
  const folder = smallDisk();
  await cluster.worker('sick', 'm1');
  await cluster.api();
  await cluster.publish(flow);
  // Its disk fills up, or its folders break, while it is open for work.
  const filler = join(folder, 'filler');
  if (mounted === undefined)
    for (const name of ['worker/work', 'logs']) {
      rmSync(join(folder, name), { recursive: true, force: true });
      writeFileSync(join(folder, name), '');
    }
  else
    try {
      writeFileSync(filler, Buffer.alloc(2 ** 25));
    } catch {}
  const alone = await cluster.run('flow');
  while ((await sick())?.state !== 'unhealthy') await sleep(50);
  expect((await sick())?.unhealthy?.reason).toMatch(/space|write|ENOSPC|ENOTDIR|EEXIST/);
  const why = async () => (await orrery(['why', String(alone), '--url', await cluster.url()])).out;
  while (!/no worker of that group is healthy: sick/.test(await why())) await sleep(50);
  const listed = (await orrery(['nodes', 'list', '--url', await cluster.url()])).out;
  expect(listed).toMatch(/sick takes no work since/);
  const metrics = await (await fetch(`${await cluster.url()}/metrics`)).text();
  expect(metrics).toMatch(/orrery_workers\{state="unhealthy"\} 1/);
  const overview = (await (await fetch(`${await cluster.url()}/api/v1/overview`)).json()) as {
    needs: { kind: string; text: string }[];
  };
  expect(overview.needs.find(({ kind }) => kind === 'node-unhealthy')?.text).toMatch(
    /^worker sick takes no work/,
  );

  await cluster.worker('well', 'm1');
  const runs = await Promise.all(Array.from({ length: RUNS }, () => cluster.run('flow')));
  for (const run of [alone, ...runs]) expect(await cluster.endOf(run)).toBe('success');

  if (mounted === undefined) for (const name of ['worker/work', 'logs']) rmSync(join(folder, name));
  else rmSync(filler);
  while ((await sick())?.state !== 'alive') await sleep(50);
});
