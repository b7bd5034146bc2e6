import { createClient } from '@orrery/sdk/client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { boxOf, field, isAsDrawn, nightly, rail, saved, typed, walkTo } from './harness/drawing.ts';
import { picture } from './harness/pictures.ts';
import { greets, Server } from './harness/server.ts';

let server: Server;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start();
  await server.publish(greets('child'));
});
afterAll(() => server?.stop());

const draftOf = async (name: string) => (await server.client.readDraft({ project: 'default', name })).text;

describe('a workflow drawn on an empty server', () => {
  it('is made by mouse, seen failing, mended, published and run again', async () => {
    const page = await browsing.open(`${server.url}/workflows`);
    await page.getByRole('button', { name: 'New' }).click();
    await page.getByRole('menuitem', { name: 'Draw a new workflow' }).click();
    await field(page, 'name').fill('drawn');
    await page.getByRole('button', { name: 'Open in the editor' }).click();
    await page.getByText('No task yet.').waitFor();
    expect(await violations(page)).toEqual([]);
    const canvas = page.locator('canvas').first();
    const add = (type: string) => rail(page).getByRole('button', { name: type, exact: true });
    await page.getByText('Form', { exact: true }).click();
    await add('shell').dragTo(page.getByText('No task yet.'));
    await boxOf(page, 'shell').waitFor();
    await add('conditions').click();
    await boxOf(page, 'conditions').waitFor();
    await add('sub-workflow').click();
    await boxOf(page, 'sub-workflow').waitFor();
    await add('shell').click();
    await boxOf(page, 'shell-2').waitFor();
    // Beside all others, then connected by dragging from the edge of one box to the other.
    await add('noop').dragTo(canvas, { targetPosition: { x: 12, y: 12 } });
    const noop = await placeOf(page, 'noop');
    const conditions = await placeOf(page, 'conditions');
    await page.mouse.move(conditions.x + conditions.width - 4, conditions.y + conditions.height / 2);
    await page.mouse.down();
    await page.mouse.move(noop.x + noop.width / 2, noop.y + noop.height / 2, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => draftOf('drawn')).toMatch(/name: noop\n {4}type: noop\n {4}needs: conditions/);
    // The opposite direction would close a loop: it is refused, and the loop is named.
    await page.mouse.move(...(await middleOf(page, 'noop')));
    const from = await placeOf(page, 'noop');
    const to = await placeOf(page, 'conditions');
    await page.mouse.move(from.x + from.width - 4, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 4 });
    await page.mouse.up();
    await page.getByText('That would close a loop: conditions → noop → conditions').waitFor();
    await page.mouse.click(...(await middleOf(page, 'noop')));
    await add('noop').click();
    await boxOf(page, 'noop-2').waitFor();
    for (const [name, values] of Object.entries(typed)) {
      await page.mouse.click(...(await middleOf(page, name)));
      await page.waitForURL((url) => url.searchParams.get('task') === name);
      for (const [key, value] of Object.entries(values)) {
        await field(page, key).fill(value);
        await page.getByRole('heading', { level: 1 }).click();
      }
    }
    await page.getByRole('button', { name: '‹ Whole workflow' }).click();
    await field(page, 'schedules').fill(nightly);
    await page.getByRole('heading', { level: 1 }).click();
    await saved(page);
    expect(await violations(page)).toEqual([]);
    await picture(page, 'editor-form');
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('heading', { level: 1, name: 'default/drawn v1 live' }).waitFor();
    await isAsDrawn(server, 'drawn');
    await server.runTo('drawn', 'failed');

    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByText('Form', { exact: true }).click();
    await page.mouse.click(...(await middleOf(page, 'shell-2')));
    await field(page, 'script').fill('echo mended');
    await page.getByRole('heading', { level: 1 }).click();
    await saved(page);
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('dialog').getByText('1 task changed').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('heading', { level: 1, name: 'default/drawn v2 live' }).waitFor();
    await server.runTo('drawn', 'success');
  });

  it('shows a viewer everything and lets nothing be changed, in Chinese and on a phone', async () => {
    const token = 'an-admin-of-the-test-0123456789';
    await using guarded = await Server.start('--token', token);
    const client = createClient({ url: guarded.url, token });
    await client.publishWorkflows({ body: greets('seen') });
    const { token: viewer } = await client.createToken({ body: { name: 'onlooker', role: 'viewer' } });
    const page = await browsing.open(`${guarded.url}/login?to=/workflows/default/seen/edit`, {
      language: 'zh-CN',
      width: 390,
      height: 844,
    });
    browsing.expectErrors(page, /401/);
    await page.locator('form input').first().fill(viewer);
    await page.keyboard.press('Enter');
    await page.getByText('您可以查看此工作流，但不能修改。').waitFor();
    await page.getByRole('button', { name: /^greet.*shell/ }).waitFor();
    await page.getByRole('textbox', { name: 'default/seen 的 YAML' }).focus();
    await page.keyboard.type('x');
    await page.getByRole('button', { name: '发布…' }).and(page.locator('[aria-disabled]')).waitFor();
    expect(await rail(page).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await page.close();
  });
});

/** Where the box of a task is on the screen. */
async function placeOf(page: Page, name: string) {
  await walkTo(page, name);
  const place = await boxOf(page, name).boundingBox();
  if (!place) throw new Error(`the box of ${name} is not seen`);
  return place;
}

async function middleOf(page: Page, name: string): Promise<[number, number]> {
  const { x, y, width, height } = await placeOf(page, name);
  return [x + width / 2, y + height / 2];
}
