import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from './harness/browser.ts';
import { greets, Server } from './harness/server.ts';

const browsing = useBrowser();
const long =
  'a-workflow-whose-name-is-so-long-that-no-column-of-any-list-has-room-for-all-of-its-letters-at-once';
let server: Server;
const runs: number[] = [];
beforeAll(async () => {
  server = await Server.start();
  for (const name of ['hello', long]) await server.publish(greets(name));
  for (let k = 0; k < 3; k++) runs.push(await server.runTo('hello', 'success'));
});
afterAll(() => server?.stop());

/** What the hint says now. */
const hint = (page: Page) => page.locator('[class*="hint"][aria-hidden="true"]');

describe('hints', () => {
  it('tell each run of a strip, by pointer and by arrows', async () => {
    const page = await browsing.open(`${server.url}/workflows`);
    const strip = page.getByRole('slider', { name: 'Last runs of default/hello' });
    await strip.waitFor();
    // The newest run stands at the end. Its place is looked for each time: what is above may still come.
    for (const [k, run] of runs.toReversed().entries()) {
      const isTold = async () => {
        const box = await strip.locator('svg').boundingBox();
        if (!box) return false;
        const step = box.width / 30;
        await page.mouse.move(box.x + box.width - step * (k + 0.5), box.y + box.height / 2, { steps: 3 });
        return hint(page)
          .filter({ hasText: `run ${run}, success` })
          .isVisible();
      };
      await expect.poll(isTold).toBe(true);
    }
    await page.mouse.move(0, 0);
    await hint(page).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /default.*hello/ }).focus();
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await strip.focus();
    await page.keyboard.press('Home');
    for (const run of runs) {
      await hint(page)
        .filter({ hasText: `run ${run}, success` })
        .waitFor();
      await page.keyboard.press('ArrowRight');
    }
  });

  it('tell a cut name in full where its row has the focus', async () => {
    const page = await browsing.open(`${server.url}/workflows`, { width: 900 });
    await page.getByRole('row', { name: /hello/ }).waitFor();
    await page.keyboard.press('j');
    await hint(page).filter({ hasText: long }).waitFor();
    await page.keyboard.press('j');
    await hint(page).waitFor({ state: 'detached' });
  });
});

describe('a list', () => {
  it('is opened and marked by keyboard also with single keys turned off', async () => {
    const page = await browsing.open(`${server.url}/runs`);
    await page.getByRole('row', { name: /hello/ }).first().waitFor();
    await page.getByRole('button', { name: /^Settings of/ }).click();
    await page.getByRole('menuitem', { name: 'Turn single keys off' }).click();
    await page.getByRole('menu').waitFor({ state: 'detached' });
    const row = page.getByRole('row', { name: /hello/ }).first();
    await row.focus();
    await page.keyboard.press('x');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await expect.poll(() => page.getByRole('row', { selected: true }).count()).toBe(1);
    await page.keyboard.press('Space');
    await expect.poll(() => page.getByRole('row', { selected: true }).count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.waitForURL(({ pathname }) => /^\/runs\/\d+$/.test(pathname));
  });

  it('has its rows in their places at once when another density is chosen', async () => {
    const page = await browsing.open(`${server.url}/runs`);
    const rows = page.getByRole('row', { name: /hello/ });
    await rows.nth(2).waitFor();
    const tops = async () => {
      const boxes = await Promise.all([0, 1, 2].map((k) => rows.nth(k).boundingBox()));
      return boxes.map((box) => box?.y ?? 0).map((y, k, all) => (k === 0 ? 0 : y - all[k - 1]));
    };
    await expect.poll(tops).toEqual([0, 32, 32]);
    await page.getByRole('button', { name: /^Settings of/ }).click();
    await page.getByRole('menuitem', { name: 'Taller rows' }).click();
    await expect.poll(tops).toEqual([0, 40, 40]);
    await page.reload();
    await rows.nth(2).waitFor();
    await expect.poll(tops).toEqual([0, 40, 40]);
  });
});
