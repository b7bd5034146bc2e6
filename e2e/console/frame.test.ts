import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { type FaultyWay, startProxy } from './harness/proxy.ts';
import { type Seeded, serve } from './harness/seeded.ts';
import { Server } from './harness/server.ts';

const browsing = useBrowser();
let server: Server;
let run: number;
beforeAll(async () => {
  server = await Server.start();
  run = await server.runHello();
  await server.publish('name: sleeper\ntasks: [{ name: nap, type: shell, with: { script: sleep 300 } }]');
});
afterAll(() => server?.stop());

const live = (page: Page) => page.getByRole('button', { name: /^live\./ }).waitFor();
const palette = async (page: Page, typed: string) => {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or command' }).fill(typed);
};
const sizeOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).first().boundingBox();
  return Math.min(box?.width ?? 0, box?.height ?? 0);
};

describe('the stream of events', () => {
  let proxy: FaultyWay;
  beforeAll(async () => {
    proxy = await startProxy(server.url);
  });
  afterAll(() => proxy?.stop());

  it('cut alone, is told of and taken up again, while everything else goes on', async () => {
    const page = await browsing.open(`${proxy.url}/workflows`);
    browsing.expectErrors(page, /ERR_|Failed to load/);
    await page.getByRole('row', { name: /hello/ }).waitFor();
    await live(page);
    proxy.cutStreams();
    await page.getByRole('button', { name: /^reconnecting, data as of \d\d:\d\d:\d\d UTC/ }).waitFor();
    await palette(page, 'sleep');
    await page.getByRole('option', { name: /^workflow default\/sleeper/ }).waitFor();
    await page.keyboard.press('Escape');
    const id = await server.runTo('hello', 'success');
    proxy.mendStreams();
    await live(page);
    await page.waitForFunction(
      (text) =>
        document
          .querySelector('[aria-label="Last runs of default/hello"]')
          ?.getAttribute('aria-valuetext')
          ?.startsWith(text),
      `run ${id}, success`,
    );
  });

  it('says what helps also where there is data, and says it on a narrow screen', async () => {
    const page = await browsing.open(`${proxy.url}/workflows`, { width: 600 });
    browsing.expectErrors(page, /ERR_|Failed to load/);
    await page.getByRole('row', { name: /hello/ }).waitFor();
    await live(page);
    proxy.cutStreams();
    const badge = page.getByRole('button', { name: /^reconnecting, data as of/ });
    await badge.getByText(/data as of \d\d:\d\d:\d\d UTC/).waitFor();
    await badge.click();
    await page.getByText('orrery doctor').waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'live-panel-600');
    proxy.mendStreams();
    await page.getByText('orrery doctor').waitFor({ state: 'detached' });
    await page.keyboard.press(';');
    await page.getByRole('button', { name: /^frozen since \d\d:\d\d:\d\d UTC/ }).waitFor();
  });
});

describe('a slow server', () => {
  it('of 30 s an answer leaves the frame at work, and its answer comes', async () => {
    const prepare = async (page: Page) => {
      await page.route('**/api/v1/workflows?**', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 30_000));
        await route.continue();
      });
    };
    const page = await browsing.open(`${server.url}/workflows`, { prepare });
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    await live(page);
    await palette(page, 'sleep');
    await page.getByRole('option', { name: /^workflow default\/sleeper/ }).waitFor();
    await page.keyboard.press('Escape');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('row', { name: /hello/ }).waitFor();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });
});

describe('a page that is not from a secure origin', () => {
  // As a browser has it there: neither a clipboard nor locks.
  const insecure = async (page: Page) => {
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
      Object.defineProperty(navigator, 'locks', { value: undefined });
    });
  };

  it('copies all the same', async () => {
    const page = await browsing.open(`${server.url}/runs/${run}`, { prepare: insecure });
    await page.getByRole('heading', { level: 1, name: /hello/ }).waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Copy this page as' });
    await dialog.getByRole('button', { name: /^Command/ }).click();
    await page.getByText(`Copied: npx orrery runs show ${run} --url ${server.url}`).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await palette(page, '');
    await page.keyboard.press('Control+v');
    const box = page.getByRole('combobox', { name: 'Search or command' });
    await expect.poll(() => box.inputValue()).toBe(`npx orrery runs show ${run} --url ${server.url}`);
  });

  it('shares one stream among its tabs', async () => {
    const first = await browsing.open(`${server.url}/workflows`, { prepare: insecure });
    const streams = new Set<Request>();
    const context = first.context();
    context.on('request', (request) => {
      if (request.url().includes('/api/v1/events')) streams.add(request);
    });
    context.on('requestfinished', (request) => streams.delete(request));
    context.on('requestfailed', (request) => streams.delete(request));
    const open = () => [...streams].filter((request) => !request.frame().page().isClosed()).length;
    await first.reload();
    const tabs = [first];
    for (let k = 0; k < 3; k++)
      tabs.push(await browsing.open(`${server.url}/workflows`, { beside: first, prepare: insecure }));
    for (const tab of tabs) await live(tab);
    await expect.poll(open).toBe(1);
    await first.close();
    for (const tab of tabs.slice(1)) await live(tab);
    await expect.poll(open, { timeout: 20_000 }).toBe(1);
  });
});

