/** Runs that a run started, on its page: what failed in them, and what they did. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { retryUntilGone } from './harness/retry.ts';
import { Server } from './harness/server.ts';

const shell = (text: string) => `type: shell, with: { script: ${JSON.stringify(text)} }`;
const signals = mkdtempSync(join(tmpdir(), 'orrery-signals-'));
const numbers = Array.from({ length: 22 }, (_, n) => n).join(', ');
const file = `
name: child
project: etl
tasks:
  - { name: read, ${shell('true')} }
  - { name: work, needs: [read], ${shell('echo "no such table: orders"; exit 3')} }
---
name: parent
project: etl
tasks:
  - { name: first, ${shell('true')} }
  - { name: sub, type: sub-workflow, needs: [first], with: { workflow: etl/child } }
---
name: grandparent
project: etl
tasks: [{ name: outer, type: sub-workflow, with: { workflow: etl/parent } }]
---
name: slow
project: etl
tasks:
  - { name: read, ${shell('true')} }
  - { name: hold, needs: [read], ${shell(`while [ ! -f "${signals}/go" ]; do sleep 0.1; done`)} }
---
name: above-slow
project: etl
tasks: [{ name: sub, type: sub-workflow, with: { workflow: etl/slow } }]
---
name: quick
project: etl
params: { n: "0" }
tasks: [{ name: only, type: noop }]
---
name: many
project: etl
tasks:
  - { name: each, type: dynamic, with: { workflow: etl/quick, over: { n: [${numbers}] } } }
  - { name: parts, needs: [each], shards: 3, ${shell('true')} }
`;

let server: Server;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start('--slots', '8');
  await server.publish(file);
});
afterAll(async () => {
  await server?.stop();
  rmSync(signals, { recursive: true, force: true });
});

const detailsOf = (page: Page, task: string) =>
  page.getByRole('complementary', { name: `Details of ${task}` });
const childOf = async (id: number) => (await server.client.showRun({ id })).children[0].id;

describe('a run whose sub-workflow failed', () => {
  it('opens on what failed in there, with the end of its log and the way there', async () => {
    const id = await server.runTo('etl/grandparent', 'failed');
    const parent = await childOf(id);
    const child = await childOf(parent);
    const page = await browsing.open(`${server.url}/runs/${id}`);
    const details = detailsOf(page, 'outer');
    await details.getByRole('link', { name: `sub failed in run ${parent}` }).waitFor();
    await details.getByRole('region', { name: 'Log' }).getByText('no such table: orders').waitFor();
    await picture(page, 'run-children-failed');
    expect(await violations(page)).toEqual([]);
    await details.getByRole('link', { name: `work failed in run ${child}` }).click();
    await page.waitForURL(new RegExp(`/runs/${child}\\?task=work`));
    await detailsOf(page, 'work').getByText('no such table: orders (exit code 3)').first().waitFor();
  });
});

describe('the timeline of a run that started others', () => {
  it('nests the tasks of a sub-workflow when it is opened, follows them, and leads there', async () => {
    const id = await server.runTo('etl/above-slow', 'running');
    const page = await browsing.open(`${server.url}/runs/${id}?view=timeline&task=sub`);
    const row = page.getByRole('button', { name: /^sub, sub-workflow task/ });
    await row.focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('region', { name: /^Timeline of the run, 3 rows/ }).waitFor();
    const child = await childOf(id);
    await page.keyboard.press('ArrowDown');
    await page.getByRole('button', { name: new RegExp(`^read, shell task, .*in run ${child}$`) }).waitFor();
    await page.keyboard.press('ArrowDown');
    const hold = (state: string) =>
      page.getByRole('button', { name: new RegExp(`^hold, shell task, ${state}.*in run ${child}$`) });
    await hold('running').and(page.locator(':focus')).waitFor();
    await picture(page, 'run-children-timeline');
    expect(await violations(page)).toEqual([]);
    writeFileSync(join(signals, 'go'), '');
    await hold('success').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await row.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('region', { name: /^Timeline of the run, 1 row/ }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('End');
    await hold('success').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/runs/${child}\\?task=hold`));
  });

  it('has a row a run where there are several, and leads to all of them where there are many', async () => {
    const id = await server.runTo('etl/many', 'success');
    const page = await browsing.open(`${server.url}/runs/${id}?view=timeline&task=each`);
    await page.getByRole('button', { name: /^each, dynamic task/ }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('region', { name: /^Timeline of the run, 23 rows/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    const first = page.getByRole('button', { name: /^run \d+, success$/ });
    await first.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('region', { name: /^Timeline of the run, 24 rows/ }).waitFor();
    await picture(page, 'run-children-many');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowUp');
    await page.getByRole('button', { name: `all runs started by ${id}` }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/runs\\?parent=${id}`));
    await page
      .getByRole('row', { name: /etl\/quick/ })
      .first()
      .waitFor();
  });

  it('has what is folded out in its address: a link shows the same, and Back folds it in', async () => {
    const id = await server.runTo('etl/many', 'success');
    const page = await browsing.open(`${server.url}/runs/${id}?view=timeline&task=each`, { height: 1100 });
    const rows = (of: Page, count: number) =>
      of.getByRole('region', { name: new RegExp(`^Timeline of the run, ${count} rows`) }).waitFor();
    await page.getByRole('button', { name: /^each, dynamic task/ }).focus();
    await page.keyboard.press('ArrowRight');
    await rows(page, 23);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await rows(page, 24);
    await page.keyboard.press('End');
    await page
      .getByRole('button', { name: /^parts, shell task/ })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.press('ArrowRight');
    await rows(page, 27);
    await page.waitForURL(new RegExp(`open=children:${id}\\.each,run:\\d+,shards:${id}\\.parts(?:&|$)`));
    const shared = await browsing.open(page.url(), { scheme: 'dark' });
    await rows(shared, 27);
    await picture(shared, 'run-children-shared');
    await shared.close();
    await page.goBack();
    await rows(page, 24);
    await page.goForward();
    await rows(page, 27);
    // Pressed with the pointer, the row is also the one that is looked at: still one step.
    const canvas = page.locator('canvas');
    await canvas.click({ position: { x: 12, y: 40 } });
    await rows(page, 5);
    await page.goBack();
    await rows(page, 27);
  });

  it('says what it could not read, and reads it again', async () => {
    const id = await server.runTo('etl/parent', 'failed');
    const child = await childOf(id);
    const page = await browsing.open(`${server.url}/runs/${id}?view=timeline&task=sub`);
    browsing.expectErrors(page, /500/);
    const json = { title: 'internal error', status: 500, detail: 'it broke', requestId: 'r-1' };
    await page.route(`**/api/v1/runs/${child}/tasks?*`, (route) =>
      route.fulfill({ status: 500, contentType: 'application/problem+json', json }),
    );
    await page.getByRole('button', { name: /^sub, sub-workflow task/ }).focus();
    await page.keyboard.press('ArrowRight');
    const alert = page.getByRole('main').getByRole('alert');
    await alert.getByText('it broke').waitFor();
    await page.unroute(`**/api/v1/runs/${child}/tasks?*`);
    await retryUntilGone(alert);
    await page.getByRole('region', { name: /^Timeline of the run, 4 rows/ }).waitFor();
  });
});
