/** What the views of a run share, and how one moves about in them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { Server } from './harness/server.ts';

const sleep = (seconds: number) => `type: shell, with: { script: sleep ${seconds} }`;

let server: Server;
let id: number;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start('--slots', '8');
  await server.publish(`
name: inner
project: etl
tasks: [{ name: work, ${sleep(1)} }]
---
name: outer
project: etl
tasks:
  - { name: first, ${sleep(0.2)} }
  - { name: aside, type: noop, needs: [first] }
  - { name: sub, type: sub-workflow, needs: [first], with: { workflow: etl/inner } }
  - { name: last, ${sleep(0.2)}, needs: [sub, aside] }
`);
  id = await server.runTo('etl/outer', 'success');
});
afterAll(() => server?.stop());

describe('the critical path', () => {
  it('is marked in the table too, and leads through a sub-workflow', async () => {
    const page = await browsing.open(`${server.url}/runs/${id}?view=table&path=on`);
    for (const name of ['first', 'sub', 'last'])
      await page.getByRole('row', { name: new RegExp(`^${name} on the critical path success`) }).waitFor();
    await page.getByRole('row', { name: /^aside success/ }).waitFor();
    await page.getByText(/^critical path: 3 tasks/).waitFor();
    await picture(page, 'run-views-path');
    expect(await violations(page)).toEqual([]);
  });
});

describe('a timeline that is zoomed in', () => {
  const rangeOf = (url: string) => {
    const [from, to] = (new URL(url).searchParams.get('t') ?? '').split('..').map(Number);
    return { from, to };
  };

  it('is moved sideways by keys and by the wheel, says what is seen, and shows all again', async () => {
    const page = await browsing.open(`${server.url}/runs/${id}?view=timeline&task=first`);
    await page.getByRole('button', { name: /^first, shell task/ }).focus();
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await page.waitForURL(/t=\d+/);
    const readout = page.getByRole('button', { name: / is shown; press to see the whole run$/ });
    await readout.waitFor();
    await expect.poll(() => rangeOf(page.url()).to - rangeOf(page.url()).from).toBeLessThan(600);
    const before = rangeOf(page.url());
    await page.keyboard.press('Shift+ArrowLeft');
    await expect.poll(() => rangeOf(page.url()).from).toBeLessThan(before.from);
    const moved = rangeOf(page.url());
    expect(moved.to - moved.from).toBe(before.to - before.from);
    await picture(page, 'run-views-zoomed');
    expect(await violations(page)).toEqual([]);
    const box = await page.locator('canvas').first().boundingBox();
    await page.mouse.move((box?.x ?? 0) + 400, (box?.y ?? 0) + 100);
    await page.mouse.wheel(120, 0);
    await expect.poll(() => rangeOf(page.url()).from).toBeGreaterThan(moved.from);
    const wheeled = rangeOf(page.url());
    await page.keyboard.down('Shift');
    await page.mouse.wheel(0, -120);
    await page.keyboard.up('Shift');
    await expect.poll(() => rangeOf(page.url()).from).toBeLessThan(wheeled.from);
    await readout.click();
    await page.waitForURL((url) => !url.searchParams.has('t'));
    await expect.poll(() => readout.count()).toBe(0);
  });
});
