/** A run with more tasks than a picture can show: the table comes first and works, the graph is folded. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningApi } from '@orrery/api';
import { largestTask, seedLargestRun } from '@orrery/testkit/seed/largest-run';
import { serveSeed } from '@orrery/testkit/seed/serve';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';

/** A hundred times what is large. */
const TASKS = 100_000;
const failed = largestTask(TASKS / 2);

const folder = mkdtempSync(join(tmpdir(), 'orrery-run-huge-'));
const browsing = useBrowser();
let api: RunningApi;
let id: number;
beforeAll(async () => {
  id = await seedLargestRun(folder, Date.now(), TASKS);
  api = await serveSeed(folder, { console: join(import.meta.dirname, '..', '..', 'packages', 'ui', 'dist') });
});
afterAll(async () => {
  await api?.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

it('opens as a table on what failed, finds, filters and scrolls, and folds the graph', async () => {
  const page = await browsing.open(`${api.url}/runs/${id}`);
  const grid = page.getByRole('grid', { name: 'Task runs of the run' });
  await grid.waitFor();
  await page
    .getByRole('complementary', { name: `Details of ${failed}` })
    .getByText('exit code 3')
    .first()
    .waitFor();
  const row = page.getByRole('row', { name: new RegExp(`^${failed} failed`) });
  await row.waitFor();
  await expect
    .poll(async () => {
      const [head, box] = await Promise.all([page.getByRole('row').first().boundingBox(), row.boundingBox()]);
      const floor = page.viewportSize()?.height ?? 0;
      return head && box && head.y + head.height <= box.y && box.y + box.height <= floor;
    })
    .toBe(true);
  expect(await page.getByRole('row').count()).toBeLessThan(100);
  await picture(page, 'run-huge-table');

  const last = largestTask(TASKS - 1);
  await page.keyboard.press('/');
  await page.keyboard.type(last);
  await page.getByRole('row', { name: new RegExp(`^${last} skipped`) }).waitFor();
  await page.getByRole('textbox', { name: 'Find task' }).fill('');
  await page.getByRole('button', { name: /^failed 1$/ }).click();
  await page.waitForURL(/state=failed/);
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  await page.getByRole('button', { name: /^failed 1$/ }).click();
  await page.waitForURL((url) => !url.search.includes('state='));

  await page.getByText('Timeline', { exact: true }).click();
  await page.getByRole('button', { name: new RegExp(`^${failed}, noop task, failed`) }).waitFor();
  await picture(page, 'run-huge-timeline');
  await page.getByText('Graph', { exact: true }).click();
  await page.getByRole('button', { name: /^100 × t\d*n, 100 tasks folded/ }).waitFor();
  await picture(page, 'run-huge-graph');
});
