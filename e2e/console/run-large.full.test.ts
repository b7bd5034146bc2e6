/** Runs of a thousand tasks and more, in a real browser; `npm run bench -- console` measures how they are drawn. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { Server } from './harness/server.ts';

const WIDE = 25;

/** Layers of tasks, each needing one to three of the layer before, always the same; one of them fails. */
function layered(name: string, size: number, failing: number): string {
  const tasks = Array.from({ length: size }, (_, i) => {
    const layer = Math.floor(i / WIDE);
    const before = (by: number) => `t${(layer - 1) * WIDE + ((i * 7 + by * 11) % WIDE)}`;
    const needs = layer === 0 ? [] : [...new Set([0, 1, 2].slice(0, 1 + (i % 3)).map(before))];
    const work = i === failing ? 'type: shell, with: { script: "echo boom; exit 3" }' : 'type: noop';
    return `  - { name: t${i}, ${work}, needs: [${needs.join(', ')}] }`;
  });
  return `name: ${name}\nproject: large\ntasks:\n${tasks.join('\n')}\n`;
}

const fan = `name: fan\nproject: large\ntasks:\n  - { name: start, type: noop }\n${Array.from(
  { length: 240 },
  (_, i) => `  - { name: part_${i}, type: noop, needs: [start] }`,
).join('\n')}\n`;

let server: Server;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start();
  for (const body of [layered('thousand', 1_000, 437), layered('three-thousand', 3_000, 1_437), fan])
    await server.publish(body);
});
afterAll(() => server?.stop());

/** Drags the graph about, as a hand would. */
async function drag(page: Page): Promise<void> {
  const box = await page.locator('canvas').first().boundingBox();
  const middle = { x: (box?.x ?? 0) + 300, y: (box?.y ?? 0) + 200 };
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.down();
  for (let i = 0; i < 12; i++) await page.mouse.move(middle.x + i * 20, middle.y + i * 10);
  await page.mouse.up();
}

describe('a run of many tasks', () => {
  it.each([
    ['thousand', 't437'],
    ['three-thousand', 't1437'],
  ])('%s: opens on what failed, and is panned near and far', async (workflow, task) => {
    const id = await server.runTo(`large/${workflow}`, 'failed');
    const page = await browsing.open(`${server.url}/runs/${id}`);
    const proxy = page.getByRole('button', { name: new RegExp(`^${task}, shell task, failed`) });
    await proxy.waitFor();
    await page.getByText('Laying out').waitFor({ state: 'detached' });
    await picture(page, `run-${workflow}`);
    await drag(page);
    await page.getByRole('button', { name: /^Fit/ }).click();
    await picture(page, `run-${workflow}-far`);
    await drag(page);
    await expect.poll(() => proxy.count()).toBe(1);
    for (const view of ['timeline', 'table']) {
      await page.goto(`${server.url}/runs/${id}?view=${view}&task=${task}`);
      if (view === 'table') await page.getByRole('row', { name: new RegExp(`^${task} failed`) }).waitFor();
      else await page.getByRole('button', { name: new RegExp(`^${task}, shell task, failed`) }).waitFor();
    }
  });

  it('goes on before the eyes while a thousand tasks run', async () => {
    const page = await browsing.open(`${server.url}/login`);
    const { id } = await server.client.startRun({ body: { workflow: 'large/thousand' } });
    await page.goto(`${server.url}/runs/${id}`);
    await page.getByRole('heading', { level: 1 }).getByText('failed').waitFor();
    await page.getByRole('button', { name: /^success 5\d\d$/ }).waitFor();
    const { counts } = await server.client.showRun({ id });
    for (const [state, count] of Object.entries(counts))
      await page.getByRole('button', { name: `${state} ${count}`, exact: true }).waitFor();
  });

  it('draws 240 alike siblings as one box, and all of them while it is opened', async () => {
    const id = await server.runTo('large/fan', 'success');
    const page = await browsing.open(`${server.url}/runs/${id}`);
    const start = page.getByRole('button', { name: /^start,/ });
    await start.waitFor();
    await start.focus();
    await page.keyboard.press('ArrowRight');
    const fold = page.getByRole('button', { name: /^240 × part_n, 240 tasks folded/ });
    await fold.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^part_0,/ }).waitFor();
    await page.getByRole('button', { name: /^part_0,/ }).press('_');
    await fold.waitFor();
    await fold.press('Enter');
    await page.getByRole('button', { name: 'Fold again (_)' }).click();
    await fold.waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Fold again (_)' }).count()).toBe(0);
  });
});
