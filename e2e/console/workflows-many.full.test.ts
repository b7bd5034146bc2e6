/** The list of a thousand workflows, and a server that refuses it or is slow. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { retryUntilGone } from './harness/retry.ts';
import { Server } from './harness/server.ts';

let server: Server;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start();
  await server.publish('name: plain\ntasks: [{ name: only, type: noop }]');
});
afterAll(() => server?.stop());

describe('a thousand workflows', () => {
  beforeAll(async () => {
    const one = (k: number) =>
      `project: many\nname: w${String(k).padStart(4, '0')}\nschedules: [{ name: yearly, cron: '0 3 1 1 *' }]\ntasks: [{ name: only, type: noop }]\n`;
    // A hundred at a time: one request for all of them would take longer than a client waits where much else is done.
    for (let first = 0; first < 1_000; first += 100)
      await server.publish(Array.from({ length: 100 }, (_, k) => one(first + k)).join('---\n'));
  });

  it('open as fast as a few: only rows in view exist, and further pages come as one goes on', async () => {
    const page = await browsing.open(`${server.url}/login`);
    const further: string[] = [];
    page.on('request', (request) => {
      if (/\/api\/v1\/workflows.*after=/.test(request.url())) further.push(request.url());
    });
    await page.goto(`${server.url}/workflows?project=many`);
    await page.getByRole('row', { name: /many\/w0000/ }).waitFor();
    expect(further).toEqual([]);
    await expect.poll(() => page.getByRole('row').count()).toBeLessThan(80);
    await picture(page, 'workflows-many');
    const focused = (name: string) =>
      page.getByRole('row', { name: new RegExp(`many/${name}`) }).and(page.locator(':focus'));
    await page.keyboard.press('j');
    await focused('w0000').waitFor();
    for (const last of ['w0049', 'w0099', 'w0149']) {
      await page.keyboard.press('End');
      await focused(last).waitFor();
      const loaded = Number(last.slice(1)) + 1;
      await page.waitForFunction(
        (rows) => Number(document.querySelector('[role="grid"]')?.getAttribute('aria-rowcount')) > rows,
        loaded + 1,
      );
    }
    expect(further.length).toBeGreaterThan(2);
    await expect.poll(() => page.getByRole('row').count()).toBeLessThan(80);
    expect(await violations(page)).toEqual([]);
  });

  it.each([
    ['schedules', '/schedules?project=many', /many\/w0000 yearly/],
    ['entries of the audit', '/audit?action=workflow.publish', /workflow.publish many\/w0999/],
  ])('have as many %s, of which a page at a time is read', async (_what, address, first) => {
    const page = await browsing.open(`${server.url}${address}`);
    await page.getByRole('row', { name: first }).waitFor();
    await page.keyboard.press('j');
    for (const loaded of [50, 100, 150]) {
      await page.waitForFunction(
        (rows) => Number(document.querySelector('[role="grid"]')?.getAttribute('aria-rowcount')) > rows,
        loaded,
      );
      await page.keyboard.press('End');
      await expect.poll(() => page.getByRole('row').count()).toBeLessThan(80);
    }
    expect(await violations(page)).toEqual([]);
  });

  it('say at their end what went wrong with the next page, and ask again only when told to', async () => {
    const page = await browsing.open(`${server.url}/login`);
    browsing.expectErrors(page, /500/);
    let asked = 0;
    await page.route('**/api/v1/workflows*after=*', (route) => {
      asked++;
      return route.fulfill({
        status: 500,
        contentType: 'application/problem+json',
        body: JSON.stringify({
          type: 'urn:orrery:problem:defect',
          title: 'Something went wrong in Orrery',
          status: 500,
          detail: 'recorded',
          requestId: 'r-2',
        }),
      });
    });
    await page.goto(`${server.url}/workflows?project=many`);
    await page.getByRole('row', { name: /many\/w0000/ }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('End');
    const alert = page.getByRole('alert');
    await alert.getByText('Something went wrong in Orrery').waitFor();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(asked).toBe(1);
    expect(await violations(page)).toEqual([]);
    await picture(page, 'workflows-refused-page');
    await page.unroute('**/api/v1/workflows*after=*');
    await alert.getByRole('button', { name: 'Retry' }).click();
    await alert.waitFor({ state: 'detached' });
    await page.waitForFunction(
      () => Number(document.querySelector('[role="grid"]')?.getAttribute('aria-rowcount')) > 52,
    );
  });

  it('are found by a few letters, on the server', async () => {
    const page = await browsing.open(`${server.url}/workflows?project=many&q=w77`);
    await page.getByRole('row', { name: /many\/w0770/ }).waitFor();
    const names = await page.getByRole('row').allTextContents();
    expect(names.slice(1).every((name) => /w.*7.*7/.test(name))).toBe(true);
  });
});

describe('when the server refuses', () => {
  it('the panel says why and tries again, and the rest of the page works', async () => {
    const page = await browsing.open(`${server.url}/login`);
    browsing.expectErrors(page, /500/);
    const problem = {
      type: 'urn:orrery:problem:defect',
      title: 'Something went wrong in Orrery',
      status: 500,
      detail: 'recorded under the request id',
      requestId: 'r-1',
    };
    await page.route('**/api/v1/workflows*', (route) =>
      route.fulfill({ status: 500, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
    );
    await page.goto(`${server.url}/workflows`);
    const alert = page.getByRole('alert');
    await alert.getByText('Something went wrong in Orrery').waitFor();
    await expect.poll(() => alert.textContent()).toContain('request r-1');
    expect(await violations(page)).toEqual([]);
    await picture(page, 'workflows-error');
    await page.unroute('**/api/v1/workflows*');
    await retryUntilGone(alert);
    await page.getByRole('row', { name: /plain/ }).waitFor();
  });

  it('a slow answer is waited for in the shape of what comes', async () => {
    const page = await browsing.open(`${server.url}/login`);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/v1/workflows*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${server.url}/workflows`);
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'workflows-loading');
    release();
    await page.getByRole('row', { name: /plain/ }).waitFor();
    await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
  });
});
