import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { boxOf, field, saved, walkTo } from './harness/drawing.ts';
import { picture } from './harness/pictures.ts';
import { greets, Server } from './harness/server.ts';

let server: Server;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server?.stop());

const draftOf = async (name: string) => (await server.client.readDraft({ project: 'default', name })).text;
const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`${name}\\b`) });

/** A workflow of loads that follow one task, and how often a line is in its draft. */
const loads = (name: string, count: number) =>
  `name: ${name}\ntasks:\n  - { name: begin, type: noop }\n${Array.from(
    { length: count },
    (_, k) =>
      `  # number ${k}\n  - { name: load-${k}, type: shell, needs: begin, with: { script: echo ${k} } }\n`,
  ).join('')}`;
const timesOf = async (name: string, part: string) => (await draftOf(name)).split(part).length - 1;

describe('many tasks at once', () => {
  it('are found in a table, chosen and changed together as one step', async () => {
    await server.publish(loads('many', 200));
    const page = await browsing.open(`${server.url}/workflows/default/many/edit`);
    await boxOf(page, 'begin').waitFor();
    await page.keyboard.press('Shift+T');
    await page.getByRole('grid', { name: 'Tasks' }).waitFor();
    await page.getByRole('textbox', { name: 'Find a task' }).fill('load shell');
    await row(page, 'load-0').waitFor();
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    const bar = page.getByRole('toolbar', { name: '200 selected' });
    await bar.waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'editor-tasks');
    await bar.getByRole('button', { name: 'Form' }).click();
    await page.getByText('200 tasks: a field shows what they have alike').waitFor();
    await page.getByText(/more fields/).click();
    await field(page, 'timeout').fill('10m');
    await page.getByRole('heading', { level: 1 }).click();
    await expect.poll(() => timesOf('many', 'timeout: "10m"').catch(() => 0)).toBe(200);
    // All else is as it was written.
    expect((await draftOf('many')).replaceAll(', timeout: "10m"', '')).toBe(loads('many', 200));
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => timesOf('many', 'timeout')).toBe(0);
  });

  it('are chosen in the graph by a frame around them and by key, copied and deleted', async () => {
    await server.publish(loads('framed', 5));
    const page = await browsing.open(`${server.url}/workflows/default/framed/edit`);
    await walkTo(page, 'begin');
    const canvas = await page.locator('canvas').first().boundingBox();
    if (!canvas) throw new Error('there is no graph');
    await page.keyboard.down('Shift');
    await page.mouse.move(canvas.x + 4, canvas.y + 4);
    await page.mouse.down();
    await page.mouse.move(canvas.x + canvas.width - 4, canvas.y + canvas.height - 4, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.getByRole('toolbar', { name: '6 selected' }).waitFor();
    await walkTo(page, 'begin');
    await page.keyboard.press('x');
    await page.getByRole('toolbar', { name: '5 selected' }).waitFor();
    await page.keyboard.press('d');
    await expect.poll(() => timesOf('framed', 'needs: begin').catch(() => 0)).toBe(10);
    await page.keyboard.press('Delete');
    await expect.poll(() => timesOf('framed', 'needs: begin')).toBe(5);
  });
});

describe('a draft', () => {
  it('is tested as it is, beside the live version, and counts for nothing', async () => {
    await server.publish(greets('tried'));
    const page = await browsing.open(`${server.url}/workflows/default/tried/edit`);
    await boxOf(page, 'greet').waitFor();
    await page.getByRole('button', { name: 'Test run…' }).and(page.locator('[aria-disabled]')).waitFor();
    await page.getByText('Form', { exact: true }).click();
    await walkTo(page, 'greet');
    await field(page, 'script').fill('echo tested > "$PWD/never"; exit 3');
    await page.getByRole('heading', { level: 1 }).click();
    await saved(page);
    await page.getByRole('button', { name: 'Test run…' }).and(page.locator(':not([aria-disabled])')).click();
    const dialog = page.getByRole('dialog', { name: 'Test run of the draft of default/tried' });
    await dialog.getByText('orrery run tried --draft').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('heading', { level: 1, name: /default\/tried draft · \d+/ }).waitFor();
    await page.getByText('test run of a draft: counts for nothing').waitFor();
    const { runs } = await server.client.listRuns({ workflow: 'tried' });
    await server.reaches(runs[0].id, 'failed');
    expect(runs[0]).toMatchObject({ version: -1, counted: false });
    const { versions } = await server.client.listVersions({ project: 'default', name: 'tried' });
    expect(versions.map(({ version }) => version)).toEqual([1]);
  });
});

describe('a workflow that a module makes', () => {
  it('is shown with where it comes from, and not changed here', async () => {
    await server.client.publishWorkflows({ body: greets('typed'), module: 'flows/typed.workflow.ts' });
    const page = await browsing.open(`${server.url}/workflows/default/typed/edit`);
    await page.getByText('Made from flows/typed.workflow.ts').waitFor();
    await page.getByText('orrery apply -f flows/typed.workflow.ts').waitFor();
    await boxOf(page, 'greet').waitFor();
    expect(await page.getByRole('navigation', { name: 'Task types' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Publish…' }).and(page.locator('[aria-disabled]')).waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
