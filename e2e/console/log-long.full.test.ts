/** Long logs: any line of them is a moment away, and what is looked for is found in the whole of them. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { retryUntilGone } from './harness/retry.ts';
import { Server } from './harness/server.ts';

const LINES = 1_000_000;
const script = (text: string) => `with: { script: ${JSON.stringify(text)} }`;
const file = `
name: chatty
project: logs
tasks:
  - { name: million, type: shell, ${script(
    `awk 'BEGIN { for (i = 1; i <= ${LINES}; i++) print (i % 250000 == 0 ? "ERROR broken " : "INFO row ") i (i % 100000 == 7 ? " needle" : "") }'`,
  )} }
---
name: crash
project: logs
tasks:
  - name: crash
    type: shell
    ${script(
      `for i in $(seq 200); do echo row $i; done; echo 'Traceback (most recent call last):'; for i in $(seq 200); do echo frame $i; done; echo 'FATAL giving up'; for i in $(seq 200); do echo after $i; done; exit 3`,
    )}
  - { name: quiet, type: shell, ${script('for i in $(seq 300); do echo row $i; done; exit 3')} }
`;

let server: Server;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start();
  await server.publish(file);
});
afterAll(() => server?.stop());

const open = (taskRun: string, query = '', view = {}) =>
  browsing.open(`${server.url}/task-runs/${taskRun}${query}`, view);
const line = (page: Page, number: number) => page.locator(`[data-line="${number}"]`);

describe('a log of a million lines', () => {
  let id: number;
  beforeAll(async () => {
    id = await server.runTo('logs/chatty', 'success');
  });

  it('opens at its end, and goes to any line', async () => {
    const page = await open(`${id}.million`);
    await page.getByText(`ERROR broken ${LINES}`, { exact: true }).waitFor();
    const jump = page.getByRole('textbox', { name: 'Go to line' });
    for (const [wanted, row] of [
      [2, 1],
      [500_001, 500_000],
      [750_000, 749_999],
    ]) {
      await jump.fill(String(wanted));
      await jump.press('Enter');
      await line(page, wanted)
        .getByText(new RegExp(`(INFO row|ERROR broken) ${row}$`))
        .waitFor();
    }
    await page.getByRole('region', { name: /^Log, / }).focus();
    await page.keyboard.press('Home');
    await line(page, 1).waitFor();
    await page.keyboard.press('End');
    await page.getByText(`ERROR broken ${LINES}`, { exact: true }).waitFor();
  });

  it('finds text in the whole of it, and goes from hit to hit and from error to error', async () => {
    const page = await open(`${id}.million`, '?line=1');
    await line(page, 1).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('NEEDLE');
    await page.keyboard.press('Enter');
    await page.getByText('1 of 10').waitFor();
    await line(page, 8).locator('mark').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await page.getByText('2 of 10').waitFor();
    await line(page, 100_008).locator('mark').waitFor();
    await page.keyboard.press('N');
    await line(page, 8).locator('mark').waitFor();
    await page.keyboard.press('E');
    await line(page, 250_001).getByText('ERROR broken 250000').waitFor();
    await page.waitForURL(/line=250001/);
    await page.keyboard.press('E');
    await line(page, 500_001).getByText('ERROR broken 500000').waitFor();
  });

  it('is filtered by level on the server, and lines keep their numbers', async () => {
    const page = await open(`${id}.million`, '?line=1');
    await line(page, 1).waitFor();
    await page.getByRole('combobox', { name: 'Level' }).click();
    await page.getByRole('option', { name: 'errors' }).click();
    await page.waitForURL(/level=error/);
    await page.getByText(/^4 lines of 1,000,00\d at this level or worse/).waitFor();
    for (const row of [250_001, 500_001, 750_001, 1_000_001])
      await line(page, row).getByText('ERROR').waitFor();
    await expect.poll(() => page.locator('[data-line]').count()).toBe(4);
    expect(await violations(page)).toEqual([]);
    await picture(page, 'log-level');
    const fresh = await browsing.open(page.url());
    await line(fresh, 500_001).getByText('ERROR broken 500000').waitFor();
    await fresh.getByRole('button', { name: 'Show all lines' }).click();
    await line(fresh, 2).getByText('INFO row 1').waitFor();
  });

  it('is linked by its lines', async () => {
    const page = await open(`${id}.million`, '?line=120-140');
    await line(page, 130).waitFor();
    const chosen = () => page.locator('[data-chosen="true"]').count();
    await expect.poll(chosen).toBeGreaterThan(10);
    await page.getByRole('button', { name: 'Line 131', exact: true }).click();
    await page.waitForURL(/line=131&attempt=1$/);
    await page.getByRole('button', { name: 'Line 135', exact: true }).click({ modifiers: ['Shift'] });
    await page.waitForURL(/line=131-135/);
    const fresh = await browsing.open(page.url());
    await line(fresh, 133).waitFor();
    await expect.poll(() => fresh.locator('[data-chosen="true"]').count()).toBe(5);
    await picture(fresh, 'log-lines');
  });

  it('has its lines copied, also those that were never in view, and says where they are too many', async () => {
    const page = await open(`${id}.million`, '?line=120-2120');
    const copy = async () => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Copy the lines' }).click();
    };
    await line(page, 120).waitFor();
    await copy();
    await page.getByText('2,001 lines copied').waitFor();
    const copied = (await page.evaluate(() => navigator.clipboard.readText())).split('\n');
    expect(copied.length).toBe(2_001);
    expect(copied).not.toContain('');
    await page.goto(page.url().replace('120-2120', '120-9999999999'));
    await line(page, 120).waitFor();
    await copy();
    await page.getByText(/^Only the first 10,000 of 999,88\d lines were copied/).waitFor();
  });

  it('keeps few elements, whatever its length and wherever one scrolls', async () => {
    const page = await open(`${id}.million`, '?line=1');
    await line(page, 1).waitFor();
    const box = page.getByRole('region', { name: /^Log, / });
    for (const share of [0, 0.5, 1]) {
      await box.evaluate((element, part) => {
        element.scrollTop = part * element.scrollHeight;
      }, share);
      const near = /row \d|broken \d/;
      await page.locator('[data-line]').filter({ hasText: near }).first().waitFor();
      await expect.poll(() => page.locator('[data-line]').count()).toBeLessThan(100);
    }
  });

  it.each([
    ['light', 1440, 'en'],
    ['dark', 1440, 'en'],
    ['light', 900, 'en'],
    ['dark', 600, 'en'],
    ['light', 1440, 'zh-CN'],
    ['light', 1440, 'x-pseudo'],
  ] as const)('has no violation in %s at %i px in %s', async (scheme, width, language) => {
    const page = await open(`${id}.million`, '', { scheme, width, language });
    await page.getByText(`ERROR broken ${LINES}`, { exact: true }).waitFor();
    await picture(page, `log-${scheme}-${width}-${language}`);
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });
});

describe('the errors of a log', () => {
  it('are those that are shown as errors, and lead from every failure to the first of them', async () => {
    const id = await server.runTo('logs/crash', 'failed');
    const page = await open(`${id}.crash`, '?line=1');
    await line(page, 1).waitFor();
    for (const text of ['Traceback (most recent call last):', 'FATAL giving up']) {
      await page.keyboard.press('E');
      await page.locator('[data-level="error"]').getByText(text, { exact: true }).waitFor();
    }
    await page.goto(`${server.url}/task-runs/${id}.crash?line=first-error`);
    await page.waitForURL(/line=202&attempt=1$/);
    await page.locator('[data-line="202"][data-chosen="true"]').getByText('Traceback').waitFor();
    await page.goto(`${server.url}/task-runs/${id}.quiet?line=first-error`);
    await page.waitForURL((url) => !url.search.includes('line'));
    await page.getByText('row 300', { exact: true }).waitFor();

    await page.goto(`${server.url}/runs/${id}?task=crash`);
    await page.getByRole('complementary').getByRole('link', { name: 'Open log' }).click();
    await page.waitForURL(/crash\?attempt=1&line=202$/);
    await page.goto(`${server.url}/runs/${id}`);
    await page.getByRole('main').getByRole('link', { name: /exit/ }).first().click();
    await page.waitForURL(/\/task-runs\//);
  });

  it('are told apart from none when the search for them fails', async () => {
    const id = await server.runTo('logs/crash', 'failed');
    const page = await open(`${id}.crash`, '?line=1');
    browsing.expectErrors(page, /500/);
    await line(page, 1).waitFor();
    await page.route('**/log/search?*', (route) =>
      route.fulfill({
        status: 500,
        contentType: 'application/problem+json',
        body: '{"type":"about:blank","title":"Defect","status":500,"detail":"broken","requestId":"r1"}',
      }),
    );
    await page.getByRole('searchbox', { name: 'Find in the log' }).fill('frame 7');
    await page.keyboard.press('Enter');
    const told = page.getByRole('alert').filter({ hasText: 'The search in this log failed: broken' });
    await told.waitFor();
    expect(await page.getByText('no hits').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await picture(page, 'log-search-failed');
    await page.unroute('**/log/search?*');
    await retryUntilGone(told);
    await page.getByText('1 of 11').waitFor();
  });
});
