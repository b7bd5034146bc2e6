/** The page of a run when parts of it are not answered, or not yet. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { retryUntilGone } from './harness/retry.ts';
import { Server } from './harness/server.ts';

let server: Server;
let id: number;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start();
  await server.publish(`
name: orders
project: etl
tasks:
  - { name: load, type: shell, retries: { limit: 1, delay: 100ms }, with: { script: "exit 7" } }
  - { name: report, type: noop, needs: [load] }
---
name: long
project: etl
tasks: [{ name: work, type: shell, with: { script: sleep 600 } }]
`);
  id = await server.runTo('etl/orders', 'failed');
});
afterAll(() => server?.stop());

/** Opens the run while one address is refused; what is returned lets it be answered. */
async function openRefused(
  query: string,
  refused: string,
): Promise<{ page: Page; mend: () => Promise<void> }> {
  const page = await browsing.open(`${server.url}/runs/${id}${query}`, {
    prepare: async (opened) => {
      browsing.expectErrors(opened, /500/);
      const json = { title: 'internal error', status: 500, detail: 'it broke', requestId: 'r-1' };
      await opened.route(refused, (route) =>
        route.fulfill({ status: 500, contentType: 'application/problem+json', json }),
      );
    },
  });
  return { page, mend: () => page.unroute(refused) };
}

describe('what is not answered is said in its place, and asked for again', () => {
  it.each([
    ['task runs', '', '**/api/v1/runs/*/tasks?*', 'main'],
    ['the history of attempts', '?view=timeline', '**/api/v1/runs/*/events?*', 'main'],
    ['attempts', '?task=load&tab=attempts', '**/api/v1/task-runs/*/attempts*', 'complementary'],
  ] as const)('%s', async (_, query, refused, place) => {
    const { page, mend } = await openRefused(query, refused);
    const alert = page.getByRole(place).getByRole('alert').first();
    await alert.getByText('it broke').waitFor();
    await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
    await picture(page, `run-fault-${place}${query ? '-part' : ''}`);
    expect(await violations(page)).toEqual([]);
    await mend();
    await retryUntilGone(alert);
    await page.getByRole('alert').waitFor({ state: 'detached' });
    if (place === 'complementary') await page.getByRole('link', { name: '2', exact: true }).waitFor();
    else await page.getByRole('button', { name: /^load, shell task, failed, attempt 2/ }).waitFor();
  });
});

describe('a part of the page that could not be loaded', () => {
  it('comes when the server is back', async () => {
    const page = await browsing.open(`${server.url}/runs/${id}`, {
      prepare: async (opened) => {
        await opened.route('**/assets/run-timeline*', (route) => route.abort());
      },
    });
    browsing.expectErrors(page, /ERR_FAILED|Failed to/);
    await page.getByRole('region', { name: /^Graph of the run/ }).waitFor();
    await page.keyboard.press('v');
    await page.waitForURL(/view=timeline/);
    await page.unroute('**/assets/run-timeline*');
    await page.getByRole('region', { name: /^Timeline of the run/ }).waitFor();
  });
});

describe('a run that is being read', () => {
  it.each(['graph', 'timeline', 'table'])('has the shape of its %s before it is there', async (view) => {
    const long = await server.runTo('etl/long', 'running');
    const [answered, explained] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const page = await browsing.open(`${server.url}/runs/${long}?view=${view}`, {
      prepare: async (opened) => {
        for (const [address, { promise }] of [
          [`**/api/v1/runs/${long}`, answered],
          [`**/api/v1/why/${long}`, explained],
        ] as const)
          await opened.route(address, async (route) => {
            await promise;
            await route.continue();
          });
      },
    });
    const body = page.getByRole('status', { name: 'Loading' });
    await body.waitFor();
    const before = await body.evaluate((element) => element.getBoundingClientRect().top);
    await picture(page, `run-loading-${view}`);
    expect(await violations(page)).toEqual([]);
    answered.resolve();
    const there =
      view === 'table'
        ? page.getByRole('grid')
        : page.getByRole('region', { name: view === 'graph' ? /^Graph of/ : /^Timeline of/ });
    await there.waitFor();
    const moved = () =>
      there.evaluate((element, top) => Math.abs(element.getBoundingClientRect().top - top), before);
    expect(await moved()).toBeLessThan(8);
    explained.resolve();
    await page.getByText('1 task run running').waitFor();
    expect(await moved()).toBeLessThan(8);
    await server.client.stopRun({ id: long, body: {} });
  });
});
