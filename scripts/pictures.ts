/**
 * `npm run pictures`: takes the pictures for the docs, of every page of the console over the seed `small`,
 * frozen at a fixed moment. Writes them to `docs/pictures`, or to the given folder.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@orrery/sdk/client';
import { seed } from '@orrery/testkit/seed/seed';
import { serveSeed } from '@orrery/testkit/seed/serve';
import { SMALL_NOW } from '@orrery/testkit/seed/small';
import type { Browser } from 'playwright-core';
import { buildConsole } from './build-console.ts';
import { openChromium } from './open-chromium.ts';

/** Milliseconds after which nothing moves any more. */
const SETTLES = 1_500;

/** One picture: its name, its address, and a text that appears once the page is ready. */
type Picture = readonly [name: string, address: string, there: string];

/** Every page that is worth a picture; runs are those of the seed that show the most. */
async function pictures(url: string): Promise<Picture[]> {
  const client = createClient({ url });
  const newest = async (workflow: string, state: 'failed' | 'success') => {
    const { runs } = await client.listRuns({ workflow, state: [state], trigger: ['tick'], limit: 1 });
    return runs[0].id;
  };
  const failed = await newest('etl/stock-sync', 'failed');
  const { failed: cause } = await client.showRun({ id: failed });
  const orders = await newest('etl/daily-orders', 'success');
  const { taskRun = '', task = '' } = cause ?? {};
  return [
    ['home', '/', 'Watched workflows|Workflows'],
    ['workflows', '/workflows', 'daily-orders'],
    ['run-form', '/workflows?run=etl/daily-orders', 'Start run'],
    ['runs', '/runs', 'failed'],
    ['run-graph', `/runs/${failed}?view=graph&task=${task}`, `${task} failed`],
    ['run-timeline', `/runs/${orders}?view=timeline`, 'Timeline'],
    ['run-table', `/runs/${orders}?view=table`, 'extract'],
    ['log', `/task-runs/${taskRun}`, 'checkpoint saved'],
    ['login', '/login', 'Sign in to Orrery'],
  ];
}

async function take(
  browser: Browser,
  url: string,
  folder: string,
  [name, address, there]: Picture,
): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(SMALL_NOW);
  await page.goto(`${url}${address}`);
  await page.getByText(new RegExp(there)).first().waitFor();
  // Everything still loading: skeletons, layouts, and content that loads after its frame.
  await page.getByText('Laying out').waitFor({ state: 'detached' });
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
  await page.waitForTimeout(SETTLES);
  const path = join(folder, `console-${name}.png`);
  await page.screenshot({ path, animations: 'disabled' });
  console.log(path);
  await context.close();
}

if (import.meta.main) {
  const target = process.argv[2] ?? join(import.meta.dirname, '..', 'docs', 'pictures');
  const data = mkdtempSync(join(tmpdir(), 'orrery-pictures-'));
  const built = buildConsole();
  mkdirSync(target, { recursive: true });
  await seed('small', data, SMALL_NOW);
  const api = await serveSeed(data, { console: built });
  const browser = await openChromium();
  try {
    for (const picture of await pictures(api.url)) await take(browser, api.url, target, picture);
  } finally {
    await browser.close();
    await api.stop();
    rmSync(data, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
