/**
 * Pages about what people set up, with hundreds and thousands of it: the first screen holds the first rows, a search
 * finds any, and nothing that is not listed goes unsaid.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crowdSizes, seedCrowd } from '@orrery/testkit/seed/crowd';
import { serveSeed } from '@orrery/testkit/seed/serve';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';

let folder: string;
let api: Awaited<ReturnType<typeof serveSeed>>;
let place: Awaited<ReturnType<typeof seedCrowd>>;
const browsing = useBrowser();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-crowd-'));
  place = await seedCrowd(folder);
  api = await serveSeed(folder, {
    console: join(import.meta.dirname, '..', '..', 'packages', 'ui', 'dist'),
    now: place.now,
  });
});
afterAll(async () => {
  await api?.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

const open = (path: string) => browsing.open(`${api.url}${path}`, { now: place.now });
const rowsOf = (page: Page, table: string) =>
  page.getByRole('region', { name: table, exact: true }).last().getByRole('rowheader');

const { things, alerts } = crowdSizes;
const count = (value: number) => value.toLocaleString('en-GB');

describe('very many', () => {
  it.each([
    ['workers', '/cluster', 'Workers', 'worker-0321', 502, 'pool-0007', 25],
    ['task groups', '/groups', 'Task groups', 'group-0777', things + 1, 'etl/group-07', 100],
    ['tokens', '/settings/tokens', 'Tokens', 'robot-0777', undefined, 'editor', 100],
    ['connections', '/settings/connections', 'Connections', 'database-0777', things + 1, 'database-07', 100],
    ['environments', '/settings/environments', 'Environments', 'site-0777', things + 2, 'site-07', 100],
    ['projects', '/settings/projects', 'Projects', 'team-0777', things + 3, 'team-07', 100],
    ['rules', '/alerts/rules', 'Rules', 'rule-0777', things + 1, 'rule-07', 100],
    ['channels', '/alerts/channels', 'Channels', 'room-0777', things + 1, 'room-07', 100],
    ['mutes', '/alerts/mutes', 'Mutes', 'repair-0777', things + 1, 'repair-07', 100],
  ] as const)(
    '%s stand on one screen, and any of them is found',
    async (_what, path, table, one, all, some, found) => {
      const page = await open(path);
      const rows = rowsOf(page, table);
      await expect.poll(() => rows.count()).toBe(100);
      const find = page.getByRole('textbox', { name: `Find a row: ${table}` });
      if (all !== undefined) await page.getByText(`100 of ${count(all)}`, { exact: true }).waitFor();
      // Tokens come two hundred at a time.
      else
        for (const shown of [200, 300, 400]) {
          await page.getByRole('button', { name: 'Show more' }).press('Enter');
          await expect.poll(() => rows.count()).toBe(shown);
        }
      await find.fill(some);
      await expect.poll(() => rows.count()).toBe(all === undefined ? 400 : found);
      await find.fill(one);
      if (all !== undefined) await expect.poll(() => rows.count()).toBe(1);
      await find.fill('');
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1440);
    },
  );

  it('workers that drain stand first', async () => {
    const page = await open('/cluster');
    await page.getByText(/and 492 of 502 workers alive/).waitFor();
    const lines = page.getByRole('region', { name: 'Workers', exact: true }).last().getByRole('row');
    const states = (await lines.allTextContents()).slice(1);
    const last = states.findLastIndex((line) => line.includes('draining'));
    expect(states.slice(0, 10).every((line) => line.includes('draining'))).toBe(true);
    expect(last).toBe(9);
  });

  it('alerts and messages come two hundred at a time', async () => {
    for (const [path, table] of [
      ['/alerts', 'Alerts'],
      ['/alerts/messages', 'Messages'],
    ]) {
      const page = await open(path);
      const rows = rowsOf(page, table);
      await expect.poll(() => rows.count()).toBe(100);
      for (const shown of [200, 300, 400]) {
        await page.getByRole('button', { name: 'Show more' }).press('Enter');
        await expect.poll(() => rows.count()).toBe(shown);
      }
      expect(await violations(page)).toEqual([]);
    }
    expect(alerts).toBeGreaterThan(400);
  });

  it('attempts in the line of a task group are counted, the first of them listed', async () => {
    const page = await open('/groups/tasks/etl/warehouse');
    await page.getByRole('heading', { name: `Waiting line: ${count(crowdSizes.waiting + 2)}` }).waitFor();
    await page.getByText('The first 100 are listed.').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('backfills are a list of which a page at a time is read', async () => {
    const page = await open('/backfills');
    await page.getByRole('row', { name: new RegExp(`failed ${place.backfill}`) }).waitFor();
    await page.keyboard.press('j');
    for (const loaded of [50, 100, 150]) {
      await page.waitForFunction(
        (rows) => Number(document.querySelector('[role="grid"]')?.getAttribute('aria-rowcount')) > rows,
        loaded,
      );
      await page.keyboard.press('End');
      await expect.poll(() => page.getByRole('row').count()).toBeLessThan(80);
    }
    expect(await violations(page)).toEqual([]);
  });

  it('business times of a backfill are folded by month, and a month is opened by day, by keyboard', async () => {
    const page = await open(`/backfills/${place.backfill}`);
    const times = page.getByRole('region', { name: 'Business times' });
    await page.getByText('The newest 1,000 runs are shown.').waitFor();
    expect(await times.getByRole('listitem').count()).toBe(0);
    for (const shown of ['2,000', '3,000']) {
      await page.getByRole('button', { name: 'Show earlier runs' }).press('Enter');
      if (shown === '2,000') await page.getByText(`The newest ${shown} runs are shown.`).waitFor();
    }
    await page.getByRole('button', { name: 'Show earlier runs' }).waitFor({ state: 'detached' });
    // 3,000 hours up to the second of March.
    await times.locator('summary', { hasText: '2026-01' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => times.getByRole('listitem').count()).toBe(31 * 24);
    await times.getByRole('heading', { name: '2026-01-31' }).waitFor();
    const [failed] = await times.getByRole('link', { name: /failed$/ }).all();
    await failed.focus();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/runs\/\d+/);
  });
});
