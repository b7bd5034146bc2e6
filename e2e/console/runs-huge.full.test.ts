/** The list of runs over a hundred thousand of them; `npm run bench -- console` measures it over a million. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seedHuge } from '@orrery/testkit/seed/huge';
import { serveSeed } from '@orrery/testkit/seed/serve';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';

const RUNS = 100_000;
const folder = mkdtempSync(join(tmpdir(), 'orrery-huge-'));
const dist = join(import.meta.dirname, '..', '..', 'packages', 'ui', 'dist');

let api: Awaited<ReturnType<typeof serveSeed>>;
const browsing = useBrowser();
beforeAll(async () => {
  await seedHuge(folder, Date.now(), {
    workflows: 100,
    runs: RUNS,
    wide: 200,
    tasks: 1_000,
    logLines: 1_000,
  });
  api = await serveSeed(folder, { console: dist });
});
afterAll(async () => {
  await api?.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

describe('the list of very many runs', () => {
  it('opens as quickly as a short one, counts no further than it must, and is scrolled page by page', async () => {
    const page = await browsing.open(`${api.url}/runs`);
    await page
      .getByRole('row', { name: / success \d+ / })
      .first()
      .waitFor();
    await page.getByText('10,000+ runs').waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBeLessThan(100);
    const grid = page.getByRole('grid', { name: 'Runs, newest first' });
    const rows = async () => Number(await grid.getAttribute('aria-rowcount'));
    const before = await rows();
    await page.getByRole('row').nth(1).focus();
    await page.keyboard.press('End');
    await page.waitForFunction(
      (less) => Number(document.querySelector('[role="grid"]')?.getAttribute('aria-rowcount')) > less,
      before,
    );
    await picture(page, 'runs-huge');
  });

  it('leaves the palette as quick: it finds names and ids, and lists no more than one can read', async () => {
    const page = await browsing.open(`${api.url}/runs`);
    await page
      .getByRole('row', { name: / success \d+ / })
      .first()
      .waitFor();
    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox', { name: 'Search or command' });
    await box.fill('orders');
    await page
      .getByRole('option', { name: /^workflow .*orders-\d+/ })
      .first()
      .waitFor();
    await expect.poll(() => page.getByRole('option').count()).toBeLessThanOrEqual(60);
    await picture(page, 'palette-huge');
    await box.fill('etl/feed-00000');
    await page
      .getByRole('option', { name: /feed-00000/ })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${api.url}/workflows/etl/feed-00000`);
  });

  it('says how far it has looked for what is rare, stops, and goes on when asked', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = 0;
    const page = await browsing.open(`${api.url}/runs?param=day=never&kind=normal`, {
      prepare: async (opened) => {
        await opened.route(/api\/v1\/runs\?.*before=/, async (route) => {
          asked++;
          await held;
          await route.continue();
        });
      },
    });
    const far = page.getByText(/^Looked at the runs \d+ to \d+/);
    await far.waitFor();
    await picture(page, 'runs-looking');
    await page.getByRole('button', { name: 'Stop looking' }).click();
    const before = await far.textContent();
    release();
    await expect.poll(() => far.textContent()).not.toBe(before);
    await page.getByRole('button', { name: 'Look on' }).waitFor();
    expect(asked).toBe(1);
    await page.getByRole('button', { name: 'Look on' }).click();
    await page.getByRole('heading', { name: '0 of 10,000+ match' }).waitFor();
    expect(asked).toBeGreaterThan(2);
  });

  it('finds the few that failed of one workflow', async () => {
    const page = await browsing.open(`${api.url}/runs?state=failed&workflow=etl/feed-00000&from=-365d`);
    await page
      .getByRole('row', { name: / failed \d+ etl\/feed-00000/ })
      .first()
      .waitFor();
    await expect.poll(() => page.getByRole('row', { name: / success / }).count()).toBe(0);
  });
});
