import { createClient } from '@orrery/sdk/client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from './harness/browser.ts';
import { boxOf, rail, saved } from './harness/drawing.ts';
import { greets, Server } from './harness/server.ts';

const token = 'an-admin-of-the-test-0123456789';
let server: Server;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start('--token', token);
});
afterAll(() => server?.stop());

const client = () => createClient({ url: server.url, token });
const textOf = (page: Page, name: string) =>
  page.getByRole('textbox', { name: new RegExp(`default/${name}$`) });

/** Signs in with a token and opens the editor of a workflow. */
async function edit(name: string, by = token) {
  await client().publishWorkflows({ body: greets(name) });
  const page = await browsing.open(`${server.url}/login?to=/workflows/default/${name}/edit`);
  browsing.expectErrors(page, /401/);
  await page.getByLabel('Token', { exact: false }).first().fill(by);
  await page.keyboard.press('Enter');
  await boxOf(page, 'greet').waitFor();
  return page;
}

/** Pastes a text over everything, as a clipboard gives it. */
async function pasteOver(page: Page, name: string, text: string) {
  await textOf(page, name).focus();
  await page.keyboard.press('Control+a');
  await textOf(page, name).evaluate((element, given) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', given);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

describe('a viewer with a token of their own', () => {
  it('sees everything, and neither page nor server lets anything be changed', async () => {
    const { token: viewer } = await client().createToken({ body: { name: 'onlooker', role: 'viewer' } });
    const page = await edit('seen', viewer);
    await page.getByText('You may look at this workflow and not change it.').waitFor();
    await textOf(page, 'seen').focus();
    await page.keyboard.type('x');
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'Publish…' }).and(page.locator('[aria-disabled]')).waitFor();
    await page.getByRole('button', { name: 'Test run…' }).and(page.locator('[aria-disabled]')).waitFor();
    expect(await rail(page).count()).toBe(0);
    const theirs = createClient({ url: server.url, token: viewer });
    const name = { project: 'default', name: 'seen' };
    const refused = { status: 403 };
    await expect(theirs.saveDraft({ ...name, body: { text: 'x' } })).rejects.toMatchObject(refused);
    await client().saveDraft({ ...name, body: { text: greets('seen') } });
    await expect(theirs.testDraft({ ...name, body: {} })).rejects.toMatchObject(refused);
    await expect(theirs.publishDraft({ ...name, body: {} })).rejects.toMatchObject(refused);
    const { token: operator } = await client().createToken({ body: { name: 'operator', role: 'operator' } });
    // Who starts runs of what others published does not run what nobody did.
    const starter = createClient({ url: server.url, token: operator });
    await expect(starter.testDraft({ ...name, body: {} })).rejects.toMatchObject(refused);
  });
});

describe('a server killed in mid-publish', () => {
  it.each([
    ['before it heard of it', true],
    ['before it answered', false],
  ])('%s: the draft is kept, and publishing again makes one version', async (_, early) => {
    const name = early ? 'early' : 'late';
    const page = await edit(name);
    browsing.expectErrors(page, /401|ERR_|Failed to fetch|50\d/);
    await textOf(page, name).focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('\n# mended\ndescription: mended\n');
    await saved(page);
    await page.route('**/draft/publish', async (route) => {
      if (early) await server.kill();
      else {
        await route.fetch();
        await server.kill();
      }
      await route.abort('connectionreset');
    });
    await page.getByRole('button', { name: 'Publish…' }).and(page.locator(':not([aria-disabled])')).click();
    const dialog = page.getByRole('dialog', { name: `Publish default/${name}` });
    await dialog.getByText('1 other change').waitFor();
    await dialog.getByRole('button', { name: 'Publish' }).click();
    await dialog.getByRole('alert').waitFor();
    await page.unroute('**/draft/publish');
    await server.again('--token', token);
    await dialog.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('heading', { level: 1, name: `default/${name} v2 live` }).waitFor();
    const { versions } = await client().listVersions({ project: 'default', name });
    expect(versions.map(({ version }) => version)).toEqual([2, 1]);
  });
});

describe('a broken file that is pasted', () => {
  const bomb = `name: broken\n${'abcdefgh'
    .split('')
    .map((letter, k, all) => `${letter}: &${letter} [${Array(9).fill(k === 0 ? 'x' : `*${all[k - 1]}`)}]\n`)
    .join('')}`;
  it.each([
    ['with tabs', 'name: broken\ntasks:\n\t- name: a\n', /^Line \d+: cannot be read as YAML/],
    ['of aliases of aliases', bomb, /^Line \d+: .*alias/],
    ['in another encoding', 'n\u0000a\u0000m\u0000e\u0000:\u0000 \u0000x\u0000', /^Line \d+: /],
    [
      'of 10 MB',
      `name: broken\n${'# a comment that says nothing at all\n'.repeat(290_000)}`,
      /^Line \d+: the text has \d+ characters; at most/,
    ],
  ])('%s has one clear line, keeps the picture, and can be undone', async (kind, text, said) => {
    const name = `pasted-${kind.replaceAll(/\W+/g, '-').toLowerCase()}`;
    const page = await edit(name);
    // The server does not take more than 10 MB either: the browser keeps it.
    browsing.expectErrors(page, /401|413|422/);
    await pasteOver(page, name, text);
    await page.getByText(said).first().waitFor();
    await boxOf(page, 'greet').waitFor();
    await page.getByRole('button', { name: 'Publish…' }).and(page.locator('[aria-disabled]')).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(said).first().waitFor({ state: 'detached' });
    await expect.poll(() => textOf(page, name).textContent()).toContain('echo hi');
  });
});
