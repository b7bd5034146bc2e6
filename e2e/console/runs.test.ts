import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { retryUntilGone } from './harness/retry.ts';
import { Server } from './harness/server.ts';

const script = (text: string) => `with: { script: ${JSON.stringify(text)} }`;
const file = `
name: good
project: etl
params: { day: "0814" }
tasks: [{ name: only, type: noop }]
---
name: bad
project: etl
tasks: [{ name: only, type: shell, ${script('echo nope; exit 2')} }]
---
name: long
project: etl
tasks: [{ name: only, type: shell, ${script('sleep 600')} }]
`;

let server: Server;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start('--slots', '8');
});
afterAll(() => server?.stop());

const open = (query = '', view = {}) => browsing.open(`${server.url}/runs${query}`, view);

describe('the list of runs, empty', () => {
  it('says how to start one', async () => {
    const page = await open();
    await page.getByRole('heading', { name: /No run yet/ }).waitFor();
    await expect.poll(() => page.getByText('orrery run hello --wait').isVisible()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await picture(page, 'runs-empty');
    await page.getByRole('button', { name: 'Open workflows' }).click();
    await page.waitForURL(/\/workflows$/);
  });
});

describe('the list of runs', () => {
  let [good, bad]: number[] = [];
  beforeAll(async () => {
    await server.publish(file);
    good = await server.runTo('etl/good', 'success');
    bad = await server.runTo('etl/bad', 'failed');
  });

  it('is the answer to the request that its address is', async () => {
    const page = await open();
    await page.getByRole('row', { name: new RegExp(`failed ${bad} etl/bad`) }).waitFor();
    const asked: URL[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/api/v1/runs') asked.push(url);
    });
    await page.keyboard.press('/');
    await page.keyboard.type('state:failed');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\?state=failed$/);
    await page.getByRole('row', { name: new RegExp(`success ${good}`) }).waitFor({ state: 'detached' });
    expect(asked.at(-1)?.searchParams.get('state')).toBe('failed');
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Copy as curl' }).click();
    await page.getByText('Copied: curl').waitFor();
    const curl = await page.evaluate(() => navigator.clipboard.readText());
    const address = /'(.*)'/.exec(curl)?.[1] ?? '';
    const { runs } = (await (await fetch(address)).json()) as { runs: { id: number }[] };
    expect(runs.map(({ id }) => id)).toEqual([bad]);
    const fresh = await browsing.open(page.url());
    await fresh.getByRole('row', { name: new RegExp(`failed ${bad}`) }).waitFor();
    await expect.poll(() => fresh.getByRole('row').count()).toBe(2);
  });

  it('says what failed, and leads to its log', async () => {
    const page = await open('?state=failed');
    await page.getByRole('link', { name: 'only: nope (exit code 2)' }).click();
    await page.waitForURL(new RegExp(`/task-runs/${bad}.only`));
    await page.getByText('nope', { exact: true }).waitFor();
  });

  it.each([
    ['light', 1440, 'en'],
    ['dark', 1440, 'en'],
    ['light', 900, 'en'],
    ['dark', 600, 'en'],
    ['light', 1440, 'zh-CN'],
    ['light', 1440, 'x-pseudo'],
  ] as const)('has no violation in %s at %i px in %s', async (scheme, width, language) => {
    const page = await open('', { scheme, width, language });
    await page
      .getByRole('row', { name: /etl\/bad/ })
      .first()
      .waitFor();
    await picture(page, `runs-${scheme}-${width}-${language}`);
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });

  it('holds its rows still while runs come, until one wants to see them', async () => {
    const page = await open('?workflow=etl/good');
    const row = page.getByRole('row', { name: new RegExp(`${good} etl/good`) });
    await row.waitFor();
    await page.getByRole('button', { name: /^live\./ }).waitFor();
    const place = (await row.boundingBox())?.y;
    const created = await server.runTo('etl/good', 'success');
    await server.runTo('etl/good', 'success');
    await server.runTo('etl/bad', 'failed');
    const pill = page.getByRole('button', { name: '2 new' });
    await pill.waitFor();
    expect((await row.boundingBox())?.y).toBe(place);
    await picture(page, 'runs-new');
    await pill.click();
    await page.getByRole('row', { name: new RegExp(`success ${created} etl/good`) }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(4);
  });

  it('shows all that the filter let through before as soon as it is dropped', async () => {
    const newest = await server.runTo('etl/good', 'success');
    const page = await open('?state=failed');
    await page.getByRole('row', { name: new RegExp(`failed ${bad}`) }).waitFor();
    await page.getByRole('button', { name: 'Remove filter state: failed' }).click();
    await page.getByRole('row', { name: new RegExp(`success ${newest} etl/good`) }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: /^\d+ new$/ }).count()).toBe(0);
  });

  it.each([
    ['bars', 'histogram', ''],
    ['durations', 'points', '?plot=scatter'],
  ])('says in their place what went wrong with the %s, and lists its runs', async (_, path, query) => {
    let broken = true;
    const page = await open(query, {
      prepare: async (opened: Page) => {
        browsing.expectErrors(opened, /500/);
        await opened.route(`**/api/v1/runs/${path}?*`, async (route) => {
          const body = { title: 'internal error', status: 500, detail: 'it broke', requestId: 'r-1' };
          if (!broken) await route.continue();
          else await route.fulfill({ status: 500, contentType: 'application/problem+json', json: body });
        });
      },
    });
    await page.getByRole('row', { name: new RegExp(`failed ${bad}`) }).waitFor();
    const alert = page.getByRole('alert');
    await alert.getByText('it broke').waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, `runs-no-${path}`);
    broken = false;
    await retryUntilGone(alert);
  });

  it.each([
    ['bars', ''],
    ['durations', '?plot=scatter'],
  ])('draws its %s again for the room there is', async (_, query) => {
    // No second passes, so that nothing else draws the page again.
    const page = await open(query, { now: Date.now() });
    await page.getByRole('row', { name: new RegExp(`failed ${bad}`) }).waitFor();
    await page.locator('button[aria-busy="false"] canvas').waitFor();
    await page.setViewportSize({ width: 900, height: 700 });
    const stretched = () =>
      page
        .locator('button[aria-busy] canvas')
        .evaluate((canvas: HTMLCanvasElement) => canvas.width - canvas.clientWidth);
    await expect.poll(stretched).toBe(0);
  });

  it('changes a row in place while its run goes on', async () => {
    const id = await server.runTo('etl/long', 'running');
    const page = await open('?workflow=etl/long');
    await page.getByRole('row', { name: new RegExp(`running ${id}`) }).waitFor();
    await server.client.stopRun({ id, body: {} });
    await page.getByRole('row', { name: new RegExp(`stopped ${id}`) }).waitFor();
  });

  it('is walked and opened by keyboard alone, and inspected beside the list', async () => {
    await server.runTo('etl/bad', 'failed');
    const page = await open('?state=failed');
    await page
      .getByRole('row', { name: /etl\/bad/ })
      .first()
      .waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('o');
    await page.getByRole('complementary').getByText('exit code 2').first().waitFor();
    await page.waitForURL(/run=\d+/);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.search.includes('run='));
    await page.keyboard.press('x');
    await page.keyboard.press('R');
    const dialog = page.getByRole('dialog', { name: /^Recover failed 1 run/ });
    await dialog.getByText('1 allowed, 0 refused').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/runs\/\d+/);
    await page.getByRole('heading', { level: 1 }).getByText('failed').waitFor();
    const newest = Number(new URL(page.url()).pathname.split('/').at(-1));
    await page.keyboard.press(']');
    const older = (await server.client.listRuns({ state: ['failed'] })).runs[1].id;
    await page.getByRole('heading', { level: 1, name: new RegExp(`· ${older}$`) }).waitFor();
    await page.keyboard.press('[');
    await page.getByRole('heading', { level: 1, name: new RegExp(`· ${newest}$`) }).waitFor();
  });

  it('takes a range of time by keyboard, keeps it in the address, and drops it again', async () => {
    const page = await open();
    const bars = page.getByRole('button', { name: /^Runs by the time they were created/ });
    // Chosen by keyboard, the first bars are those of a day ago: before this server.
    await bars.and(page.locator('[aria-busy="false"]')).focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForURL(/from=.*&to=/);
    await page.getByRole('heading', { name: /^0 of \d+ match$/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'runs-none-match');
    await page.getByRole('button', { name: 'Widen to all time' }).click();
    await page
      .getByRole('row', { name: /etl\/bad/ })
      .first()
      .waitFor();
  });

  it('keeps a view under a name, with the server', async () => {
    const page = await open('?state=failed&workflow=etl/bad');
    await page
      .getByRole('row', { name: /etl\/bad/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: /^Save this view/ }).click();
    await page.getByRole('textbox', { name: 'Name of the view' }).fill('my failures');
    await page.keyboard.press('Enter');
    const fresh = await open('', { beside: page });
    await fresh.getByRole('button', { name: 'Views' }).click();
    await fresh.getByRole('menuitem', { name: /my failures/ }).click();
    await fresh.waitForURL(/state=failed&workflow=etl\/bad/);
  });

  it('keeps a view and drops it without touching what another browser has kept meanwhile', async () => {
    const page = await open('?state=failed');
    await page.getByRole('button', { name: 'Views' }).waitFor();
    // This tab learns nothing of what is kept from now on.
    const toMe = (url: URL) => url.pathname.endsWith('/api/v1/me');
    await page.route(toMe, (route) => route.abort());
    browsing.expectErrors(page, /ERR_FAILED/);
    const theirs = { console: { theme: 'dark' }, 'runs.views': { theirs: '?state=running' } };
    await server.client.savePreferences({ body: theirs });
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: /^Save this view/ }).click();
    await page.getByRole('textbox', { name: 'Name of the view' }).fill('ours');
    await page.keyboard.press('Enter');
    const kept = async () => (await server.client.showMe({})).preferences;
    await expect.poll(kept).toEqual({
      ...theirs,
      'runs.views': { ...theirs['runs.views'], ours: expect.stringContaining('state=failed') },
    });
    await page.unroute(toMe);
    await page.reload();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('button', { name: 'Forget ours' }).click();
    await expect.poll(kept).toEqual(theirs);
  });

  it('shows the columns that one wants', async () => {
    const page = await open();
    await page
      .getByRole('row', { name: /etl\/good/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'owner' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'owner' }).waitFor();
  });

  it('says what went wrong in the panel, and tries again', async () => {
    const page = await browsing.open(`${server.url}/login`);
    browsing.expectErrors(page, /400|500/);
    await page.goto(`${server.url}/runs?from=2026-01-01`);
    const alert = page.getByRole('alert').last();
    await alert.waitFor();
    await expect.poll(() => alert.textContent()).toContain('from');
    expect(await violations(page)).toEqual([]);
    await picture(page, 'runs-error');
  });

  it('waits for a slow answer in the shape of what comes', async () => {
    const page = await browsing.open(`${server.url}/login`);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/v1/runs?*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${server.url}/runs`);
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'runs-loading');
    release();
    await page
      .getByRole('row', { name: /etl\/bad/ })
      .first()
      .waitFor();
  });
});
