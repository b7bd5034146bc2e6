import { join } from 'node:path';
import { testDatabase } from '@orrery/testkit/databases';
import { manyJobs, seedJobs } from '@orrery/testkit/seed/jobs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JobProcess } from '../../packages/cli/src/jobs/testing.ts';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { type Seeded, serve } from './harness/seeded.ts';
import { Server } from './harness/server.ts';

const service = join(import.meta.dirname, '..', '..', 'examples', 'jobs', 'service.ts');
const browsing = useBrowser();

describe('elastic jobs of a service', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let server: Server;
  const instances: JobProcess[] = [];
  const start = async () => {
    const one = new JobProcess(service, { REGISTRY: database.url });
    instances.push(one);
    await one.until('instance');
    return String(one.having('instance')[0].instance);
  };
  beforeAll(async () => {
    database = await testDatabase();
    server = await Server.start('--jobs', `billing=${database.url}`);
  });
  afterAll(async () => {
    for (const one of instances) await one.end('SIGKILL');
    await server?.stop();
    await database.drop();
  });
  const open = (path: string, view = {}) => browsing.open(`${server.url}${path}`, view);

  it('appear, are walked and driven by keyboard, and show who runs what', async () => {
    const page = await open('/jobs');
    await page.getByRole('heading', { name: /No elastic jobs/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    const first = await start();
    await page.getByRole('row', { name: /billing\/settle/ }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.getByRole('row', { name: /billing\/settle/ }).press('Enter');
    await page.waitForURL(/\/jobs\/billing\/settle$/);
    await page.getByRole('columnheader', { name: `★ ${first}` }).waitFor();
    await page.getByRole('row', { name: /shard 2/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    // A shard is disabled from its row, with a question and the command that does the same.
    await page.getByRole('row', { name: /shard 2/ }).press('Enter');
    const question = page.getByRole('dialog', { name: 'Disable shard 2' });
    await question.getByText('orrery jobs disable billing/settle --shard 2').waitFor();
    expect(await violations(page)).toEqual([]);
    await question.getByRole('button', { name: 'Disable', exact: true }).press('Enter');
    await page
      .getByRole('row', { name: /shard 2/ })
      .getByText('disabled')
      .waitFor();
    const { shardList } = await server.client.showJob({ center: 'billing', job: 'settle' });
    expect(shardList[2].state).toBe('disabled');
    await page.getByRole('button', { name: 'Enable shard 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Enable', exact: true }).click();
    await page
      .getByRole('row', { name: /shard 2/ })
      .getByText('disabled')
      .waitFor({ state: 'detached' });
    await page.goto(`${server.url}/jobs/billing/report`);
    await page.getByText('when triggered').waitFor();
    await page.keyboard.press('r');
    const trigger = page.getByRole('dialog', { name: 'Trigger billing/report' });
    await trigger.getByRole('textbox', { name: /parameter/ }).fill('by hand');
    await page.keyboard.press('Enter');
    await expect.poll(() => instances[0].having('report').at(-1)).toEqual({ report: 'by hand' });
  });

  it('show a new division before it is saved, and the result is the same', async () => {
    const second = await start();
    const page = await open('/jobs/billing/settle/config', { scheme: 'dark' });
    const shards = page.getByRole('textbox', { name: 'shards', exact: true });
    await shards.fill('6');
    const division = page.getByRole('region', { name: 'New division of the shards' }).last();
    await division.getByRole('rowheader', { name: second }).waitFor();
    expect(await violations(page)).toEqual([]);
    const rows = await division.getByRole('row').allTextContents();
    await page.getByText('--set shards=6').waitFor();
    await shards.press('Enter');
    await page.getByText('Settings of billing/settle saved').waitFor();
    const divided = async () =>
      (await server.client.showJob({ center: 'billing', job: 'settle' })).instanceList;
    await expect
      .poll(async () => (await divided()).flatMap((one) => one.shards).length, { timeout: 60_000 })
      .toBe(6);
    for (const { id, shards: own } of await divided())
      expect(rows.find((row) => row.startsWith(id))).toMatch(new RegExp(`${own[0]}-${own.at(-1)}$`));
    await shards.fill('0');
    browsing.expectErrors(page, /422/);
    await page.getByRole('alert').first().waitFor();
  });

  it('show in order that an instance was lost, its shards taken over and divided again', async () => {
    const page = await open('/jobs/billing/settle/history');
    const rows = page.getByRole('table', { name: 'History' }).or(page.getByRole('grid', { name: 'History' }));
    await rows.getByText('tick', { exact: true }).first().waitFor();
    const lost = String(instances[0].having('instance')[0].instance);
    await instances[0].end('SIGKILL');
    const events = async () =>
      (await server.client.listJobHistory({ center: 'billing', job: 'settle' })).events;
    await expect
      .poll(async () => (await events()).some(({ reasons }) => reasons.includes(`${lost} left`)), {
        timeout: 60_000,
      })
      .toBe(true);
    await page.reload();
    await page.getByText(`${lost} left`).first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('j');
    await page.keyboard.press('o');
    await page
      .getByRole('complementary')
      .last()
      .getByText(/succeeded|moved/)
      .waitFor();
    await page.goto(`${server.url}/jobs/billing/settle/instances`);
    await page.getByRole('rowheader', { name: /leader/ }).waitFor();
    expect(await page.getByRole('rowheader', { name: new RegExp(lost) }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
  });

  it('without an instance are a need on Home that leads to the job', async () => {
    for (const one of instances) await one.end('SIGKILL');
    const page = await open('/');
    const need = page.getByRole('link', {
      name: 'elastic job billing/settle has no instance: nothing runs it',
    });
    await need.waitFor({ timeout: 60_000 });
    await need.click();
    await page.waitForURL(/\/jobs\/billing\/settle$/);
    await page.getByText(/No instance is there/).waitFor();
    await page.getByRole('button', { name: 'Trigger' }).and(page.locator('[aria-disabled="true"]')).waitFor();
    const chinese = await open('/jobs/billing/settle', { language: 'zh-CN', width: 390 });
    await chinese.getByText(/没有实例，无人执行/).waitFor();
    expect(await chinese.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await violations(chinese)).toEqual([]);
  });
});

describe('a thousand jobs', () => {
  let seeded: Seeded;
  beforeAll(async () => {
    seeded = await serve('empty', undefined, undefined, await seedJobs(manyJobs, Date.now()));
  });
  afterAll(() => seeded?.stop());

  it('are listed, filtered and opened, one of them with a thousand shards', async () => {
    const page = await browsing.open(`${seeded.url}/jobs?status=ok`, {});
    await page.getByRole('row', { name: /-0000/ }).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(100);
    await page.keyboard.press('/');
    await page.keyboard.type('sync-0999');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=sync-0999/);
    await page.getByRole('row', { name: /-0999/ }).waitFor();
    // A large job is shown by bands, one for each instance; opening one lists its shards.
    await page.goto(`${seeded.url}/jobs/billing/sync-0000`);
    const band = page.getByRole('row', { name: /10\.0\.0\.2@-@401/ });
    await band.waitFor();
    expect(await page.getByRole('row', { name: /shard \d/ }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await band.press('Enter');
    await page.getByRole('row', { name: /shard 50$/ }).waitFor();
    expect(await page.getByRole('row', { name: /shard 0$/ }).count()).toBe(0);
    const find = page.getByRole('textbox', { name: /shard, range/ });
    await find.fill('990-999');
    await page.getByRole('row', { name: /shard 999$/ }).waitFor();
    await find.fill('');
    await band.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('/');
    await page.keyboard.type('999');
    await page.getByRole('row', { name: /shard 999$/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    // What the shards did at the last ticks; a cell opens its shard.
    await page.getByText('Last ticks', { exact: true }).click();
    const heat = page.getByRole('region', { name: 'Shards at the last 3 ticks' });
    await heat.getByRole('button', { name: /some shards failed, / }).waitFor();
    expect(await violations(page)).toEqual([]);
    await find.fill('failed');
    await heat.getByRole('button').press('ArrowDown');
    await heat.getByRole('button', { name: /^shard 50 at .*: failed$/ }).press('ArrowLeft');
    await heat.getByRole('button', { name: /^shard 50 at .*: succeeded$/ }).press('Enter');
    await page.getByRole('row', { name: /shard 50$/ }).waitFor();
  });

  it('say so while they load, and when the server fails', async () => {
    const page = await browsing.open(`${seeded.url}/`, {});
    await page.route('**/api/v1/jobs', () => {});
    await page.goto(`${seeded.url}/jobs`);
    await page.getByRole('main').getByRole('status').first().waitFor();
    browsing.expectErrors(page, /500/);
    await page.unrouteAll();
    await page.route('**/api/v1/jobs/billing/sync-0001', (route) => route.fulfill({ status: 500 }));
    await page.goto(`${seeded.url}/jobs/billing/sync-0001`);
    await page.getByRole('alert').getByRole('button', { name: 'Retry' }).waitFor();
    await page.unrouteAll();
    await page.getByRole('alert').getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('row', { name: /shard 0$/ }).waitFor();
  });
});
