/** The console by keys alone: palette, shortcuts, and where the focus is. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
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

describe('the palette', () => {
  it('has the actions of a page also where it was opened before that was read', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const page = await browsing.open(`${server.url}/runs/${run}`, {
      prepare: async (opened) => {
        await opened.route(`**/api/v1/runs/${run}`, (route) => released.then(() => route.continue()));
      },
    });
    await page.getByRole('button', { name: 'Language' }).waitFor();
    await page.keyboard.press('.');
    await page.getByRole('combobox', { name: 'Search or command' }).fill('> rerun');
    expect(await page.getByRole('option', { name: /Rerun/ }).count()).toBe(0);
    release();
    await page.getByRole('option', { name: /Rerun/ }).waitFor();
  });

  it('opens the page of any pasted id', async () => {
    const ids = [
      [`${run}`, `/runs/${run}`],
      [`${run}.greet`, `/task-runs/${run}.greet`],
      [`${run}.greet.1`, `/task-runs/${run}.greet`],
    ];
    const page = await browsing.open(`${server.url}/workflows`);
    await page.getByRole('heading', { name: 'Workflows' }).waitFor();
    for (const [id, path] of ids) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search or command' }).fill(id);
      await page.keyboard.press('Enter');
      await page.waitForURL(({ pathname }) => pathname === path);
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or command' }).fill('default/hello');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.url}/workflows/default/hello`);
    await page.getByRole('heading', { level: 1, name: /default\/hello/ }).waitFor();
  });

  it('holds what menus do, lists nodes and the last ids, and finds names by their letters', async () => {
    const page = await browsing.open(`${server.url}/runs/${run}?view=table`);
    await page.getByRole('heading', { level: 1, name: /hello/ }).waitFor();
    const ask = async (typed: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search or command' }).fill(typed);
    };
    await ask('hlo');
    await page.getByRole('option', { name: /^workflow default\/hello/ }).waitFor();
    await page.keyboard.press('Escape');
    await ask('@');
    await page.getByRole('option', { name: /^worker / }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(({ pathname }) => pathname.startsWith('/cluster/nodes/'));
    await ask('#');
    await page
      .getByRole('option', { name: new RegExp(`^run run ${run} of default/hello|^recent `) })
      .first()
      .waitFor();
    await picture(page, 'palette-ids');
    await page.keyboard.press('Escape');
    await ask('> colours dark');
    await page.keyboard.press('Enter');
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
    await ask('> 简体');
    await page.keyboard.press('Enter');
    await page.locator('html[lang="zh-CN"]').waitFor();
  });

  it('does not say that there is nothing while it is looking, and says when nobody answers', async () => {
    const page = await browsing.open(`${server.url}/workflows`);
    browsing.expectErrors(page, /503|404/);
    await page.getByRole('row', { name: /hello/ }).waitFor();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let failing = false;
    await page.route('**/api/v1/search?**', async (route) => {
      await held;
      await (failing ? route.fulfill({ status: 503 }) : route.continue());
    });
    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox', { name: 'Search or command' });
    await box.fill('zzz-nothing');
    await page.getByText('Looking…').waitFor();
    await expect.poll(() => page.getByText('Nothing found').count()).toBe(0);
    release();
    await page.getByText('Nothing found').waitFor();
    failing = true;
    await box.fill('zzz-nobody');
    await page.getByText('The server did not answer').waitFor();
    await box.fill('why 4711.nothing');
    await page.getByText('Nothing that could wait has the id 4711.nothing').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('finds names on the server, lists actions with their keys, and answers why in place', async () => {
    const page = await browsing.open(`${server.url}/workflows`);
    await page.getByRole('row', { name: /hello/ }).waitFor();
    await page.getByRole('button', { name: 'Search or command' }).click();
    const box = page.getByRole('combobox', { name: 'Search or command' });
    await box.fill('hell');
    await page.getByRole('option', { name: /hello/ }).first().waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'palette');
    await box.fill('> fold');
    await page.getByRole('option', { name: /Fold navigation/ }).waitFor();
    await box.fill(`why ${run}`);
    await page.getByText('success').first().waitFor();
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'detached' });
  });
});

