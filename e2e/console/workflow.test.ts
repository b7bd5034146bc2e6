import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { Server } from './harness/server.ts';

const first = `
name: orders
project: etl
description: Loads the orders of the day before
params:
  day: $[yyyyMMdd-1]
  region: { default: eu, options: [eu, us] }
schedules: [{ name: nightly, cron: '0 2 * * *', timezone: Asia/Shanghai }]
tasks:
  - { name: extract, type: shell, with: { script: 'echo \${day} \${region}' } }
  - { name: audit, type: shell, needs: extract, with: { script: echo audit } }
  - { name: load, type: shell, needs: extract, with: { script: sleep 0.2 } }
---
name: close
project: etl
tasks: [{ name: sub, type: sub-workflow, with: { workflow: etl/orders } }]
`;
const second = `
name: orders
project: etl
description: Loads the orders of the day before
params:
  day: $[yyyyMMdd-1]
  region: { default: us, options: [eu, us] }
schedules: [{ name: nightly, cron: '0 3 * * *', timezone: Asia/Shanghai }]
tasks:
  - { name: extract, type: shell, with: { script: 'echo \${day} \${region}' } }
  - { name: load, type: shell, needs: extract, retries: { limit: 2, delay: 1s }, with: { script: sleep 0.2 } }
  - { name: report, type: shell, needs: [extract, load], with: { script: echo report } }
`;

let server: Server;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start();
  await server.publish(first);
});
afterAll(() => server?.stop());

const open = (path = '', view = {}) => browsing.open(`${server.url}/workflows/etl/orders${path}`, view);

