/** Runs that a run started, on its page: what failed in them, and what they did. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { Server } from './harness/server.ts';

const shell = (text: string) => `type: shell, with: { script: ${JSON.stringify(text)} }`;
const file = `
name: child
project: etl
tasks:
  - { name: read, ${shell('true')} }
  - { name: work, needs: [read], ${shell('echo "no such table: orders"; exit 3')} }
---
name: parent
project: etl
tasks:
  - { name: first, ${shell('true')} }
  - { name: sub, type: sub-workflow, needs: [first], with: { workflow: etl/child } }
---
name: grandparent
project: etl
tasks: [{ name: outer, type: sub-workflow, with: { workflow: etl/parent } }]
`;

let server: Server;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start('--slots', '8');
  await server.publish(file);
});
afterAll(() => server?.stop());

const detailsOf = (page: Page, task: string) =>
  page.getByRole('complementary', { name: `Details of ${task}` });
const childOf = async (id: number) => (await server.client.showRun({ id })).children[0].id;

describe('a run whose sub-workflow failed', () => {
  it('opens on what failed in there, with the end of its log and the way there', async () => {
    const id = await server.runTo('etl/grandparent', 'failed');
    const parent = await childOf(id);
    const child = await childOf(parent);
    const page = await browsing.open(`${server.url}/runs/${id}`);
    const details = detailsOf(page, 'outer');
    await details.getByRole('link', { name: `sub failed in run ${parent}` }).waitFor();
    await details.getByRole('region', { name: 'Log' }).getByText('no such table: orders').waitFor();
    await picture(page, 'run-children-failed');
    expect(await violations(page)).toEqual([]);
    await details.getByRole('link', { name: `work failed in run ${child}` }).click();
    await page.waitForURL(new RegExp(`/runs/${child}\\?task=work`));
    await detailsOf(page, 'work').getByText('exit code 3', { exact: true }).waitFor();
  });
});