describe('everyone', () => {
  it('can hit what is small, sees what is chosen in forced colours, and is spared motion', async () => {
    const page = await browsing.open(`${server.url}/runs?state=success`);
    await page.getByRole('row', { name: /hello/ }).first().waitFor();
    expect(await sizeOf(page, '[role="row"] label:has(input[type="checkbox"])')).toBeGreaterThanOrEqual(24);
    expect(await sizeOf(page, 'button[aria-label^="Remove filter"]')).toBeGreaterThanOrEqual(24);
    await page
      .locator('[role="row"] label:has(input[type="checkbox"])')
      .nth(1)
      .click({ position: { x: 2, y: 2 } });
    await expect.poll(() => page.getByRole('row', { selected: true }).count()).toBe(1);
    await page.emulateMedia({ forcedColors: 'active' });
    await palette(page, '');
    const chosen = page.getByRole('option', { selected: true });
    await expect.poll(() => chosen.evaluate((entry) => getComputedStyle(entry).outlineStyle)).toBe('solid');
    await page.emulateMedia({ forcedColors: 'none' });
    const { id } = await server.client.startRun({ body: { workflow: 'sleeper' } });
    await server.reaches(id, 'running');
    await page.goto(`${server.url}/runs/${id}?view=graph`);
    const sheen = page.locator('[class*="_sheen_"]').first();
    await sheen.waitFor({ state: 'attached' });
    const motion = () => sheen.evaluate((element) => getComputedStyle(element, '::after').animationName);
    expect(await motion()).toBe('none');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await expect.poll(motion).not.toBe('none');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await server.client.stopRun({ id, body: {} });
  });

  it('is told of notices one at a time', async () => {
    const page = await browsing.open(`${server.url}/runs/${run}?view=table`);
    await page.getByRole('heading', { level: 1, name: /hello/ }).waitFor();
    const region = page.getByRole('region', { name: 'Notices' });
    expect(await region.getAttribute('aria-busy')).toBe('false');
    // Written down as it changes: it is so for some seconds only.
    await region.evaluate((element) => {
      const busy: (string | null)[] = [];
      Object.assign(globalThis, { busy });
      new MutationObserver(() => busy.push(element.getAttribute('aria-busy'))).observe(element, {
        attributeFilter: ['aria-busy'],
      });
    });
    await page.keyboard.press('y');
    await region.getByText('Copied: ').waitFor();
    expect(await sizeOf(page, 'button[aria-label="Dismiss"]')).toBeGreaterThanOrEqual(24);
    await expect.poll(() => page.evaluate('busy')).toEqual(['true', 'false']);
  });

  it('reads in Chinese why something is not allowed', async () => {
    const page = await browsing.open(`${server.url}/runs/${run}`, { language: 'zh-CN' });
    const stop = page.getByRole('button', { name: '停止' }).first();
    await expect.poll(() => stop.getAttribute('aria-description')).toBe('运行已结束');
    await page.keyboard.press('.');
    await page.getByRole('option', { name: /停止.*运行已结束/ }).waitFor();
  });
});

describe('below a base path', () => {
  let seeded: Seeded;
  beforeAll(async () => {
    seeded = await serve('small', undefined, '/tools/orrery');
  });
  afterAll(() => seeded?.stop());

  it('every address, request and link is below it', async () => {
    const home = `${new URL(seeded.url).origin}/tools/orrery`;
    const page = await browsing.open(`${home}/workflows`);
    const outside: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(`${home}/`) && !request.url().startsWith('data:'))
        outside.push(request.url());
    });
    await page.reload();
    await page.getByRole('row').nth(1).waitFor();
    const nav = page.getByRole('navigation', { name: 'Pages' });
    await nav.locator('[aria-current="page"]', { hasText: 'Workflows' }).waitFor();
    await live(page);
    await nav.getByRole('link', { name: /^Runs/ }).click();
    await page.waitForURL(`${home}/runs`);
    await page.getByRole('row').nth(1).waitFor();
    await page.getByRole('button', { name: 'Project: All projects' }).click();
    await page.getByRole('menuitem', { name: 'etl' }).click();
    await page.waitForURL(`${home}/runs?project=etl`);
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.waitForURL(`${home}/?project=etl`);
    await palette(page, 'etl/');
    await page
      .getByRole('option', { name: /^workflow etl\// })
      .first()
      .click();
    await page.waitForURL(({ pathname }) => pathname.startsWith('/tools/orrery/workflows/etl/'));
    // A run that is not there: its page says so.
    browsing.expectErrors(page, /404/);
    await page.goto(`${home}/go/1`);
    await page.waitForURL(`${home}/runs/1`);
    await page.goto(`${home}/nowhere`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(outside).toEqual([]);
  });
});

describe('a viewer', () => {
  const token = 'an-admin-of-the-test-0123456789';
  let seeded: Seeded;
  let viewer: string;
  beforeAll(async () => {
    seeded = await serve('small', token);
    const made = await fetch(`${seeded.url}/api/v1/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ name: 'onlooker', role: 'viewer', project: 'etl' }),
    });
    ({ token: viewer } = (await made.json()) as { token: string });
  });
  afterAll(() => seeded?.stop());

  it('sees who may do what they may not, and what is not theirs is refused by name', async () => {
    const page = await browsing.open(`${seeded.url}/login?to=/workflows`);
    browsing.expectErrors(page, /401|403/);
    await page.getByLabel('Token', { exact: false }).first().fill(viewer);
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /etl\// }).first().waitFor();
    await page.keyboard.press('j');
    await palette(page, '> run');
    const action = page.getByRole('option', { name: /needs the role operator; an admin can give it to you/ });
    await expect.poll(() => action.first().getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await expect
      .poll(() => page.getByText('curl -s -H "Authorization: Bearer $ORRERY_TOKEN"').count())
      .toBe(2);
    await page.keyboard.press('Escape');
    await page.goto(`${seeded.url}/?project=other`);
    const alert = page.getByRole('alert').first();
    await alert.getByText('This is not allowed').waitFor();
    await alert.getByText(/your token is for project etl alone/).waitFor();
    await alert.getByText('A role that may do this can be granted').waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'viewer-403');
  });
});