describe('keys', () => {
  it('go to pages, list themselves, and can be turned off', async () => {
    const page = await browsing.open(server.url);
    await page.getByRole('button', { name: /^live\./ }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    await page.waitForURL(`${server.url}/workflows`);
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keys' });
    await list.getByText('go to Home').waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'keys');
    await list.getByRole('switch', { name: /Keys without a modifier/ }).click();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or command' }).waitFor();
    expect(page.url()).toBe(`${server.url}/workflows`);
  });

  it('copy the page as a link, as a request and as a command', async () => {
    const page = await browsing.open(`${server.url}/runs/${run}?view=table`);
    await page.getByRole('row', { name: /^greet/ }).waitFor();
    const copied = async (way: RegExp) => {
      await page.keyboard.press('c');
      const dialog = page.getByRole('dialog', { name: 'Copy this page as' });
      await dialog.getByRole('button', { name: way }).click();
      await dialog.waitFor({ state: 'detached' });
      const notice = page.getByRole('region', { name: 'Notices' });
      const said = await notice.getByText('Copied: ').last().textContent();
      // It goes by itself too, some seconds later.
      await expect
        .poll(async () => {
          const dismiss = notice.getByRole('button', { name: 'Dismiss' }).first();
          await dismiss.click({ timeout: 1_000 }).catch(() => {});
          return notice.getByText('Copied: ').count();
        })
        .toBe(0);
      const text = await page.evaluate(() => navigator.clipboard.readText());
      expect(said).toBe(`Copied: ${text}`);
      return text;
    };
    expect(await copied(/^Link/)).toBe(`${server.url}/runs/${run}?view=table`);
    const [, address] = /^curl -s (\S+)$/.exec(await copied(/^Request/)) ?? [];
    expect(await (await fetch(address)).json()).toMatchObject({ id: run });
    expect(await copied(/^Command/)).toBe(`npx orrery runs show ${run} --url ${server.url}`);
    await page.keyboard.press('c');
    await page.getByRole('dialog', { name: 'Copy this page as' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'copy');
  });

  it('list the actions of the page, with what keeps one from them', async () => {
    const page = await browsing.open(`${server.url}/runs/${run}?view=table`);
    await page.getByRole('row', { name: /^greet/ }).waitFor();
    await page.keyboard.press('.');
    await page.getByRole('option', { name: /Rerun/ }).first().waitFor();
    const stop = page.getByRole('option', { name: /^action Stop/ });
    await expect.poll(() => stop.getAttribute('aria-disabled')).toBe('true');
    await expect.poll(() => page.getByRole('option', { name: /^page/ }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
  });

  it('never act while someone types', async () => {
    const page = await browsing.open(`${server.url}/workflows`);
    const field = page.getByPlaceholder(/^filter/);
    await field.fill('g');
    await page.keyboard.type('h?;u');
    await expect.poll(() => field.inputValue()).toBe('gh?;u');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });
});

describe('the focus', () => {
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

  it('goes back to where it was when a dialog is closed, whichever way it was opened', async () => {
    const page = await browsing.open(`${server.url}/runs`);
    await page.getByRole('row', { name: /hello/ }).first().waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Home' }).focus();
    for (const [keys, name] of [
      ['?', 'Keys'],
      ['c', 'Copy this page as'],
      ['Control+k', 'Search or command'],
    ]) {
      await page.keyboard.press(keys);
      await page.getByRole('dialog', { name }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expect.poll(() => focused(page)).toContain('Home');
    }
    // One dialog after another: what had the focus on the page is meant.
    await page.keyboard.press('.');
    await page.getByRole('option', { name: /Copy this page as/ }).click();
    await page.getByRole('dialog', { name: 'Copy this page as' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toContain('Home');
    const columns = page.getByRole('button', { name: 'Columns' });
    await columns.press('Enter');
    await page.getByRole('menuitem', { name: /^Another parameter/ }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe(await columns.textContent());
  });

  it('stays, as all that is shown does, while another language is loaded', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const page = await browsing.open(`${server.url}/workflows`, {
      prepare: async (opened) => {
        await opened.route('**/assets/zh*', (route) => released.then(() => route.continue()));
      },
    });
    await page.getByRole('row', { name: /hello/ }).waitFor();
    await page.getByRole('button', { name: 'Language' }).click();
    const asked = page.waitForRequest('**/assets/zh*');
    await page.getByRole('menuitem', { name: '简体中文' }).click();
    await asked;
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Workflows' }).waitFor();
    release();
    await page.getByRole('heading', { level: 1, name: '工作流' }).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('语言');
  });

  it('stays in a dialog when another page comes behind it', async () => {
    const page = await browsing.open(`${server.url}/runs`);
    await page.getByRole('row', { name: /hello/ }).first().waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Workflows' }).click();
    await page.getByRole('heading', { level: 1, name: 'Workflows' }).waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.locator(':focus').waitFor();
    await page.goBack();
    await page.getByRole('row', { name: /hello/, includeHidden: true }).first().waitFor();
    expect(await dialog.locator(':focus').count()).toBe(1);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('goes to the page where that is gone', async () => {
    const page = await browsing.open(`${server.url}/runs/${run}?view=table`);
    const isOnMain = () => page.evaluate(() => document.activeElement === document.querySelector('main'));
    const inspector = page.getByRole('complementary', { name: 'Details of greet' });
    const close = inspector.getByRole('button', { name: 'Close' });
    await page.getByRole('row', { name: /^greet/ }).click();
    await close.focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.goBack();
    await inspector.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(isOnMain).toBe(true);
    await page.getByRole('row', { name: /^greet/ }).click();
    await close.press('Enter');
    await inspector.waitFor({ state: 'detached' });
    await expect.poll(isOnMain).toBe(true);
  });
});