describe('the page of a workflow', () => {
  it('shows one that never ran, runs it by keyboard, and follows what comes of it', async () => {
    const page = await browsing.open(`${server.url}/workflows`);
    await page.getByRole('row', { name: /etl\/orders/ }).waitFor();
    await page.getByRole('link', { name: 'etl/orders' }).click();
    await page.getByRole('heading', { level: 1, name: 'etl/orders v1 live' }).waitFor();
    await page.getByRole('heading', { name: 'This workflow has never run.' }).waitFor();
    await page.getByText('orrery run etl/orders').waitFor();
    const graph = page.getByRole('region', { name: 'Graph of 3 tasks' });
    const box = graph.getByRole('button', { name: /^extract, shell task, shell, no predecessor/ });
    await box.focus();
    await page.keyboard.press('ArrowRight');
    await graph.getByRole('button', { name: /^(audit|load), shell task.*1 predecessor$/ }).waitFor();
    await page.getByRole('link', { name: 'etl/close' }).waitFor();
    await page.getByText('as a sub-workflow').waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'workflow-empty');

    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog', { name: 'Run etl/orders' });
    await dialog.getByRole('button', { name: 'Start run' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const run = await server.runTo('etl/orders', 'success');
    const grid = page.getByRole('region', { name: 'Last run' });
    const cell = grid.getByRole('button', { name: new RegExp(`run ${run}, v1, success`) });
    await cell.waitFor();
    await cell.focus();
    await page.keyboard.press('ArrowDown');
    await grid.getByRole('button', { name: new RegExp(`^extract in run ${run}: success, ran`) }).waitFor();
    await page.waitForURL(/task=extract/);
    await page.keyboard.press('d');
    await page.waitForURL(/cells=took/);
    await page.getByText(/^Slowest/).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/task-runs/${run}.extract`));
  });

  it('names every change between two versions, in words, graph and text, in either language', async () => {
    await server.publish(second);
    const page = await open('/versions');
    await page.getByRole('row', { name: /v2/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/versions\/1\.\.2$/);
    const changes = page.getByRole('list', { name: 'Changes' });
    await changes.getByText('Task added: report').waitFor();
    const said = await changes.getByRole('listitem').allTextContents();
    for (const change of [
      'Task added: report',
      'Task removed: audit',
      'Edge added: extract → report',
      'Edge added: load → report',
      'Edge removed: extract → audit',
    ])
      expect(said).toContain(change);
    expect(said.join('\n')).toMatch(/load.*retries\.limit.*0 → 2/);
    expect(said.join('\n')).toMatch(/nightly.*cron.*0 2 \* \* \* → 0 3 \* \* \*/);
    expect(said.join('\n')).toMatch(/params\.region\.default.*eu → us/);
    const graph = page.getByRole('region', { name: 'Graph of both versions' });
    await graph.getByRole('button', { name: /^extract, / }).focus();
    const names = new Set<string>();
    for (const key of ['Home', 'ArrowRight', 'ArrowDown', 'ArrowDown', 'End']) {
      await page.keyboard.press(key);
      names.add((await graph.locator('button:focus').getAttribute('aria-label')) ?? '');
    }
    expect([...names].join('\n')).toMatch(/audit, shell task, removed/);
    const text = page.getByRole('region', { name: 'Text of both versions' });
    await text.getByText('name: audit').waitFor();
    await page.getByText('Unified').click();
    await page.waitForURL(/diff=unified/);
    await text.getByText('name: report').waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'workflow-diff');
    const chinese = await open('/versions/1..2', { language: 'zh-CN', scheme: 'dark' });
    await chinese.getByText('删除连线：extract → audit').waitFor();
    expect(await violations(chinese)).toEqual([]);
    await picture(chinese, 'workflow-diff-zh-dark');
    const wrong = await open('/versions/2..x');
    await wrong.getByRole('heading', { name: /“2\.\.x” does not name two versions/ }).waitFor();
  });

  it('restores an earlier version as a new one', async () => {
    const page = await open('/versions');
    await page.getByRole('row', { name: /v2/ }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('b');
    const dialog = page.getByRole('dialog', { name: 'Restore v1' });
    await dialog.getByText('orrery workflows restore etl/orders 1').waitFor();
    await dialog.getByRole('textbox').fill('back again');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'etl/orders v3 live' }).waitFor();
    await server.client.restoreVersion({ project: 'etl', name: 'orders', version: 2, body: {} });
    await page.getByRole('heading', { level: 1, name: 'etl/orders v4 live' }).waitFor();
  });

  it('resolves parameters for a time as a run of it does', async () => {
    const at = '2026-05-01T12:00:00Z';
    const { id } = await server.client.startRun({ body: { workflow: 'etl/orders', businessTime: at } });
    await server.reaches(id, 'success');
    const { params } = await server.client.showTaskRun({ id: `${id}.extract` });
    const page = await open(`/parameters?at=${encodeURIComponent(at)}`);
    const row = page
      .getByRole('table')
      .last()
      .getByRole('row', { name: /\$\{day\}/ });
    await expect.poll(() => row.getByRole('cell').last().textContent()).toBe(params?.day);
    await page.getByRole('textbox', { name: 'Business time, in UTC' }).fill('2026-05-03T12:00:00Z');
    await expect.poll(() => row.getByRole('cell').last().textContent()).toBe('20260502');
    await page.waitForURL(/at=2026-05-03/);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('navigation', { name: 'Parts' }).getByRole('link', { name: 'Settings' }).click();
    await page.getByText('Most open runs').waitFor();
    await page.getByRole('navigation', { name: 'Parts' }).getByRole('link', { name: 'Schedules' }).click();
    await page.getByText('03:00 Asia/Shanghai').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('is taken offline, says so, starts nothing, and is put online', async () => {
    const page = await open();
    const more = page.getByRole('button', { name: 'Actions for etl/orders' });
    await more.click();
    await page.getByRole('menuitem', { name: 'Take offline' }).click();
    await page.getByRole('heading', { level: 1, name: /^etl\/orders v\d+ live · offline$/ }).waitFor();
    const run = page.getByRole('button', { name: /^Run/ });
    await page.waitForFunction(() =>
      [...document.querySelectorAll('button')].some(
        (one) => one.textContent?.startsWith('Run') && one.getAttribute('aria-disabled') === 'true',
      ),
    );
    await run.hover();
    await page.getByText('it is offline; put it online first').first().waitFor();
    expect(await violations(page)).toEqual([]);
    const list = await browsing.open(`${server.url}/workflows`, { language: 'zh-CN', scheme: 'dark' });
    await list
      .getByRole('row', { name: /etl\/orders/ })
      .getByText('已下线')
      .waitFor();
    await more.click();
    await page.getByRole('menuitem', { name: 'Put online' }).click();
    await page.getByRole('heading', { level: 1, name: /^etl\/orders v\d+ live$/ }).waitFor();
    await list
      .getByRole('row', { name: /etl\/orders/ })
      .getByText('已下线')
      .waitFor({ state: 'detached' });
  });

  it('says what is missing, what failed, and that it is loading', async () => {
    const page = await browsing.open(`${server.url}/workflows/etl/nothing`);
    browsing.expectErrors(page, /404|500/);
    await page.getByRole('alert').waitFor();
    await page.route('**/grid*', (route) => route.fulfill({ status: 500 }));
    await page.goto(`${server.url}/workflows/etl/orders`);
    // The graph works although the runs are not there.
    await page.getByRole('region', { name: 'Graph of 3 tasks' }).getByRole('button').first().waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'Retry' }).waitFor();
    await page.unroute('**/grid*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('region', { name: /^Last/ }).waitFor();
    const held = await open('', {
      prepare: (opened: typeof page) => opened.route('**/api/v1/workflows/etl/orders', () => {}),
    });
    await held.getByRole('status', { name: 'Loading' }).waitFor();
    expect(await violations(held)).toEqual([]);
  });

  it('fits a telephone, in dark', async () => {
    const page = await open('', { width: 390, height: 780, scheme: 'dark' });
    await page.getByRole('region', { name: /^Last/ }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await violations(page)).toEqual([]);
    await picture(page, 'workflow-390-dark');
  });
});
