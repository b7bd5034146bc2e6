import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { Server } from './harness/server.ts';

const orders = `# Loads the orders of the day before
name: orders
project: etl
schedules: [{ name: nightly, cron: '0 2 * * *', timezone: Asia/Shanghai }]
tasks:
  - name: extract   # reads
    type: shell
    with: { script: echo extract }
  - { name: load, type: shell, needs: extract, with: { script: echo load } }
`;

let server: Server;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server?.stop());

const textOf = (page: Page) => page.getByRole('textbox', { name: /^YAML of/ });
const boxOf = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name}, `) });

/** Publishes a workflow of a name of its own and opens it. */
async function edit(name: string, view = {}) {
  await server.publish(orders.replace('name: orders', `name: ${name}`));
  return open(name, view);
}

async function open(name: string, view = {}) {
  const page = await browsing.open(`${server.url}/workflows/etl/${name}/edit`, view);
  await textOf(page).waitFor();
  await boxOf(page, 'extract').waitFor();
  return page;
}

async function typeAtEnd(page: Page, text: string) {
  await textOf(page).focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText(text);
}

const draftOf = (name: string) => server.client.readDraft({ project: 'etl', name });

/** What the browser keeps of a draft; run in the page. */
function keptText(name: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const opened = indexedDB.open('orrery-drafts');
    opened.onerror = () => reject(opened.error);
    opened.onsuccess = () => {
      const asked = opened.result.transaction('drafts').objectStore('drafts').get(name);
      asked.onsuccess = () => resolve(asked.result?.text);
      asked.onerror = () => reject(asked.error);
    };
  });
}

describe('the editor', () => {
  it('completes what is typed, keeps it as a draft, and publishes it with what it means', async () => {
    const page = await edit('first');
    await page.getByText('v1 live · no changes yet').waitFor();
    await textOf(page).focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('  - name: report\nty');
    await page.getByRole('option', { name: 'type' }).click();
    await page.keyboard.type('she');
    await page.getByRole('option', { name: 'shell' }).click();
    // A shell task without a script is marked at its box and listed below the text.
    await page.getByRole('region', { name: '1 problem' }).waitFor();
    await boxOf(page, 'report').waitFor();
    await page.keyboard.type('\nneeds: load\nwith: {script: echo report}');
    await page.keyboard.press('Escape');
    await page.getByText(/^draft on v1 · saved/).waitFor();
    expect((await draftOf('first')).text).toBe(
      `${orders.replace('orders\n', 'first\n')}  - name: report\n    type: shell\n    needs: load\n    with: {script: echo report}`.replace(
        'name: orders',
        'name: first',
      ),
    );
    expect(await violations(page)).toEqual([]);
    await picture(page, 'editor');
    await page.keyboard.press('Control+Enter');
    const dialog = page.getByRole('dialog', { name: 'Publish etl/first' });
    await dialog.getByText('1 task added').waitFor();
    await dialog.getByText('Edge added: load → report').waitFor();
    await dialog.getByText(/^The next tick uses it/).waitFor();
    await boxOf(page, 'report').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('textbox', { name: 'note' }).fill('adds a report');
    await dialog.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('heading', { level: 1, name: 'etl/first v2 live' }).waitFor();
    const { versions } = await server.client.listVersions({ project: 'etl', name: 'first' });
    expect(versions[0]).toMatchObject({ version: 2, note: 'adds a report', source: 'editor' });
    await expect(draftOf('first')).rejects.toMatchObject({ status: 404 });
  });

  it('keeps the last picture of a text that cannot be read, and blocks publishing, never saving', async () => {
    const page = await edit('broken');
    await typeAtEnd(page, '  - name: [\n');
    await page.getByText(/^Line \d+: cannot be read as YAML/).waitFor();
    await boxOf(page, 'extract').waitFor();
    await page.getByText(/^draft on v1 · saved/).waitFor();
    await page.getByRole('button', { name: 'Publish…' }).and(page.locator('[aria-disabled]')).waitFor();
    await page
      .getByRole('region', { name: /problem/ })
      .getByRole('button')
      .first()
      .click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Publish…' }).and(page.locator(':not([aria-disabled])')).waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('heading', { level: 1, name: 'etl/broken v1 live' }).waitFor();
    await expect(draftOf('broken')).rejects.toMatchObject({ status: 404 });
  });

  it('loses nothing when the browser is killed in mid-edit', async () => {
    const page = await edit('killed');
    // The server never gets it from this page.
    await page.route('**/draft', (route) =>
      route.request().method() === 'PUT' ? undefined : route.continue(),
    );
    await typeAtEnd(page, '# typed right before the crash\n');
    await expect
      .poll(() => page.evaluate(keptText, 'etl/killed'))
      .toContain('# typed right before the crash');
    await page.goto('chrome://crash').catch(() => {});
    const again = await browsing.open(`${server.url}/workflows/etl/killed/edit`, { beside: page });
    await textOf(again).getByText('# typed right before the crash').waitFor();
    await again.getByText(/^draft on v1 · saved/).waitFor();
    expect((await draftOf('killed')).text).toContain('# typed right before the crash');
  });

  it('brings together what two people write, and takes over what one wrote while the other did nothing', async () => {
    const one = await edit('shared');
    const other = await open('shared');
    await typeAtEnd(one, '# by one\n');
    await one.getByText(/^draft on v1 · saved/).waitFor();
    await textOf(other).getByText('# by one').waitFor();
    // Both at once: the later one is asked.
    const theirs = await draftOf('shared');
    await textOf(other).focus();
    await other.keyboard.press('Control+Home');
    await other.keyboard.insertText('# by the other\n');
    await server.client.saveDraft({
      project: 'etl',
      name: 'shared',
      ifMatch: `"${theirs.revision}"`,
      body: { text: `${theirs.text}# by a third\n` },
    });
    browsing.expectErrors(other, /412/);
    const dialog = other.getByRole('dialog', { name: 'Someone else changed this draft' });
    await dialog.waitFor();
    expect(await violations(other)).toEqual([]);
    await dialog.getByRole('button', { name: 'Merge' }).click();
    await other.getByText(/^draft on v1 · saved/).waitFor();
    const { text } = await draftOf('shared');
    for (const line of ['# by one', '# by the other', '# by a third']) expect(text).toContain(line);
  });

  it('offers to go on from a version that was published meanwhile', async () => {
    const page = await edit('moved');
    await typeAtEnd(page, '# mine\n');
    await page.getByText(/^draft on v1 · saved/).waitFor();
    await server.publish(orders.replace('name: orders', 'name: moved').replace('echo extract', 'echo v2'));
    await page.getByRole('button', { name: 'Merge v2 into the draft' }).click();
    await page.getByText(/^draft on v2 · saved/).waitFor();
    const { text, base } = await draftOf('moved');
    expect(base).toBe(2);
    expect(text).toContain('echo v2');
    expect(text).toContain('# mine');
  });

  it('saves a draft again that was deleted elsewhere, if one wants to', async () => {
    const page = await edit('deleted');
    await typeAtEnd(page, '# before\n');
    await page.getByText(/^draft on v1 · saved/).waitFor();
    await server.client.deleteWorkflow({ project: 'etl', name: 'deleted' });
    await typeAtEnd(page, '# after\n');
    browsing.expectErrors(page, /412/);
    await page
      .getByRole('dialog', { name: 'This draft is gone' })
      .getByRole('button', { name: 'Save mine as a new draft' })
      .click();
    await page.getByText(/^draft.* · saved/).waitFor();
    expect((await draftOf('deleted')).text).toContain('# before\n# after\n');
  });
});
