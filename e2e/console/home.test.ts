import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '@orrery/store';
import { serveSeed } from '@orrery/testkit/seed/serve';
import { SMALL_NOW } from '@orrery/testkit/seed/small';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { retryUntilGone } from './harness/retry.ts';
import { type Seeded, serve } from './harness/seeded.ts';
import { Server } from './harness/server.ts';
import { typeLine } from './harness/type-line.ts';

const dist = join(import.meta.dirname, '..', '..', 'packages', 'ui', 'dist');
const browsing = useBrowser();

describe('Home of a new server', () => {
  let server: Server;
  beforeAll(async () => {
    server = await Server.start();
  });
  afterAll(() => server?.stop());

  it('prints commands that work, and shows what they did', async () => {
    const page = await browsing.open(server.url);
    await page.getByRole('heading', { name: /Nothing has run yet/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'home-first');
    await page.getByRole('button', { name: 'live' }).waitFor();
    const lines = page.locator('code', { hasText: 'npx orrery' });
    await expect.poll(() => lines.count()).toBe(2);
    for (const line of await lines.allTextContents()) {
      const { status, stderr } = typeLine(line);
      expect([line, status, stderr]).toEqual([line, 0, expect.any(String)]);
    }
    await page.getByRole('slider', { name: 'Last runs of hello' }).waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  it('shows a failing task as a need without a reload, and its action solves it', async () => {
    const marker = join(server.folder, 'mended');
    await server.publish(`
name: fragile
tasks:
  - { name: touchy, type: shell, with: { script: 'test -e ${marker}' } }
`);
    // Told by the stream, at once: this page looks for nothing by itself every few seconds.
    const prepare = async (opened: Page) => {
      await opened.addInitScript(() => {
        const { setInterval } = globalThis;
        Object.assign(globalThis, {
          setInterval: (run: () => void, every: number) => (every < 5_000 ? setInterval(run, every) : 0),
        });
      });
    };
    const page = await browsing.open(server.url, { prepare });
    await page.getByRole('button', { name: /^live/ }).waitFor();
    const id = await server.runTo('fragile', 'failed');
    const need = page.getByRole('listitem').filter({ hasText: 'default/fragile: touchy failed' });
    await need.waitFor();
    await page.getByRole('heading', { level: 1, name: /needs? you/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'home-need');
    writeFileSync(marker, '');
    await need.getByRole('button', { name: 'Recover 1' }).click();
    await need.waitFor({ state: 'detached' });
    await server.reaches(id, 'success');
  });

  it('opens and mutes needs by keyboard, and says who muted', async () => {
    await server.publish('name: doomed\ntasks: [{ name: only, type: shell, with: { script: exit 4 } }]');
    const id = await server.runTo('doomed', 'failed');
    const page = await browsing.open(server.url);
    const need = page
      .getByRole('region', { name: 'What needs you' })
      .getByRole('listitem')
      .filter({ hasText: 'default/doomed: only failed' });
    await need.waitFor();
    // A machine that has much else to do may have needs of its own above it.
    await page.keyboard.press((await need.locator('kbd').first().textContent()) ?? '');
    await page.waitForURL(new RegExp(`/runs/${id}\\?task=only`));
    await page.goBack();
    await need.waitFor();
    await need.getByRole('link').focus();
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog', { name: 'Mute this need' });
    await dialog.waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.type('known');
    await page.keyboard.press('Enter');
    await need.waitFor({ state: 'detached' });
    const { needs } = await server.client.showOverview({ muted: true });
    expect(needs.filter(({ muted }) => muted)).toMatchObject([
      { muted: { reason: 'known', until: expect.any(String) } },
    ]);
    await page.getByRole('heading', { level: 1, name: 'Nothing needs you' }).waitFor();
    await page.getByText('Last failure:').waitFor();
    await picture(page, 'home-calm');
    // What was muted is a key away, with who did it and the way back.
    await page.keyboard.press('M');
    await page.waitForURL(/muted=shown/);
    const muted = page.getByRole('region', { name: 'What is muted' });
    await muted.getByRole('listitem').filter({ hasText: 'default/doomed: only failed' }).waitFor();
    await expect.poll(() => muted.textContent()).toMatch(/1 muted.*muted by admin until.*known/);
    expect(await violations(page)).toEqual([]);
    await picture(page, 'home-muted');
    await muted.getByRole('button', { name: 'Unmute' }).focus();
    await page.keyboard.press('Enter');
    await need.waitFor();
    await expect.poll(() => muted.count()).toBe(0);
    await server.client.muteNeed({ id: needs[0].id, body: { reason: 'known' } });
    await need.waitFor({ state: 'detached' });
  });

  it('mutes a need for two hours, however wrong the clock of the browser is', async () => {
    await server.publish('name: early\ntasks: [{ name: only, type: shell, with: { script: exit 5 } }]');
    await server.runTo('early', 'failed');
    const page = await browsing.open(server.url, { now: Date.now() - 24 * 3_600_000 });
    const need = page
      .getByRole('region', { name: 'What needs you' })
      .getByRole('listitem')
      .filter({ hasText: 'default/early: only failed' });
    await need.getByRole('link').focus();
    await page.keyboard.press('m');
    await page.getByRole('dialog', { name: 'Mute this need' }).waitFor();
    await page.keyboard.press('Enter');
    await need.waitFor({ state: 'detached' });
    const { needs } = await server.client.showOverview({ muted: true });
    const muted = needs.find(({ text }) => text.includes('early'))?.muted;
    expect(Date.parse(muted?.until ?? '') - Date.parse(muted?.at ?? '')).toBe(2 * 3_600_000);
  });

  it('keeps needs in their places while one points at them, and recovers by keyboard', async () => {
    const marker = join(server.folder, 'mended-too');
    const failing = (name: string) =>
      `name: ${name}\ntasks: [{ name: touchy, type: shell, with: { script: 'test -e ${marker}' } }]`;
    await server.publish(`${failing('once')}\n---\n${failing('often')}`);
    await server.runTo('once', 'failed');
    const page = await browsing.open(server.url);
    const rows = page.getByRole('region', { name: 'What needs you' }).getByRole('listitem');
    await rows.filter({ hasText: 'default/once' }).hover();
    await server.runTo('often', 'failed');
    await server.runTo('often', 'failed');
    const pill = page.getByRole('button', { name: /^1 new/ });
    await pill.waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    await picture(page, 'home-held');
    // The pill stays when one leaves the rows to press it.
    await pill.hover();
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    );
    expect(await rows.count()).toBe(1);
    await pill.click();
    await expect.poll(() => rows.count()).toBe(2);
    // Where nobody points, the most harmful is first again.
    await page.mouse.move(5, 5);
    await expect.poll(() => rows.first().textContent()).toContain('default/often: touchy failed 2 times');
    await pill.waitFor({ state: 'detached' });
    writeFileSync(marker, '');
    for (const name of ['often', 'once']) {
      const need = rows.filter({ hasText: `default/${name}` });
      await need.getByRole('link').focus();
      await page.keyboard.press('R');
      await need.waitFor({ state: 'detached' });
    }
    // What was done to two runs at once is told once.
    const changes = page.getByRole('listitem').filter({ hasText: /^recover 2 runs/ });
    await changes.getByRole('link', { name: '2 runs' }).waitFor();
  });

  it('keeps stars: more than eight say so, and one that is gone is said to be', async () => {
    const names = Array.from({ length: 9 }, (_, k) => `star-${k}`);
    await server.publish(
      names.map((name) => `name: ${name}\ntasks: [{ name: a, type: noop }]`).join('\n---\n'),
    );
    await server.client.deleteWorkflow({ project: 'default', name: 'star-0' });
    const page = await browsing.open(server.url);
    await page.evaluate(
      (watched) => localStorage.setItem('orrery.preferences', JSON.stringify({ watched })),
      names.map((name) => `default/${name}`),
    );
    await page.reload();
    await page.getByText('8 of 9 are shown').waitFor();
    const starred = (name: string) =>
      page.getByRole('listitem').filter({ hasText: new RegExp(`^default/${name}`) });
    await starred('star-7').waitFor();
    const gone = page.getByRole('listitem').filter({ hasText: 'default/star-0 is not there any more' });
    await gone.waitFor();
    expect(await violations(page)).toEqual([]);
    await gone.getByRole('button', { name: 'Unwatch default/star-0' }).click();
    await starred('star-8').waitFor();
    await gone.waitFor({ state: 'detached' });
    for (const name of names.slice(1)) await server.client.deleteWorkflow({ project: 'default', name });
    await page.close();
    await server.client.savePreferences({ body: {} });
  });

  it('lists at most 20 needs, then how many more there are', async () => {
    const names = Array.from({ length: 23 }, (_, k) => `failing-${String.fromCharCode(97 + k)}`);
    await server.publish(
      names
        .map((name) => `name: ${name}\ntasks: [{ name: only, type: shell, with: { script: exit 1 } }]`)
        .join('\n---\n'),
    );
    for (const name of names) await server.runTo(name, 'failed');
    const page = await browsing.open(server.url);
    await page.getByText('and 3 more like these').waitFor();
    await page.getByRole('heading', { level: 1, name: '23 things need you' }).waitFor();
    await expect
      .poll(() => page.getByRole('region', { name: 'What needs you' }).getByRole('listitem').count())
      .toBe(20);
    await picture(page, 'home-many');
  });

  it('tells what is new since one was here last, in the address', async () => {
    const page = await browsing.open(server.url);
    await page.getByRole('heading', { level: 1, name: '23 things need you' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Since always' }).count()).toBe(0);
    const hours = 3_600_000;
    const wasHere = (ago: number, before: number | null = null) =>
      page.evaluate((visit) => localStorage.setItem('orrery.visit', JSON.stringify(visit)), {
        seen: Date.now() - ago,
        before,
      });
    await wasHere(2 * hours);
    await page.reload();
    await page.getByRole('button', { name: 'Since always' }).click();
    await page.getByRole('menuitem', { name: 'Since last visit' }).click();
    await page.waitForURL(/since=visit/);
    await page.getByRole('heading', { level: 1, name: '23 new things need you' }).waitFor();
    expect(await violations(page)).toEqual([]);
    // As if it had been an hour from now: nothing is newer than that.
    await wasHere(0, Date.now() + hours);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Nothing new needs you' }).waitFor();
    await expect.poll(() => page.getByRole('region', { name: 'What needs you' }).count()).toBe(0);
  });

  it('opens the runs of a range of the chart, by keyboard', async () => {
    const page = await browsing.open(server.url);
    const chart = page.getByRole('slider', { name: 'Runs, last 24 hours' });
    await chart.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+ArrowLeft');
    await expect.poll(() => chart.getAttribute('aria-valuetext')).toMatch(/success/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/runs\?from=.*&to=/);
  });

  it('tells what went wrong in the panel alone, and tries again', async () => {
    const page = await browsing.open(`${server.url}/login`);
    browsing.expectErrors(page, /503|500|403/);
    const problem = {
      type: 'urn:orrery:problem:not-allowed',
      title: 'This is not allowed',
      status: 403,
      detail: 'the role viewer is needed',
      requestId: 'r-7',
    };
    await page.route('**/api/v1/overview*', (route) =>
      route.fulfill({ status: 403, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
    );
    await page.goto(server.url);
    const alert = page.getByRole('alert');
    await alert.getByText('the role viewer is needed').waitFor();
    await expect.poll(() => alert.textContent()).toContain('granted by whoever manages this project');
    await expect.poll(() => page.getByRole('link', { name: 'Workflows' }).isVisible()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await picture(page, 'home-error');
    const asked = page.waitForRequest('**/api/v1/overview*');
    await alert.getByRole('button', { name: 'Retry' }).click();
    await asked;
    await page.unroute('**/api/v1/overview*');
    await retryUntilGone(alert);
    // The same where only the workflows are refused: the rest is there.
    await page.route('**/api/v1/workflows*', (route) =>
      route.fulfill({ status: 403, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
    );
    await page.reload();
    await alert.getByText('the role viewer is needed').waitFor();
    await page.getByRole('region', { name: 'What needs you' }).waitFor();
    await page.unroute('**/api/v1/workflows*');
    await retryUntilGone(alert);
  });

  it('keeps the room of what is loading', async () => {
    const page = await browsing.open(`${server.url}/login`);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/v1/overview*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(server.url);
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'home-loading');
    release();
    await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: /needs? you/i }).waitFor();
  });
});

describe('Home of a quiet system', () => {
  it('says that its only master has fallen silent, though nothing tells of it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'orrery-quiet-'));
    const store = await openSqlite(join(folder, 'orrery.db'));
    // Its last beat is yet to come, so that it is alive while the page opens.
    const now = Date.now() + 15_000;
    await store.joinNode({ id: 'm1', roles: ['master'], address: 'm1:1', info: {}, now });
    await store.close();
    const api = await serveSeed(folder, { console: dist });
    try {
      const page = await browsing.open(api.url);
      await page.getByRole('button', { name: /^live/ }).waitFor();
      await page.getByRole('heading', { name: /Nothing has run yet/ }).waitFor();
      await page.getByRole('listitem').filter({ hasText: 'no master is alive' }).waitFor();
      await page.getByRole('link', { name: /^Home/ }).filter({ hasText: '2' }).waitFor();
      await picture(page, 'home-no-master');
      expect(await violations(page)).toEqual([]);
    } finally {
      await api.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    }
  });
});

describe('Home of a small company', () => {
  let seeded: Seeded;
  beforeAll(async () => {
    seeded = await serve('small');
  });
  afterAll(() => seeded?.stop());

  it.each([
    ['light', 1440, 'en'],
    ['dark', 1440, 'en'],
    ['light', 900, 'en'],
    ['dark', 900, 'en'],
    ['light', 320, 'en'],
    ['light', 1440, 'zh-CN'],
    ['light', 1440, 'x-pseudo'],
  ] as const)(
    'has no violation and no sideways scroll in %s at %i px in %s',
    async (scheme, width, language) => {
      const page = await browsing.open(seeded.url, { scheme, width, language, now: SMALL_NOW });
      await page.getByRole('slider').first().waitFor();
      await picture(page, `home-${scheme}-${width}-${language}`);
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(1);
    },
  );

  it('lists needs the most harmful first, each with its way on', async () => {
    const page = await browsing.open(seeded.url, { now: SMALL_NOW });
    const list = page.getByRole('region', { name: 'What needs you' }).getByRole('listitem');
    await list.first().waitFor();
    const { needs } = (await (await fetch(`${seeded.url}/api/v1/overview`)).json()) as {
      needs: { text: string; address: string }[];
    };
    await expect.poll(() => list.getByRole('link').allTextContents()).toEqual(needs.map(({ text }) => text));
    await expect.poll(() => list.getByRole('link').first().getAttribute('href')).toBe(needs[0].address);
    await expect.poll(() => list.getByRole('button', { name: 'Mute' }).count()).toBe(needs.length);
  });

  it('copies the need, the tick or the workflow in focus, and the page as well', async () => {
    const page = await browsing.open(seeded.url, { now: SMALL_NOW });
    await page.getByRole('slider').first().waitFor();
    const { needs, nextTicks } = (await (await fetch(`${seeded.url}/api/v1/overview`)).json()) as {
      needs: { text: string; address: string; command: string | null }[];
      nextTicks: { schedule: number }[];
    };
    const dialog = page.getByRole('dialog', { name: 'Copy as' });
    const copied = async () => {
      await page.keyboard.press('c');
      await dialog.waitFor();
      const lines = await dialog.getByRole('button').locator('code').allTextContents();
      expect(lines.slice(-2)).toEqual([`${seeded.url}/`, `curl -s ${seeded.url}/api/v1/overview`]);
      return lines.slice(0, -2);
    };
    const done = async () => {
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };
    const at = needs.findIndex(({ command }) => command !== null);
    const list = page.getByRole('region', { name: 'What needs you' }).getByRole('listitem');
    await list.nth(at).getByRole('link').focus();
    expect(await copied()).toEqual([`${seeded.url}${needs[at].address}`, `npx ${needs[at].command}`]);
    await dialog.getByRole('heading', { name: needs[at].text }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'home-copy');
    await done();
    const [{ schedule }] = nextTicks;
    await page.locator(`a[href="/schedules/${schedule}"]`).first().focus();
    expect(await copied()).toEqual([
      `${seeded.url}/schedules/${schedule}`,
      `curl -s ${seeded.url}/api/v1/schedules/${schedule}`,
      `npx orrery schedules ticks ${schedule} --url ${seeded.url}`,
    ]);
    await done();
    await page.getByRole('slider', { name: 'Last runs of' }).first().focus();
    expect((await copied()).at(-1)).toMatch(/^npx orrery run \S+ --url \S+$/);
    await done();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('c');
    await page.getByRole('dialog', { name: 'Copy this page as' }).waitFor();
  });

  it('is narrowed to a project by its address', async () => {
    const page = await browsing.open(seeded.url, { now: SMALL_NOW });
    await page.getByRole('button', { name: 'All projects' }).click();
    await page.getByRole('menuitem', { name: 'etl' }).click();
    await page.waitForURL(/project=etl/);
    await page.getByRole('button', { name: 'etl' }).waitFor();
  });
});
