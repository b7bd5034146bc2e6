import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { type Seeded, serve } from './harness/seeded.ts';
import { greets, Server } from './harness/server.ts';

const browsing = useBrowser();
let server: Server;
let run: number;
beforeAll(async () => {
  server = await Server.start();
  run = await server.runHello();
});
afterAll(() => server?.stop());

const live = (page: Page) => page.getByRole('button', { name: /^live\./ }).waitFor();

describe('a browser that keeps nothing for pages', () => {
  it('shows all of them, and files that come later', async () => {
    const page = await browsing.open(`${server.url}/runs`, {
      prepare: async (opened) => {
        await opened.addInitScript(() => {
          const get = () => {
            throw new DOMException('denied', 'SecurityError');
          };
          for (const name of ['localStorage', 'sessionStorage'])
            Object.defineProperty(globalThis, name, { get });
        });
      },
    });
    await page.getByRole('row', { name: /hello/ }).first().dblclick();
    await page.getByRole('button', { name: /^greet,/ }).waitFor();
    await page.getByText('Timeline', { exact: true }).click();
    await page.getByRole('heading', { level: 1 }).getByText('success').waitFor();
    await page.getByRole('button', { name: 'Language' }).click();
    await page.getByRole('menuitem', { name: '简体中文' }).click();
    await page.getByRole('link', { name: '工作流' }).click();
    await page.getByRole('heading', { level: 1, name: '工作流' }).waitFor();
    await page.getByRole('row', { name: /hello/ }).waitFor();
  });
});

