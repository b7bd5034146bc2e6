import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { boxOf, field, isAsDrawn, nightly, rail, saved, typed, walkTo } from './harness/drawing.ts';
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
  it('is made by keyboard alone, undone and done again over both sides, seen failing, mended and published', async () => {
    const page = await browsing.open(`${server.url}/workflows`, { scheme: 'dark' });
    await page.getByRole('row', { name: /default\/child/ }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Draw a new workflow');
    await page
      .getByRole('option', { name: /Draw a new workflow/ })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Draw a new workflow' }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
    await page.keyboard.type('keyed');
    await page.keyboard.press('Enter');
    await page.getByText('No task yet.').waitFor();
    await rail(page).getByRole('button', { name: 'shell', exact: true }).waitFor();
    const add = async (type: string, name: string) => {
      await page.keyboard.press('a');
      await page.keyboard.type(type);
      await page.keyboard.press('Enter');
      await boxOf(page, name).waitFor();
      await boxOf(page, name).focus();
    };
    for (const [type, name] of [
      ['shell', 'shell'],
      ['conditions', 'conditions'],
      ['sub-workflow', 'sub-workflow'],
      ['shell', 'shell-2'],
    ])
      await add(type, name);
    await page.keyboard.press('ArrowLeft');
    await boxOf(page, 'sub-workflow').waitFor();
    await page.keyboard.press('ArrowLeft');
    await boxOf(page, 'conditions').waitFor();
    await add('noop', 'noop');
    await add('noop', 'noop-2');
    // Connected by name, and taken back.
    await page.keyboard.press('e');
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
    await page.keyboard.type('shell-2');
    await page.getByRole('option', { name: 'shell-2', exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => draftOf('keyed')).toContain('needs: [noop, shell-2]');
    await page.keyboard.press('Backspace');
    await expect.poll(() => draftOf('keyed')).not.toContain('shell-2]');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+\\');
    await walkTo(page, 'noop-2');
    // A copy, and the copy undone, by the one history.
    await page.keyboard.press('d');
    await expect.poll(() => draftOf('keyed')).toContain('name: noop-3');
    await tabTo(page, 'Undo');
    await page.keyboard.press('Enter');
    await expect.poll(() => draftOf('keyed')).not.toContain('noop-3');
    await page.keyboard.press('Control+\\');
    for (const [name, values] of Object.entries(typed)) {
      await walkTo(page, name);
      for (const [key, value] of Object.entries(values)) {
        await tabTo(page, key);
        await page.keyboard.type(value);
        await page.keyboard.press('Tab');
      }
      await expect.poll(() => draftOf('keyed')).toContain(Object.values(values).at(-1));
    }
    await tabTo(page, '‹ Whole workflow', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await field(page, 'schedules').waitFor();
    await tabTo(page, 'schedules');
    await page.keyboard.type(nightly);
    await page.keyboard.press('Tab');
    await expect.poll(() => draftOf('keyed')).toContain('nightly');
    await saved(page);
    expect(await violations(page)).toEqual([]);
    // What was typed is checked a moment later.
    await page.locator('button:not([aria-disabled="true"])', { hasText: 'Publish…' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('dialog', { name: 'Publish default/keyed' }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'default/keyed v1 live' }).waitFor();
    await isAsDrawn(server, 'keyed');
    await server.runTo('keyed', 'failed');

    await page.keyboard.press('e');
    await boxOf(page, 'shell').waitFor();
    await page.keyboard.press('Control+\\');
    await walkTo(page, 'shell-2');
    await tabTo(page, 'script');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('echo mended');
    await page.keyboard.press('Tab');
    await expect.poll(() => draftOf('keyed').catch(() => '')).toContain('echo mended');
    await page.locator('button:not([aria-disabled="true"])', { hasText: 'Publish…' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('dialog').getByText('1 task changed').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'default/keyed v2 live' }).waitFor();
    await server.runTo('keyed', 'success');
  });
});

/** Presses Tab until something of this name has the focus. */
async function tabTo(page: Page, name: string, key = 'Tab'): Promise<void> {
  for (let k = 0; k < 120; k++) {
    const here = await page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement | null;
      return (
        element?.labels?.[0]?.textContent?.replace(' *', '') ??
        element?.getAttribute('aria-label') ??
        element?.textContent ??
        ''
      );
    });
    if (here === name) return;
    await page.keyboard.press(key);
  }
  throw new Error(`no Tab leads to ${name}`);
}
