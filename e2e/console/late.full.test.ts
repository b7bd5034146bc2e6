/** What comes late, comes in pieces or does not come at all: it does no harm to what one looks at by then. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from './harness/browser.ts';
import { Server } from './harness/server.ts';

const shell = (script: string) => `type: shell, with: { script: ${JSON.stringify(script)} }`;
/** Lines so long that a page of them does not fit into one answer. */
const WIDE = 'for i in $(seq 1 1000); do printf "row %d %03000d\\n" $i 7; done';
const FAR = 'echo alpha; echo alpha; seq 1 400; echo omega; seq 1 400';

let server: Server;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start('--slots', '8');
  await server.publish(`
name: long
project: etl
tasks: [{ name: work, ${shell('sleep 600')} }, { name: after, type: noop, needs: [work] }]
---
name: good
project: etl
tasks: [{ name: only, type: noop }]
---
name: other
project: etl
tasks: [{ name: only, type: noop }]
---
name: later
project: etl
tasks: [{ name: only, type: noop }]
---
name: bad
project: etl
tasks: [{ name: load, ${shell('exit 7')} }]
---
name: awful
project: etl
tasks: [{ name: load, ${shell('exit 6')} }]
---
name: worse
project: etl
tasks: [{ name: load, ${shell('exit 8')} }]
---
name: printed
project: etl
tasks: [{ name: wide, ${shell(WIDE)} }, { name: far, ${shell(FAR)} }]
`);
});
afterAll(() => server?.stop());

const open = (path: string, prepare?: (page: Page) => Promise<void>) =>
  browsing.open(`${server.url}${path}`, { prepare });
const problem = (status: number) => ({
  status,
  contentType: 'application/problem+json',
  json: { title: 'refused', status, detail: 'it broke', requestId: 'r-1' },
});

