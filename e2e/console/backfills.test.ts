import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { Server } from './harness/server.ts';

let server: Server;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start();
  const flag = (name: string) => join(server.folder, name);
  // Each day waits until it may end; the third fails until it is mended.
  await server.publish(`
name: daily
project: etl
params: { day: '$[yyyyMMdd]' }
schedules: [{ name: nightly, cron: '0 2 * * *', from: 2090-01-01T00:00:00Z }]
tasks:
  - name: load
    type: shell
    with:
      script: |
        while [ ! -e ${flag('go')} ]; do sleep 0.1; done
        if [ "\${day}" = 20260103 ] && [ ! -e ${flag('mended')} ]; then exit 1; fi
`);
});
afterAll(() => server?.stop());

describe('backfills', () => {
  it('begin with a dry run that equals what runs, and are paused, widened and mended while they run', async () => {
    const page = await browsing.open(`${server.url}/backfills`);
    browsing.expectErrors(page, /422|400|404/);
    await page.getByRole('heading', { name: /No backfills yet/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('n');
    await page.waitForURL(/\/backfills\/new/);
    const field = (name: string) => page.getByRole('textbox', { name });
    await field('workflow').fill('etl/daily');
    await field('First business time').fill('2026-01-01');
    await field('Last business time').fill('2026-01-31');
    await field('Or ticks of this cron').fill('0 2 * * *');
    await page.getByText('31 business times, 31 runs:').waitFor();
    await field('Last business time').fill('2026-01-06');
    await page.getByText('6 business times, 6 runs:').waitFor();
    await page.getByText(/orrery backfill etl\/daily --from 2026-01-01 --to 2026-01-06 --cron/).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'backfill-new');
    const fresh = await browsing.open(page.url(), { language: 'zh-CN', scheme: 'dark', width: 390 });
    await fresh.getByText('6 个业务时间，6 次运行：').waitFor();
    expect(await fresh.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await violations(fresh)).toEqual([]);
    await page.bringToFront();
    await page.getByRole('button', { name: 'Start 6 runs' }).press('Enter');
    await page.waitForURL(/\/backfills\/\d+$/);
    const id = Number(/\d+$/.exec(page.url())?.[0]);

    const cells = page.getByRole('region', { name: 'Business times' }).getByRole('listitem');
    await expect.poll(() => cells.count()).toBe(1);
    await page.getByText('5 business times have not started.').waitFor();
    const parallel = page.getByRole('textbox', { name: 'Business times at once' });
    await parallel.fill('3');
    await parallel.press('Enter');
    await page.getByText('3 of 3').waitFor();
    await expect.poll(() => cells.count()).toBe(3);
    await page.getByRole('button', { name: 'Pause' }).press('Enter');
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'backfill');
    writeFileSync(join(server.folder, 'go'), '');
    await server.reaches(id, 'paused');
    await expect.poll(() => cells.count()).toBe(3);
    await page.getByRole('button', { name: 'Resume' }).click();
    await server.reaches(id, 'failed');
    await page.getByRole('link', { name: /^2026-01-03 02:00, run \d+, failed$/ }).waitFor();
    const { runs } = await server.client.listRuns({ backfill: id, limit: 100 });
    expect(runs.map(({ businessTime }) => businessTime.slice(0, 10)).sort()).toEqual(
      [1, 2, 3, 4, 5, 6].map((day) => `2026-01-0${day}`),
    );
    writeFileSync(join(server.folder, 'mended'), '');
    const retry = page.getByRole('button', { name: /^Retry 1 failed/ });
    await expect.poll(() => retry.isEnabled()).toBe(true);
    await page.keyboard.press('R');
    await server.reaches(id, 'success');
    await page.getByRole('link', { name: /^2026-01-03 02:00, run \d+, success$/ }).waitFor();
    await page.getByText('100 %').waitFor();
    expect(await violations(page)).toEqual([]);

    const list = await browsing.open(`${server.url}/backfills`, { scheme: 'dark' });
    browsing.expectErrors(list, /500|404/);
    const row = list.getByRole('row', { name: new RegExp(`success ${id}`) });
    await row.waitFor();
    expect(await violations(list)).toEqual([]);
    await list.keyboard.press('j');
    await list.keyboard.press('Enter');
    await list.waitForURL(new RegExp(`/backfills/${id}$`));
    await list.goto(`${server.url}/backfills/999999`);
    await list.getByRole('alert').waitFor();
    await list.route('**/api/v1/runs?*', () => {});
    await list.goto(`${server.url}/backfills`);
    await list.getByRole('status', { name: 'Loading' }).waitFor();
    await list.unroute('**/api/v1/runs?*');
    await list.route('**/api/v1/runs?*', (route) => route.fulfill({ status: 500 }));
    await list.goto(`${server.url}/backfills`);
    await list.getByRole('button', { name: 'Retry' }).waitFor();
  });
});