describe('the frame', () => {
  it('has landmarks, one h1 and a way past the navigation', async () => {
    const page = await browsing.open(`${server.url}/workflows`);
    await page.getByRole('heading', { level: 1, name: 'Workflows' }).waitFor();
    await expect.poll(() => page.getByRole('main').count()).toBe(1);
    await expect.poll(() => page.getByRole('banner').count()).toBe(1);
    await expect.poll(() => page.getByRole('navigation', { name: 'Pages' }).count()).toBe(1);
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('content');
    await expect.poll(() => page.title()).toBe('Workflows · Orrery');
  });

  it('narrows its lists to a project, in their addresses', async () => {
    await server.publish(`project: etl\n${greets('nightly')}`);
    const page = await browsing.open(`${server.url}/workflows?q=l`);
    await page.getByRole('row', { name: /hello/ }).waitFor();
    await page.getByRole('button', { name: 'Project: All projects' }).click();
    await page.getByRole('menuitem', { name: 'etl' }).click();
    await page.waitForURL(`${server.url}/workflows?q=l&project=etl`);
    await page.getByRole('row', { name: /hello/ }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /nightly/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'project');
    const nav = page.getByRole('navigation', { name: 'Pages' });
    await nav.getByRole('link', { name: /^Runs/ }).click();
    await page.waitForURL(`${server.url}/runs?project=etl`);
    await page.goto(`${server.url}/runs/${run}`);
    await page.getByRole('button', { name: 'Project: All projects' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or command' }).fill('> only project etl');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.url}/runs?project=etl`);
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.waitForURL(`${server.url}/?project=etl`);
    await page.getByRole('button', { name: 'Project: etl' }).click();
    await page.getByRole('menuitem', { name: 'All projects' }).click();
    await page.waitForURL(`${server.url}/`);
  });

  it('keeps colours, language, zone and folding over a reload', async () => {
    const page = await browsing.open(`${server.url}/workflows`);
    await page.getByRole('button', { name: 'Colours' }).click();
    await page.getByRole('menuitem', { name: 'Dark' }).click();
    await page.getByRole('button', { name: 'Language' }).click();
    await page.getByRole('menuitem', { name: '简体中文' }).click();
    await page.getByRole('heading', { level: 1, name: '工作流' }).waitFor();
    // While a menu is open, letters are for it.
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+b');
    await page.keyboard.press('u');
    await page.keyboard.press('u');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: '工作流' }).waitFor();
    await page.locator('html[lang="zh-CN"][data-mantine-color-scheme="dark"]').waitFor();
    await page.getByRole('button', { name: '时区：UTC' }).waitFor();
    await page.getByRole('button', { name: '展开导航' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'shell-dark-folded-zh-CN');
  });

  it('is the same in another browser of the same person', async () => {
    const page = await browsing.open(`${server.url}/workflows`);
    const { preferences } = await server.client.showMe({});
    expect(preferences).toEqual({});
    await page.getByRole('button', { name: 'Keep default/hello on Home' }).click();
    await page.getByRole('button', { name: 'Colours' }).click();
    await page.getByRole('menuitem', { name: 'Dark' }).click();
    const kept = { console: { theme: 'dark', watched: ['default/hello'] } };
    await expect.poll(async () => (await server.client.showMe({})).preferences).toEqual(kept);
    const other = await browsing.open(`${server.url}/workflows`, { known: true });
    await other.locator('html[data-mantine-color-scheme="dark"]').waitFor();
    const star = other.getByRole('button', { name: 'Keep default/hello on Home', pressed: true });
    await star.click();
    await page.getByRole('button', { name: 'Keep default/hello on Home', pressed: false }).waitFor();
    expect((await server.client.showMe({})).preferences).toMatchObject({ console: { watched: [] } });
  });

  it('stands before anything has answered, and its palette too', async () => {
    const page = await browsing.open(`${server.url}/login`);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/v1/**', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${server.url}/workflows`);
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Workflows' }).waitFor();
    await expect
      .poll(() => page.getByRole('navigation', { name: 'Pages' }).getByRole('link').count())
      .toBeGreaterThan(3);
    expect(await violations(page)).toEqual([]);
    await picture(page, 'shell-loading');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or command' }).fill('runs');
    await page.getByRole('option', { name: /^page Runs/ }).waitFor();
    await page.keyboard.press('Escape');
    release();
    await page.getByRole('row', { name: /hello/ }).waitFor();
    await live(page);
  });

  it('has its navigation in a drawer on a narrow screen', async () => {
    const page = await browsing.open(`${server.url}/workflows`, { width: 600 });
    await page.getByRole('button', { name: 'Open navigation' }).click();
    const drawer = page.getByRole('dialog', { name: 'Pages' });
    await drawer.waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'shell-drawer-600');
    await drawer.getByRole('link', { name: 'Home' }).click();
    await drawer.waitFor({ state: 'detached' });
    await page.waitForURL(({ pathname }) => pathname === '/');
  });

  it('leads any id to its page, and names what is near an address that is wrong', async () => {
    const page = await browsing.open(`${server.url}/go/${run}.greet.1`);
    await page.waitForURL(({ pathname }) => pathname === `/task-runs/${run}.greet`);
    await page.goto(`${server.url}/go/default/hello`);
    await page.waitForURL(`${server.url}/workflows/default/hello`);
    const [node] = (await server.client.listNodes({})).workers;
    await page.goto(`${server.url}/go/${node.id}`);
    await page.waitForURL(({ pathname }) => pathname === `/cluster/nodes/${node.id}`);
    await page.goto(`${server.url}/go/data/logs/hello/${run}/0.1.log`);
    await page.waitForURL(`${server.url}/task-runs/${run}.greet?attempt=1`);
    await page.goto(`${server.url}/go/nothing-is-called-so`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.goto(`${server.url}/workflow`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Workflows' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'not-found');
  });

  it('loads the newer build where a file of its own is gone', async () => {
    const page = await browsing.open(`${server.url}/login`);
    browsing.expectErrors(page, /404/);
    let refused = 0;
    await page.route('**/assets/zh-*', (route) =>
      refused++ === 0 ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.getByRole('heading', { name: 'Sign in to Orrery' }).waitFor();
    await page.evaluate(() => localStorage.setItem('orrery.preferences', '{"language":"zh-CN"}'));
    await page.goto(`${server.url}/workflows`);
    await page.getByRole('heading', { level: 1, name: '工作流' }).waitFor();
    expect(refused).toBeGreaterThan(1);
  });

  /** The server is away, as far as the page can tell; or only the files that it has not loaded yet are. */
  const takeAway = async (page: Page) => {
    const [health, files] = ['**/api/v1/ready', '**/assets/*.js'];
    await page.route(health, (route) => route.abort());
    await page.route(files, (route) => route.abort());
    browsing.expectErrors(page, /ERR_FAILED|Failed to/);
    await page.evaluate(() => Object.assign(window, { notReloaded: true }));
    return { answer: () => page.unroute(health), bringFiles: () => page.unroute(files) };
  };
  const notReloaded = (page: Page) => page.evaluate(() => 'notReloaded' in window);
  const runsLink = (page: Page) => page.getByRole('navigation').getByRole('link', { name: /^Runs/ });

  it('goes on to a page that could not be loaded as soon as the server is back', async () => {
    const page = await browsing.open(`${server.url}/workflows`);
    await page.getByRole('row', { name: /hello/ }).waitFor();
    const away = await takeAway(page);
    await runsLink(page).click();
    await page.waitForURL(/\/runs/);
    await away.bringFiles();
    await away.answer();
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    expect(await notReloaded(page)).toBe(true);
  });

  it('leaves alone who has turned back from a page that is gone, or only pointed at it', async () => {
    const page = await browsing.open(`${server.url}/workflows`);
    await page.getByRole('row', { name: /hello/ }).waitFor();
    const away = await takeAway(page);
    await runsLink(page).hover();
    await runsLink(page).click();
    await page.waitForURL(/\/runs/);
    await page.goBack();
    await page.waitForURL(/\/workflows/);
    await page.keyboard.press('/');
    await page.keyboard.type('half a wo');
    const asked = page.waitForResponse('**/api/v1/ready');
    await away.answer();
    await asked;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await page.keyboard.type('rd');
    expect(await page.getByRole('search').locator('input').inputValue()).toBe('half a word');
    expect(await notReloaded(page)).toBe(true);
    await away.bringFiles();
    await page.keyboard.press('Escape');
    await runsLink(page).click();
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    expect(await notReloaded(page)).toBe(true);
  });

  it('offers to reload when the server brings another build', async () => {
    const page = await browsing.open(`${server.url}/login`);
    await page.route(`${server.url}/`, (route) =>
      route.request().resourceType() === 'fetch'
        ? route.fulfill({
            contentType: 'text/html',
            body: '<script type="module" src="./assets/index-newer.js"></script>',
          })
        : route.continue(),
    );
    await page.goto(`${server.url}/workflows`);
    await page.getByText('The server has a newer console.').waitFor();
    expect(await violations(page)).toEqual([]);
  });
});

describe('live data', () => {
  it('comes by one stream for eight tabs, also when the tab that held it is closed', async () => {
    const first = await browsing.open(`${server.url}/workflows`);
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
    for (let k = 0; k < 7; k++) tabs.push(await browsing.open(`${server.url}/workflows`, { beside: first }));
    for (const tab of tabs) await live(tab);
    await expect.poll(open).toBe(1);
    await first.close();
    const left = tabs.slice(1);
    const id = await server.runTo('hello', 'success');
    for (const tab of left)
      await tab.waitForFunction(
        (text) =>
          document
            .querySelector('[aria-label="Last runs of default/hello"]')
            ?.getAttribute('aria-valuetext')
            ?.startsWith(text),
        `run ${id}, success`,
      );
    await expect.poll(open).toBe(1);
  });

  it('can be frozen and goes on where it was', async () => {
    const page = await browsing.open(`${server.url}/workflows`);
    const bars = page.getByRole('slider', { name: 'Last runs of default/hello' });
    await bars.waitFor();
    await live(page);
    await page.keyboard.press(';');
    await page.getByRole('button', { name: /^frozen/ }).waitFor();
    const before = await bars.getAttribute('aria-valuetext');
    const id = await server.runTo('hello', 'success');
    await expect.poll(() => bars.getAttribute('aria-valuetext')).toBe(before);
    await page.keyboard.press(';');
    await page.waitForFunction(
      (text) =>
        document
          .querySelector('[aria-label="Last runs of default/hello"]')
          ?.getAttribute('aria-valuetext')
          ?.startsWith(text),
      `run ${id}, success`,
    );
  });

  it('says that it is old when the server is gone, and misses nothing when it is back', async () => {
    const page = await browsing.open(`${server.url}/workflows`);
    browsing.expectErrors(page, /ERR_CONNECTION|Failed to load|ERR_EMPTY|ERR_INCOMPLETE/);
    await page.getByRole('row', { name: /hello/ }).waitFor();
    await live(page);
    await server.kill();
    await page.getByRole('button', { name: /reconnecting, data as of/ }).waitFor();
    await expect.poll(() => page.getByRole('row', { name: /hello/ }).isVisible()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await picture(page, 'shell-stale');
    await server.again();
    const id = await server.runTo('hello', 'success');
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
});

describe('while the server is away', () => {
  // As a text: the import is the browser's, not one for the bundler of the tests.
  const OPENED = `Promise.all(performance.getEntriesByType('resource').map(({ name }) => name)
    .filter((name) => /assets\\/page-[^/]*\\.js/.test(name)).map((name) => import(name)))
    .then((pages) => pages.length)`;
  /** How many pages are there, each with all that it imports. */
  const opened = (page: Page) => page.evaluate<number>(OPENED);

  it('pages of the navigation open, say that nobody answers, and fill when somebody does', async () => {
    const page = await browsing.open(`${server.url}/workflows`);
    browsing.expectErrors(page, /ERR_|Failed to load/);
    await live(page);
    await expect.poll(() => opened(page)).toBeGreaterThanOrEqual(2);
    await server.kill();
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    const away = page.getByRole('alert').filter({ hasText: 'No answer from the server' }).first();
    await away.waitFor();
    await expect.poll(() => away.textContent()).toContain('orrery doctor');
    expect(await violations(page)).toEqual([]);
    await picture(page, 'shell-away');
    await server.again();
    await page.getByRole('row', { name: /hello/ }).first().waitFor();
  });

  it('a page that was never opened comes when the server is back', async () => {
    const page = await browsing.open(`${server.url}/workflows`);
    browsing.expectErrors(page, /ERR_|Failed to/);
    await page
      .getByRole('link', { name: /default\/hello|hello/ })
      .first()
      .waitFor();
    await server.kill();
    await page.evaluate((id) => {
      history.pushState({}, '', `/runs/${id}`);
      dispatchEvent(new PopStateEvent('popstate'));
    }, run);
    await server.again();
    await page.getByRole('heading', { level: 1, name: /hello/ }).waitFor();
    // Once more, of another page: that one could be loaded again does not mean that this one cannot.
    await live(page);
    await server.kill();
    await page.evaluate((id) => {
      history.pushState({}, '', `/task-runs/${id}.greet`);
      dispatchEvent(new PopStateEvent('popstate'));
    }, run);
    await server.again();
    await page.getByRole('heading', { level: 1, name: /greet/ }).waitFor();
  });
});

describe('signing in', () => {
  const token = 'a-token-of-the-test-0123456789';
  let seeded: Seeded;
  beforeAll(async () => {
    seeded = await serve('empty', token);
  });
  afterAll(() => seeded?.stop());

  it('asks for a token first, refuses a wrong one, and leads to where one wanted to go', async () => {
    const page = await browsing.open(`${seeded.url}/workflows?q=x`);
    browsing.expectErrors(page, /401/);
    await page.getByRole('heading', { name: 'Sign in to Orrery' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'login');
    await page.getByLabel('Token', { exact: false }).first().fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('does not accept this token').waitFor();
    await page.getByLabel('Token', { exact: false }).first().fill(token);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${seeded.url}/workflows?q=x`);
    await page.getByRole('heading', { level: 1, name: 'Workflows' }).waitFor();
    expect(await page.evaluate(() => document.cookie)).toBe('');
  });

  it('does not say that one is signed out while one is not', async () => {
    const page = await browsing.open(`${seeded.url}/login?to=/workflows`);
    browsing.expectErrors(page, /401|422|ERR_FAILED/);
    await page.getByLabel('Token', { exact: false }).first().fill(token);
    await page.keyboard.press('Enter');
    const signOut = async () => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search or command' }).fill('> sign out');
      await page.getByRole('option', { name: /Sign out/ }).waitFor();
      await page.keyboard.press('Enter');
    };
    await page.getByRole('heading', { level: 1, name: 'Workflows' }).waitFor();
    await page.route('**/api/v1/session', (route) => route.abort());
    await signOut();
    await page.getByText(/^Not signed out: /).waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.unroute('**/api/v1/session');
    await signOut();
    await page.getByRole('dialog', { name: /session has ended/ }).waitFor();
  });

  it('again after it has ended keeps what was typed', async () => {
    const page = await browsing.open(`${seeded.url}/login?to=/workflows?open=new`);
    browsing.expectErrors(page, /401|422/);
    await page.getByLabel('Token', { exact: false }).first().fill(token);
    await page.keyboard.press('Enter');
    const typed = 'name: half-written\n';
    const source = page.getByRole('dialog', { name: 'Publish workflows' }).getByRole('textbox');
    await source.fill(typed);
    await page.context().clearCookies();
    await source.press('End');
    await source.pressSequentially('#');
    const again = page.getByRole('dialog', { name: /session has ended/ });
    await again.waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'login-again');
    await again.getByLabel('Token', { exact: false }).first().fill(token);
    await page.keyboard.press('Enter');
    await again.waitFor({ state: 'detached' });
    await expect.poll(() => source.inputValue()).toContain('half-written');
  });
});
