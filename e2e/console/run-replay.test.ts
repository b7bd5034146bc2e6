import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { Server } from './harness/server.ts';

const file = (params: string) => `
name: orders
project: etl
params: ${params}
tasks: [{ name: load, type: noop }, { name: report, type: noop, needs: load }]
`;

let server: Server;
let id: number;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start();
  await server.publish(file('{ day: "0814", size: { type: integer, default: 3 } }'));
  id = await server.runTo('etl/orders', 'success');
});
afterAll(() => server?.stop());

const open = (query = '', view = {}) => browsing.open(`${server.url}/runs/${id}${query}`, view);
const dialogOf = (page: Page) => page.getByRole('dialog', { name: `Edit and replay run ${id}` });
const newRun = async (page: Page) => {
  await page.waitForURL((url) => /\/runs\/\d+$/.test(url.pathname) && !url.pathname.endsWith(`/${id}`));
  return Number(new URL(page.url()).pathname.split('/').at(-1));
};

describe('edit and replay', () => {
  it('says what differs, makes another run by keyboard, and each leads to the other', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Edit and replay' }).waitFor();
    await page.keyboard.press('e');
    const dialog = dialogOf(page);
    await dialog.getByText(`Nothing differs from run ${id}.`).waitFor();
    const day = dialog.getByRole('textbox', { name: 'day · string' });
    await expect.poll(() => day.inputValue()).toBe('0814');
    await day.press('Control+a');
    await page.keyboard.type('0815');
    const differs = dialog.getByRole('region', { name: `What differs from run ${id}` });
    await expect.poll(() => differs.locator('dl').innerText()).toMatch(/day\s+0814\s+0815/);
    await dialog.getByText(`orrery runs replay ${id} --param day=0815`).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'run-replay');
    await page.keyboard.press('Enter');
    const replay = await newRun(page);
    await expect
      .poll(async () => (await server.client.showRun({ id: replay })).params)
      .toEqual({ day: '0815' });
    await page.getByRole('link', { name: `replay of run ${id}` }).click();
    await page.getByRole('link', { name: `replayed by run ${replay}` }).click();
    expect(await newRun(page)).toBe(replay);
  });

  it('refuses a value of another type before it is sent', async () => {
    const page = await open('?replay=same');
    const dialog = dialogOf(page);
    await dialog.getByRole('textbox', { name: 'size · integer' }).fill('many');
    await dialog.getByText('not of type integer').waitFor();
    await expect.poll(() => dialog.getByRole('button', { name: 'Start run' }).isDisabled()).toBe(true);
  });

  it('is reached from running again, and runs the latest version where chosen', async () => {
    await server.publish(file('{ day: "0814", size: { type: integer, default: 4 }, region: eu }'));
    const page = await open('?again=all');
    const panel = page.getByRole('complementary', { name: 'Run again' });
    await panel.getByRole('button', { name: 'Edit parameters…' }).click();
    const dialog = dialogOf(page);
    await dialog.getByText('v2, the latest').click();
    await page.waitForURL(/replay=latest/);
    const differs = dialog.getByRole('region', { name: `What differs from run ${id}` });
    await expect
      .poll(() => differs.locator('dl').innerText())
      .toMatch(/size\s+3\s+4\s+region\s+not set\s+eu\s+Version\s+v1\s+v2/);
    await dialog.getByText(`orrery runs replay ${id} --latest`).waitFor();
    await dialog.getByRole('button', { name: 'Start run' }).click();
    const replay = await server.client.showRun({ id: await newRun(page) });
    expect(replay).toMatchObject({ version: 2, replayOf: id });
  });

  it('runs a part of the graph with another parameter, as running again proposed it', async () => {
    const page = await open('?task=report&again=from');
    const panel = page.getByRole('complementary', { name: 'Run again' });
    await panel.getByRole('button', { name: 'Edit parameters…' }).click();
    const dialog = dialogOf(page);
    await dialog.getByRole('textbox', { name: 'day · string' }).fill('0816');
    await dialog.getByText(`orrery runs replay ${id} --param day=0816 --from report`).waitFor();
    const differs = dialog.getByRole('region', { name: `What differs from run ${id}` });
    await expect
      .poll(() => differs.locator('dl').innerText())
      .toMatch(/Which tasks\s+Everything\s+From report on/);
    await dialog.getByRole('button', { name: 'Start run' }).click();
    const replay = await newRun(page);
    await server.reaches(replay, 'success');
    const made = await server.client.showRun({ id: replay });
    expect(made).toMatchObject({ params: { day: '0816' }, scope: { kind: 'from', tasks: ['report'] } });
    expect(made.counts).toEqual({ excluded: 1, success: 1 });
  });

  it.each([
    ['dark', 1440, 'en'],
    ['light', 390, 'en'],
    ['light', 1440, 'zh-CN'],
  ] as const)('has no violation in %s at %i px in %s', async (scheme, width, language) => {
    const page = await open('?replay=latest', { scheme, width, language });
    await page.getByText(`orrery runs replay ${id} --latest`).waitFor();
    await picture(page, `run-replay-${scheme}-${width}-${language}`);
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });
});