/** Something that a test lets happen. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

describe('an answer to what was asked on a page that one has left', () => {
  it('takes nothing from the address of the next one', async () => {
    const id = await server.runTo('etl/long', 'running');
    const held = gate();
    const page = await open(`/runs/${id}?ask=stop`);
    await page.route('**/api/v1/runs/*/stop', async (route) => {
      if (!route.request().postData()?.includes('dryRun')) await held.opened;
      await route.continue();
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('navigation', { name: 'You are here' }).getByRole('link', { name: 'long' }).click();
    await page.waitForURL(/workflows\/etl\/long/);
    await page.getByRole('button', { name: new RegExp(`run ${id}, v1, running`) }).waitFor();
    held.open();
    await page.getByText('Stop requested').waitFor();
    await page.getByRole('button', { name: new RegExp(`run ${id}, v1, stopped`) }).waitFor();
    expect(page.url()).toMatch(/\/workflows\/etl\/long$/);
  });
});

describe('the page of a run', () => {
  it('closes a dialog by Escape, and not the details behind it', async () => {
    const id = await server.runTo('etl/long', 'running');
    const page = await open(`/runs/${id}?task=work`);
    const details = page.getByRole('complementary', { name: 'Details of work' });
    await details.waitFor();
    await page.keyboard.press('s');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('work', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await details.waitFor();
    expect(page.url()).toMatch(/task=work/);
  });

  it('says that the run is gone when it is, though it was there a moment ago', async () => {
    const id = await server.runTo('etl/good', 'success');
    const page = await open(`/runs/${id}`);
    await page.getByRole('button', { name: /^only,/ }).waitFor();
    browsing.expectErrors(page, /404/);
    await page.route(`**/api/v1/runs/${id}`, (route) => route.fulfill(problem(404)));
    await page.keyboard.press(';');
    await page.keyboard.press(';');
    await page.getByRole('heading', { name: `Run ${id} is not here` }).waitFor();
  });

  it('draws its graph without the library that lays it out, and loads that for the next one', async () => {
    const id = await server.runTo('etl/good', 'success');
    let refused = 0;
    const page = await open(`/runs/${id}`, async (opened) => {
      browsing.expectErrors(opened, /404|Failed to load/);
      await opened.route('**/assets/elk-api-*.js', (route) => {
        refused++;
        return route.fulfill({ status: 404 });
      });
    });
    await page.getByRole('button', { name: /^only,/ }).waitFor();
    expect(refused).toBeGreaterThan(0);
  });
});

describe('a layout', () => {
  it('that another build of the console has kept in another form is laid out again', async () => {
    const id = await server.runTo('etl/good', 'success');
    const page = await open(`/runs/${id}`);
    await page.getByRole('button', { name: /^only,/ }).waitFor();
    /** The layouts that are kept become those of a build that knew only where boxes stand from left to right. */
    const replaceKept = () =>
      page.evaluate(async () => {
        const settled = <T>(asked: IDBRequest<T>) =>
          new Promise<T>((resolve, reject) => {
            asked.onsuccess = () => resolve(asked.result);
            asked.onerror = () => reject(asked.error);
          });
        const database = await settled(indexedDB.open('orrery-layouts'));
        const table = database.transaction('layouts', 'readwrite').objectStore('layouts');
        const keys = (await settled(table.getAllKeys())) as string[];
        for (const key of keys) {
          const { layout, at } = await settled(table.get(key));
          await settled(table.delete(key));
          await settled(table.put({ layout: { x: layout.x }, at }, key.split(':').at(-1)));
        }
        database.close();
        return keys.length;
      });
    await expect.poll(replaceKept).toBe(1);
    await page.reload();
    await page.getByRole('button', { name: /^only,/ }).waitFor();
    await expect.poll(replaceKept).toBe(2);
  });
});

describe('a log', () => {
  let id: number;
  beforeAll(async () => {
    id = await server.runTo('etl/printed', 'success');
  });
  const line = (page: Page, number: number) => page.locator(`[data-line="${number}"]`);

  it('whose lines do not fit into an answer is read whole, and each page of it once', async () => {
    const asked: string[] = [];
    const page = await open(`/task-runs/${id}.wide`, async (opened) => {
      opened.on('request', (request) => {
        const wanted = new URL(request.url()).searchParams.get('line');
        if (wanted !== null) asked.push(wanted);
      });
    });
    const last = page.getByText(/^row 1000 0+7$/);
    await last.waitFor();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(asked.length).toBeLessThan(12);
    await page.getByRole('textbox', { name: 'Go to line' }).fill('480');
    await page.keyboard.press('Enter');
    await line(page, 480)
      .getByText(/^row 4(79|80) 0+7$/)
      .waitFor();
    expect(page.url()).toMatch(/attempt=1&line=480$/);
  });

  it('goes to what was looked for now, not to what was looked for before', async () => {
    const page = await open(`/task-runs/${id}.far?line=1`);
    await line(page, 1).waitFor();
    await page.route('**/log/search?*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    const find = page.getByRole('searchbox', { name: 'Find' });
    await find.fill('alpha');
    await find.press('Enter');
    await page.getByText('1 of 2').waitFor();
    await find.fill('omega');
    await find.press('Enter');
    await page.getByText('1 of 1').waitFor();
    await page.locator('mark[data-current="true"]').getByText('omega').waitFor();
  });
});

describe('the list of runs', () => {
  it('asks once for a page that is refused, says so, and goes on by hand', async () => {
    await Promise.all(
      Array.from({ length: 105 }, () => server.client.startRun({ body: { workflow: 'etl/other' } })),
    );
    const page = await open('/runs?workflow=etl/other');
    const rows = page.getByRole('grid').getByRole('row');
    await rows.nth(1).waitFor();
    browsing.expectErrors(page, /500/);
    let asked = 0;
    await page.route('**/api/v1/runs?*before=*', (route) => {
      asked++;
      return route.fulfill(problem(500));
    });
    await rows.nth(1).focus();
    await page.keyboard.press('End');
    const alert = page.getByRole('alert');
    await alert.getByText('it broke').waitFor();
    const [newest] = (await server.client.listRuns({ workflow: 'etl/other', limit: 1 })).runs;
    await server.client.setRunTags({ id: newest.id, body: { tags: ['seen'] } });
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(asked).toBe(1);
    await page.unroute('**/api/v1/runs?*before=*');
    await alert.getByRole('button', { name: 'Retry' }).click();
    await alert.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('106');
  });

  it('shows the first run that comes where there was none', async () => {
    const page = await open('/runs?workflow=etl/later');
    await page.getByRole('heading', { name: /match/ }).waitFor();
    const id = await server.runTo('etl/later', 'success');
    await page.getByRole('row', { name: new RegExp(`success ${id}`) }).waitFor();
  });

  it('does nothing to a run that another filter has taken off it', async () => {
    const id = await server.runTo('etl/long', 'running');
    const page = await open('/runs?workflow=etl/long');
    await page.getByRole('row', { name: new RegExp(`running ${id}`) }).focus();
    await page.keyboard.press('/');
    await page.keyboard.type('workflow:etl/good');
    await page.keyboard.press('Enter');
    await page.waitForURL(/workflow=etl\/good/);
    await page
      .getByRole('row', { name: /success/ })
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('s');
    await page.keyboard.press('Enter');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(page.url()).toMatch(/\/runs\?workflow=etl\/good$/);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});

describe('what is shown of workflows', () => {
  it('is run once, however often that is pressed before there is an answer', async () => {
    const page = await open('/workflows?q=good');
    await page.getByRole('row', { name: /etl\/good/ }).focus();
    await page.keyboard.press('x');
    const held = gate();
    let started = 0;
    await page.route('**/api/v1/runs', async (route) => {
      started++;
      await held.opened;
      await route.continue();
    });
    const run = page.getByRole('toolbar', { name: '1 selected' }).getByRole('button', { name: 'Run' });
    await run.click();
    await run.click({ force: true });
    await new Promise((resolve) => setTimeout(resolve, 300));
    held.open();
    await page.getByText(/^Done/).waitFor();
    expect(started).toBe(1);
  });
});

describe('home', () => {
  it('lists what is new also after the need that had the focus is gone', async () => {
    await server.runTo('etl/bad', 'failed');
    await server.runTo('etl/awful', 'failed');
    const page = await open('/');
    const needs = page.getByRole('region', { name: 'What needs you' });
    const bad = needs.getByRole('listitem').filter({ hasText: 'etl/bad' });
    await bad.getByRole('button', { name: 'Open' }).focus();
    const need = (await server.client.showOverview({})).needs.find(({ text }) => text.includes('etl/bad'));
    await server.client.muteNeed({ id: need?.id ?? '', body: { reason: 'known' } });
    await bad.waitFor({ state: 'detached' });
    await server.runTo('etl/worse', 'failed');
    await needs.getByRole('listitem').filter({ hasText: 'etl/worse' }).waitFor();
    expect(await needs.getByRole('listitem').count()).toBe(2);
  });
});
