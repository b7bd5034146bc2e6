import { testDatabase } from '@orrery/testkit/databases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestCluster } from '../../packages/cli/src/server/node-process.ts';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';

const file = `
name: broken
tasks: [{ name: fail, type: shell, with: { script: "echo last words; exit 3" } }]
`;

let database: Awaited<ReturnType<typeof testDatabase>>;
let cluster: TestCluster;
const browsing = useBrowser();
beforeAll(async () => {
  database = await testDatabase();
  cluster = new TestCluster(database.url, '--join-token', 'hush');
});
afterAll(async () => {
  await cluster?.stop();
  await database?.drop();
});

describe('a worker that was killed', () => {
  it('leaves the end of its logs, and the console says which worker held the rest', async () => {
    await cluster.master('m1');
    const worker = await cluster.worker('w1', 'm1');
    await cluster.api();
    await cluster.publish(file);
    const run = await cluster.run('broken');
    expect(await cluster.endOf(run)).toBe('failed');
    const page = await browsing.open(`${await cluster.url()}/task-runs/${run}.fail`);
    await page.getByText('last words', { exact: true }).waitFor();
    await expect.poll(() => page.getByText(/The log itself is gone/).count()).toBe(0);
    await worker.end('SIGKILL');
    await page.reload();
    await page.getByText('The log itself is gone: worker w1 held the file', { exact: false }).waitFor();
    await page.getByText('last words', { exact: true }).waitFor();
    await picture(page, 'log-worker-killed');
    expect(await violations(page)).toEqual([]);
  });
});
