/** What the views of a run share, and how one moves about in them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { Server } from './harness/server.ts';

const sleep = (seconds: number) => `type: shell, with: { script: sleep ${seconds} }`;

const signals = mkdtempSync(join(tmpdir(), 'orrery-signals-'));

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
---
name: again
project: etl
tasks: [{ name: work, type: shell, with: { script: 'test -f "${signals}/go" && sleep 600' } }]
`);
  id = await server.runTo('etl/outer', 'success');
});
afterAll(async () => {
  await server?.stop();
  rmSync(signals, { recursive: true, force: true });
});

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

describe('a task of the table whose details were closed', () => {
  it('shows them again by a click, and by a key', async () => {
    const page = await browsing.open(`${server.url}/runs/${id}?view=table`);
    const details = page.getByRole('complementary', { name: 'Details of aside' });
    const row = page.getByRole('row', { name: /^aside/ });
    await row.click();
    await details.waitFor();
    for (const again of [() => row.click(), () => page.keyboard.press('o')]) {
      await page.keyboard.press('Escape');
      await details.waitFor({ state: 'detached' });
      await again();
      await details.waitFor();
    }
  });
});

const rangeOf = (url: string) => {
  const [from, to] = (new URL(url).searchParams.get('t') ?? '').split('..').map(Number);
  return { from, to };
};

describe('a timeline that is zoomed in', () => {
  it('is moved sideways by keys and by the wheel, says what is seen, and shows all again', async () => {
    const page = await browsing.open(`${server.url}/runs/${id}?view=timeline&task=first`);
    await page.getByRole('button', { name: /^first, shell task/ }).focus();
    await page.keyboard.press('+');
    await page.waitForURL(/t=\d+/);
    const half = rangeOf(page.url());
    await page.keyboard.press('+');
    const readout = page.getByRole('button', { name: / is shown; press to see the whole run$/ });
    await readout.waitFor();
    await expect
      .poll(() => rangeOf(page.url()).to - rangeOf(page.url()).from)
      .toBeLessThan((half.to - half.from) * 0.6);
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

describe('a stretch of a timeline in which nothing happened', () => {
  const [LABELS, SUMS, SILENCE] = [224, 148, 8_000];

  /** Opens a timeline and picks the last third of what is drawn; what that is. */
  async function pickIn(page: Page, address: string): Promise<{ from: number; to: number }> {
    const history = page.waitForResponse(/\/runs\/\d+\/events\?/);
    await page.goto(address);
    await history;
    await page.getByRole('button', { name: /^work, shell task, running, attempt 2/ }).focus();
    const box = await page.locator('canvas').first().boundingBox();
    if (!box) throw new Error('there is no timeline');
    const [left, right] = [box.x + LABELS, box.x + box.width - SUMS];
    const before = page.url();
    await page.mouse.move(left + ((right - left) * 2) / 3, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(right - 2, box.y + 200, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL((url) => url.href !== before && url.searchParams.has('t'));
    return rangeOf(page.url());
  }

  it('is folded, also while the run goes on and where it is zoomed in', async () => {
    const again = await server.runTo('etl/again', 'failed');
    const begun = Date.parse((await server.client.showRun({ id: again })).createdAt);
    const ended = Date.now();
    await new Promise((resolve) => setTimeout(resolve, SILENCE));
    writeFileSync(join(signals, 'go'), '');
    await server.client.recoverRun({ id: again, body: {} });
    await server.reaches(again, 'running');
    const page = await browsing.open(`${server.url}/login`);
    const address = `${server.url}/runs/${again}?view=timeline&task=work`;
    // Not folded, a third of what is drawn would be a third of the time since it began, however long that took.
    const isFolded = (picked: { from: number; to: number }, all: number) =>
      picked.to - picked.from < (all - SILENCE / 2) / 3;
    const whole = await pickIn(page, address);
    expect(isFolded(whole, whole.to - begun)).toBe(true);
    await picture(page, 'run-views-gap');
    const [from, to] = [ended - 1_000, Date.now() + 1_000];
    expect(isFolded(await pickIn(page, `${address}&t=${from}..${to}`), to - from)).toBe(true);
    await server.client.stopRun({ id: again, body: {} });
  });
});
