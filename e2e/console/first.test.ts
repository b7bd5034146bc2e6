/** What stands on screen before the scripts have run, and what is asked for meanwhile. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { Server } from './harness/server.ts';

const browsing = useBrowser();
let server: Server;
let run: number;
beforeAll(async () => {
  server = await Server.start();
  run = await server.runHello();
});
afterAll(() => server?.stop());

/** Keeps the scripts of the console back until the returned function is called. */
async function holdScripts(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/assets/{index,libraries}-*.js', async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** Opens an address in a page that was somewhere else of the console before. */
async function goWithHeldScripts(page: Page, path: string): Promise<() => void> {
  const release = await holdScripts(page);
  await page.goto(`${server.url}${path}`, { waitUntil: 'commit' });
  await page.locator('.frame').waitFor({ state: 'attached' });
  return release;
}

const live = (page: Page) => page.getByRole('button', { name: /^live\./ }).waitFor();
const box = (page: Page, selector: string) => page.locator(selector).first().boundingBox();

describe('before any script of the console has run', () => {
  it.each([
    ['light', {}, 184],
    ['dark', {}, 184],
    ['light', { theme: 'dark', navFolded: true }, 49],
  ] as const)('the frame stands, in a %s system with %o', async (scheme, kept, width) => {
    const page = await browsing.open(`${server.url}/login`, { scheme });
    await page.evaluate((text) => localStorage.setItem('orrery.preferences', text), JSON.stringify(kept));
    const release = await goWithHeldScripts(page, '/');
    await page.locator('.frame-brand svg').waitFor();
    const dark = scheme === 'dark' || 'theme' in kept;
    await page.locator(`html[data-mantine-color-scheme="${dark ? 'dark' : 'light'}"]`).waitFor();
    const ground = await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
    expect(ground).toBe(dark ? 'rgb(20, 23, 28)' : 'rgb(255, 255, 255)');
    const before = await box(page, '.frame-nav');
    expect(before?.width).toBe(width);
    await picture(page, `first-paint-${dark ? 'dark' : 'light'}${width === 49 ? '-folded' : ''}`);
    release();
    await live(page);
    expect(await box(page, 'nav')).toEqual(before);
    await expect.poll(() => page.locator('.frame').count()).toBe(0);
  });

  it('its place is taken without anything moving', async () => {
    const page = await browsing.open(`${server.url}/login`);
    const release = await goWithHeldScripts(page, '/');
    await page.evaluate(() => {
      const seen = { shift: 0 };
      Object.assign(globalThis, { seen });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[])
          seen.shift += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    release();
    await live(page);
    await page.getByText('default/hello').first().waitFor();
    expect(await page.evaluate<number>('seen.shift')).toBeLessThan(0.02);
  });

  it('there is no frame where one signs in, nor its navigation on a narrow screen', async () => {
    const page = await browsing.open(`${server.url}/login`, { width: 600 });
    const release = await goWithHeldScripts(page, '/login');
    await expect.poll(() => page.locator('.frame').isVisible()).toBe(false);
    release();
    await page.getByRole('heading', { name: 'Sign in to Orrery' }).waitFor();
    await page.unrouteAll();
    await goWithHeldScripts(page, '/');
    await page.locator('.frame-header').waitFor();
    expect(await page.locator('.frame-nav').isVisible()).toBe(false);
  });
});

describe('what a page needs', () => {
  it.each(['/', '/workflows', '/runs', '/runs/RUN', '/task-runs/RUN.greet', '/login'])(
    'is asked for before its scripts are there, and used: %s',
    async (path) => {
      const page = await browsing.open(`${server.url}/login`);
      await page.getByRole('heading', { name: 'Sign in to Orrery' }).waitFor();
      const asked: string[] = [];
      const files: string[] = [];
      page.on('request', (request) => {
        const { pathname, search } = new URL(request.url());
        if (pathname.startsWith('/api/v1/')) asked.push(`${pathname.slice(7)}${search}`);
        if (pathname.endsWith('.js')) files.push(pathname);
      });
      const release = await goWithHeldScripts(page, path.replace('RUN', `${run}`));
      await expect.poll(() => files.length).toBeGreaterThanOrEqual(3);
      const early = path === '/login' ? [] : ['/me', '/overview'];
      await expect.poll(() => asked.slice(0, 2)).toEqual(early);
      release();
      if (path === '/login') await page.getByRole('heading', { name: 'Sign in to Orrery' }).waitFor();
      else await live(page);
      await page.locator('h1').waitFor();
      await expect
        .poll(() => page.evaluate(() => (globalThis as never as WithEarly).orreryEarly.answers.size))
        .toBe(0);
    },
  );

  it('comes in Chinese at once where that is spoken', async () => {
    const page = await browsing.open(`${server.url}/login`, { language: 'zh-CN' });
    const wanted = page.waitForRequest('**/assets/zh-*.js');
    const release = await goWithHeldScripts(page, '/workflows');
    await wanted;
    release();
    await page.getByRole('heading', { level: 1, name: '工作流' }).waitFor();
  });

  it('is not older than what other tabs said meanwhile', async () => {
    const first = await browsing.open(server.url);
    await live(first);
    const other = await browsing.open(`${server.url}/login`, { beside: first });
    const answered = other.waitForResponse('**/api/v1/workflows?**');
    const release = await goWithHeldScripts(other, '/');
    await answered;
    const id = await server.runTo('hello', 'success');
    const bars = (page: Page) => page.getByRole('slider', { name: 'Last runs of hello' });
    const shown = (page: Page) => bars(page).getAttribute('aria-valuetext');
    await expect.poll(() => shown(first)).toMatch(new RegExp(`^run ${id}, success`));
    release();
    await expect.poll(() => shown(other)).toMatch(new RegExp(`^run ${id}, success`));
  });
});

interface WithEarly {
  readonly orreryEarly: { readonly answers: Map<string, unknown> };
}
