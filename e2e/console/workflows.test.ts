import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { Server } from './harness/server.ts';
import { typeLine } from './harness/type-line.ts';

const file = `
name: daily-orders
project: etl
params:
  day: { type: date, required: true }
  region: { default: eu, options: [eu, us] }
schedules: [{ name: often, every: 1h, from: 2090-01-01T00:00:00Z }]
tasks:
  - { name: extract, type: noop }
---
name: broken
project: etl
tasks:
  - { name: only, type: shell, with: { script: exit 1 } }
---
name: plain
tasks:
  - { name: only, type: noop }
`;

let server: Server;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server?.stop());

const open = (query = '', view = {}) => browsing.open(`${server.url}/workflows${query}`, view);

describe('the list of workflows, empty', () => {
  it('says how to begin, and its example is published by keyboard alone', async () => {
    const page = await open();
    await page.getByRole('heading', { name: /no workflow yet/ }).waitFor();
    const first = page.getByText('npx orrery apply -f - --url');
    await expect.poll(() => first.isVisible()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await picture(page, 'workflows-empty');
    const applied = typeLine((await first.textContent()) ?? '');
    expect([applied.status, applied.stderr]).toEqual([0, '']);
    await page.getByRole('row', { name: /default\/hello/ }).waitFor();
    await server.client.deleteWorkflow({ project: 'default', name: 'hello' });
    await page.getByRole('heading', { name: /no workflow yet/ }).waitFor();
    await page.getByRole('button', { name: 'Two tasks and a parameter' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Publish workflows' });
    await dialog.getByText('default/hello will be created').waitFor();
    await page.waitForURL(/open=example-hello/);
    expect(await violations(page)).toEqual([]);
    const publish = dialog.getByRole('button', { name: 'Publish' });
    await publish.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /default\/hello/ }).waitFor();
  });

  it('names what is wrong with a file, with line and column', async () => {
    const page = await open('?open=new');
    browsing.expectErrors(page, /422/);
    const dialog = page.getByRole('dialog', { name: 'Publish workflows' });
    await dialog.getByRole('textbox').fill('name: x\ntaskz: []\n');
    await dialog.getByText(/line 2, column 1/).waitFor();
    await expect.poll(() => dialog.getByRole('button', { name: 'Publish' }).isDisabled()).toBe(true);
  });
});

/** One workflow as DolphinScheduler exports it. */
const exported = JSON.stringify([
  {
    workflowDefinition: {
      code: 1,
      name: 'Old Orders',
      globalParams: '[]',
      timeout: 0,
      executionType: 'PARALLEL',
    },
    workflowTaskRelationList: [{ preTaskCode: 0, postTaskCode: 11 }],
    taskDefinitionList: [
      {
        code: 11,
        name: 'extract',
        version: 1,
        description: '',
        flag: 'YES',
        taskPriority: 'MEDIUM',
        workerGroup: 'default',
        environmentCode: -1,
        failRetryTimes: 0,
        failRetryInterval: 1,
        timeoutFlag: 'CLOSE',
        timeoutNotifyStrategy: null,
        timeout: 0,
        delayTime: 0,
        taskGroupId: 0,
        taskGroupPriority: 0,
        cpuQuota: 50,
        memoryMax: -1,
        taskType: 'SHELL',
        taskParams: { localParams: [], rawScript: 'echo hi', resourceList: [] },
      },
    ],
    schedule: null,
  },
]);

describe('an export of DolphinScheduler', () => {
  it('becomes a workflow file, with a report of what is not as it was', async () => {
    const page = await open('?open=import');
    browsing.expectErrors(page, /422/);
    const dialog = page.getByRole('dialog', { name: 'Import workflows' });
    // It begins with the file; one that is written begins with the text.
    await dialog.getByRole('button', { name: 'Choose a file' }).waitFor();
    expect(await dialog.getByRole('textbox').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    const file = { name: 'export.json', mimeType: 'application/json', buffer: Buffer.from(exported) };
    await dialog.locator('input[type=file]').setInputFiles(file);
    await dialog.getByText(/Imported; \d+ things? (is|are) not as before/).waitFor();
    await dialog.getByText(/Old-Orders: changed: was called "Old Orders"|was called "Old Orders"/).waitFor();
    await dialog.getByText(/will be created/).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'workflows-import');
  });
});

describe('the list of workflows', () => {
  beforeAll(async () => {
    await server.publish(file);
    await server.runTo('etl/broken', 'failed');
    for (let i = 0; i < 3; i++) await server.runTo('plain', 'success');
  });

  it('shows each with the strip of its last runs, in one request', async () => {
    const page = await browsing.open(`${server.url}/login`);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/v1/workflows')) asked.push(request.url());
    });
    await page.goto(`${server.url}/workflows`);
    await page.getByRole('grid', { name: 'Workflows' }).waitFor();
    const { workflows } = await server.client.listWorkflows({ include: ['strip'] });
    await expect.poll(() => page.getByRole('row').count()).toBe(workflows.length + 1);
    for (const { project, name, strip } of workflows) {
      const bars = page.getByRole('slider', { name: `Last runs of ${project}/${name}` });
      if (!strip?.runs.length) continue;
      await expect.poll(() => bars.getAttribute('aria-valuemax')).toBe(String(strip.runs.length));
      await expect
        .poll(() => bars.getAttribute('aria-valuetext'))
        .toContain(`run ${strip.runs.at(-1)?.id}, ${strip.runs.at(-1)?.state}`);
    }
    // One request for all of them, which a change that came meanwhile may repeat.
    expect(new Set(asked).size).toBe(1);
    await picture(page, 'workflows');
  });

  it.each([
    ['light', 1440, 'en'],
    ['dark', 1440, 'en'],
    ['light', 900, 'en'],
    ['dark', 600, 'en'],
    ['light', 1440, 'zh-CN'],
    ['light', 1440, 'x-pseudo'],
  ] as const)('has no violation in %s at %i px in %s', async (scheme, width, language) => {
    const page = await open('', { scheme, width, language });
    await page.getByRole('row', { name: /etl\/daily-orders/ }).waitFor();
    await picture(page, `workflows-${scheme}-${width}-${language}`);
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });

  it.each(['en', 'zh-CN', 'x-pseudo'] as const)('shows long durations in full in %s', async (language) => {
    // Hours and minutes are the widest.
    const prepare = (opened: Page) =>
      opened.route('**/api/v1/workflows?*', async (route) => {
        const response = await route.fetch();
        const body = (await response.text()).replaceAll(/"(p50|p95)":\d+/g, '"$1":86340000');
        await route.fulfill({ response, body });
      });
    const page = await open('', { language, prepare });
    const durations = page.getByRole('gridcell').filter({ hasText: /23 .* 59 .* \/ 23 .* 59/ });
    await durations.first().waitFor();
    const [room, needed] = await durations.first().evaluate((cell) => {
      const content = document.createRange();
      content.selectNodeContents(cell);
      return [cell, content].map((each) => each.getBoundingClientRect().width);
    });
    expect(needed).toBeLessThanOrEqual(room);
  });

  it('is walked, chosen and run by keyboard alone', async () => {
    const page = await open();
    await page.getByRole('row', { name: /etl\/broken/ }).waitFor();
    for (const key of ['j', 'j', 'j', 'k', 'x', 'j', 'X', 'j']) await page.keyboard.press(key);
    await page.getByRole('toolbar', { name: '2 selected' }).waitFor();
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog', { name: 'Run etl/daily-orders' });
    await dialog.waitFor();
    await page.waitForURL(/run=etl\/daily-orders/);
    const start = dialog.getByRole('button', { name: 'Start run' });
    await expect.poll(() => start.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: /^day/ }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('2026-02-28');
    await dialog.getByText('orrery run etl/daily-orders --param day=2026-02-28').waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'workflows-run');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/runs\/\d+/);
    const { runs } = await server.client.listRuns({ workflow: 'etl/daily-orders' });
    expect(runs).toHaveLength(1);
    expect(await server.client.showRun({ id: runs[0].id })).toMatchObject({
      trigger: 'manual',
      params: { day: '2026-02-28' },
    });
  });

  it('starts a dry run that counts only where that was chosen', async () => {
    await server.publish('name: rehearsed\ntasks: [{ name: only, type: noop }]');
    for (const counts of [false, true]) {
      const page = await open('?q=rehearsed&run=default/rehearsed');
      const dialog = page.getByRole('dialog', { name: 'Run default/rehearsed' });
      const box = dialog.getByRole('checkbox', { name: 'Counts as a run of the workflow' });
      await dialog.getByRole('button', { name: 'Start run' }).waitFor();
      // A whole run always counts: nothing is asked.
      expect(await box.count()).toBe(0);
      await dialog.getByRole('checkbox', { name: 'Dry run' }).check();
      await box.waitFor();
      if (counts) await box.check();
      const command = `orrery run rehearsed --dry-run${counts ? ' --counts' : ''}`;
      await dialog.getByText(command).waitFor();
      await dialog.getByRole('button', { name: 'Start dry run' }).click();
      await page.waitForURL(/\/runs\/\d+/);
      const id = Number(/\/runs\/(\d+)/.exec(page.url())?.[1]);
      expect(await server.client.showRun({ id })).toMatchObject({ dryRun: true, counted: counts });
    }
  });

  it('draws the strip of the last 30 runs, those that the list of runs has', async () => {
    await server.publish('name: often\ntasks: [{ name: only, type: noop }]');
    const started = await Promise.all(
      Array.from({ length: 33 }, () => server.client.startRun({ body: { workflow: 'often' } })),
    );
    for (const { id } of started) await server.reaches(id, 'success');
    const page = await open('?q=often');
    const bars = page.getByRole('slider', { name: 'Last runs of default/often' });
    await expect.poll(() => bars.getAttribute('aria-valuemax')).toBe('30');
    const { runs } = await server.client.listRuns({ workflow: 'often', limit: 30 });
    await bars.focus();
    await page.keyboard.press('End');
    for (const { id, state } of runs) {
      await expect.poll(() => bars.getAttribute('aria-valuetext')).toContain(`run ${id}, ${state}`);
      await page.keyboard.press('ArrowLeft');
    }
    // A run that starts moves the bars, and the one that is chosen with them.
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await server.runTo('often', 'success');
    await expect.poll(() => bars.getAttribute('aria-valuenow')).toBe('28');
    await expect.poll(() => bars.getAttribute('aria-valuetext')).toContain(`run ${runs[1].id},`);
    await server.client.deleteWorkflow({ project: 'default', name: 'often' });
  });

  it('stars, pauses, exports and copies by keyboard alone', async () => {
    const page = await open('?q=daily-orders');
    const row = page.getByRole('row', { name: /etl\/daily-orders/ });
    await row.waitFor();
    await page.keyboard.press('j');
    const star = row.getByRole('button', { name: 'Keep etl/daily-orders on Home' });
    await page.keyboard.press('*');
    await expect.poll(() => star.getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('*');
    await expect.poll(() => star.getAttribute('aria-pressed')).toBe('false');
    await page.keyboard.press('p');
    await row.getByText('every 1 h (paused)').waitFor();
    await page.keyboard.press('p');
    await row.getByText('every 1 h', { exact: true }).waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('d')]);
    expect(download.suggestedFilename()).toBe('daily-orders.yaml');
    await page.keyboard.press('y');
    await page
      .getByText(/etl\/daily-orders/)
      .nth(1)
      .waitFor();
    // What is refused can be reached, and says why.
    await row.getByRole('button', { name: /^Actions/ }).click();
    const resume = page.getByRole('menuitem', { name: 'Resume schedules' });
    await expect.poll(() => resume.getAttribute('aria-disabled')).toBe('true');
    await expect.poll(() => resume.getAttribute('aria-description')).toBe('none of its schedules is paused');
    expect(await violations(page)).toEqual([]);
  });

  it('lets what is published meanwhile wait, and rows where they are', async () => {
    const page = await open();
    await page.getByRole('row', { name: /etl\/broken/ }).waitFor();
    await page.getByRole('button', { name: /^live\./ }).waitFor();
    const before = await page.getByRole('row').count();
    await server.publish('name: aaa\ntasks: [{ name: only, type: noop }]');
    const pill = page.getByRole('button', { name: '1 new' });
    await pill.waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(before);
    await picture(page, 'workflows-new');
    await pill.click();
    await page.getByRole('row', { name: /default\/aaa/ }).waitFor();
    await pill.waitFor({ state: 'detached' });
    await server.client.deleteWorkflow({ project: 'default', name: 'aaa' });
    await page.getByRole('row', { name: /default\/aaa/ }).waitFor({ state: 'detached' });
  });

  it('says in words when a workflow is due and why something cannot be done, in either language', async () => {
    const schedules = `[{ name: office, cron: '0 0/30 8-18 ? * MON-FRI', timezone: Asia/Shanghai }, { name: often, cron: '*/7 * * * *' }]`;
    await server.publish(`name: office\nschedules: ${schedules}\ntasks: [{ name: only, type: noop }]`);
    const page = await open('?q=office', { width: 1900 });
    const when = page.getByText('Mon–Fri every 30 m, 08:00–18:30 Asia/Shanghai', { exact: true });
    await when.waitFor();
    expect(await when.getAttribute('data-hint')).toBe(
      'Mon–Fri every 30 m, 08:00–18:30 Asia/Shanghai · 0 0/30 8-18 ? * MON-FRI\n*/7 * * * * UTC',
    );
    const chinese = await open('?q=office', { language: 'zh-CN', width: 1900 });
    await chinese.getByText('周一至周五 08:00–18:30 每 30 分 Asia/Shanghai', { exact: true }).waitFor();
    await chinese.getByRole('button', { name: 'default/office 的操作' }).click();
    const resume = chinese.getByRole('menuitem', { name: '恢复调度' });
    await expect.poll(() => resume.getAttribute('aria-disabled')).toBe('true');
    expect(await resume.getAttribute('aria-description')).toBe('其调度均未暂停');
    expect(await violations(chinese)).toEqual([]);
    await picture(chinese, 'workflows-menu-zh-CN');
    await server.client.deleteWorkflow({ project: 'default', name: 'office' });
  });

  it('says how many tasks a draft is ahead of what is live', async () => {
    await server.publish('name: drafted\ntasks: [{ name: one, type: noop }]');
    const text =
      'name: drafted\ntasks: [{ name: one, type: noop }, { name: two, type: noop, needs: one }, { name: three, type: noop }]';
    await server.client.saveDraft({ project: 'default', name: 'drafted', body: { text } });
    const page = await open('?q=drafted');
    const draft = page.getByRole('img', { name: /^draft by .+, 2 tasks ahead$/ });
    await draft.waitFor();
    expect(await draft.textContent()).toBe('●+2');
    expect(await violations(page)).toEqual([]);
    await picture(page, 'workflows-draft');
    await server.client.deleteWorkflow({ project: 'default', name: 'drafted' });
  });

  it('copies the row in focus as a link, a request and a command, and the list as well', async () => {
    const page = await open('?q=daily-orders');
    await page.getByRole('row', { name: /etl\/daily-orders/ }).waitFor();
    await page.keyboard.press('c');
    const whole = page.getByRole('dialog', { name: 'Copy this page as' });
    await whole.getByText('orrery workflows list --q daily-orders').waitFor();
    await page.keyboard.press('Escape');
    await whole.waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Copy as' });
    const lines = dialog.getByRole('button').locator('code');
    await expect
      .poll(() => lines.allTextContents())
      .toEqual([
        `${server.url}/workflows/etl/daily-orders`,
        `curl -s ${server.url}/api/v1/workflows/etl/daily-orders`,
        `npx orrery run etl/daily-orders --url ${server.url}`,
        page.url(),
        `curl -s '${server.url}/api/v1/workflows?q=daily-orders'`,
        `npx orrery workflows list --q daily-orders --url ${server.url}`,
      ]);
    expect(await violations(page)).toEqual([]);
    await picture(page, 'workflows-copy');
    const narrow = await open('?q=daily-orders', { scheme: 'dark', width: 600, language: 'zh-CN' });
    await narrow.getByRole('row', { name: /etl\/daily-orders/ }).waitFor();
    await narrow.keyboard.press('j');
    await narrow.keyboard.press('c');
    await narrow.getByRole('dialog', { name: '复制为' }).waitFor();
    expect(await violations(narrow)).toEqual([]);
    expect(await narrow.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(600);
    await picture(narrow, 'workflows-copy-dark-600');
    await page.bringToFront();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(`${server.url}/workflows/etl/daily-orders`);
  });

  it('is filtered by tag, owner, last state and schedule, as the command is', async () => {
    await server.publish(
      `name: tagged\nproject: etl\ntags: [nightly]\nschedules: [{ name: s, cron: '0 6 * * *', timezone: Asia/Shanghai }]\ntasks: [{ name: only, type: noop }]`,
    );
    const page = await open();
    await page.getByRole('row', { name: /etl\/tagged/ }).waitFor();
    await page.keyboard.press('/');
    const options = page.getByRole('option');
    await expect
      .poll(() => options.allTextContents())
      .toEqual(['project:', 'tag:', 'owner:', 'state:', 'schedule:']);
    await page.keyboard.type('tag:');
    await expect.poll(() => options.allTextContents()).toEqual(['tag:nightly']);
    await page.keyboard.type('nightly');
    await page.keyboard.press('Enter');
    await page.waitForURL(/tag=nightly/);
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.getByText('06:00 Asia/Shanghai').waitFor();
    await page.goto(`${server.url}/workflows?state=failed`);
    await page.getByRole('row', { name: /etl\/broken/ }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.goto(`${server.url}/workflows?schedule=on&owner=admin`);
    await page.getByRole('row', { name: /etl\/tagged/ }).waitFor();
    await page.getByRole('row', { name: /etl\/broken/ }).waitFor({ state: 'detached' });
    // Dropped filters show what comes, not that there is nothing.
    await page.goto(`${server.url}/workflows?tag=none-such`);
    await page.getByRole('heading', { name: 'Nothing matches these filters' }).waitFor();
    await page.getByRole('button', { name: 'Drop tag' }).click();
    await page.getByRole('row', { name: /etl\/tagged/ }).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'tags' }).click();
    await page.getByRole('columnheader', { name: 'tags' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'workflows-columns');
    await server.client.deleteWorkflow({ project: 'etl', name: 'tagged' });
  });

  it('moves to another project by key, with a refusal that says why', async () => {
    const uses = `
name: used
project: moving
callableFrom: [shop]
tasks: [{ name: only, type: noop }]
---
name: user
project: moving
tasks: [{ name: sub, type: sub-workflow, with: { workflow: moving/used } }]
---
name: free
project: moving
tasks: [{ name: only, type: noop }]
`;
    await server.publish(uses);
    const page = await open('?project=moving');
    browsing.expectErrors(page, /409/);
    await page.getByRole('row', { name: /moving\/free/ }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog', { name: 'Move moving/free' });
    await dialog.getByRole('combobox', { name: 'project' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('shop');
    await dialog.getByText('orrery workflows rename moving/free shop/free').waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'workflows-move');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /moving\/free/ }).waitFor({ state: 'detached' });
    expect((await server.client.showWorkflow({ project: 'shop', name: 'free' })).version).toBe(2);

    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page
      .getByRole('toolbar', { name: '2 selected' })
      .getByRole('button', { name: 'Move to project' })
      .click();
    const both = page.getByRole('dialog', { name: 'Move 2 workflows' });
    await both.getByRole('combobox', { name: 'project' }).fill('shop');
    await both.getByRole('button', { name: 'Move', exact: true }).click();
    const refused = page.getByRole('dialog', { name: 'Move moving/used' });
    await refused
      .getByRole('alert')
      .getByText(/^moving\/used: .*moving\/user|shop\/user/)
      .waitFor();
    await page.waitForURL(/move=moving\/used/);
    expect((await server.client.showWorkflow({ project: 'shop', name: 'user' })).version).toBe(2);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Actions for moving/used' }).click();
    await page.getByRole('menuitem', { name: 'Move to project' }).click();
    await page.getByRole('dialog', { name: 'Move moving/used' }).waitFor();
    await picture(page, 'workflows-move-one');
  });

  it('shows a dialog by its address, and Back closes it', async () => {
    const page = await open();
    await page.getByRole('row', { name: /plain/ }).waitFor();
    await page.getByRole('button', { name: 'Actions for default/plain' }).click();
    await page.getByRole('menuitem', { name: 'Run' }).click();
    await page.getByRole('dialog', { name: 'Run default/plain' }).waitFor();
    const address = page.url();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const fresh = await browsing.open(address);
    await fresh.getByRole('dialog', { name: 'Run default/plain' }).waitFor();
  });

  it('follows a run without a request of its own', async () => {
    const page = await open();
    const bars = page.getByRole('slider', { name: 'Last runs of default/plain' });
    await bars.waitFor();
    await page.getByRole('button', { name: /^live\./ }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/v1/workflows')) asked.push(request.url());
    });
    const id = await server.runTo('plain', 'success');
    await page.waitForFunction(
      (text) =>
        document
          .querySelector('[aria-label="Last runs of default/plain"]')
          ?.getAttribute('aria-valuetext')
          ?.startsWith(text),
      `run ${id}, success`,
    );
    expect(asked).toEqual([]);
  });

  it('pauses and resumes schedules, and the row says so', async () => {
    const page = await open();
    const row = page.getByRole('row', { name: /etl\/daily-orders/ });
    await row.getByText('every 1 h').waitFor();
    await row.getByRole('button', { name: /^Actions/ }).click();
    await page.getByRole('menuitem', { name: 'Pause schedules' }).click();
    await row.getByText('every 1 h (paused)').waitFor();
    const { schedules } = await server.client.listSchedules({ workflow: 'etl/daily-orders' });
    expect(schedules.map(({ state }) => state)).toEqual(['paused']);
    await row.getByRole('button', { name: /^Actions/ }).click();
    await page.getByRole('menuitem', { name: 'Resume schedules' }).click();
    await row.getByText('every 1 h', { exact: true }).waitFor();
  });

  it('exports what reads back the same', async () => {
    const page = await open();
    const folder = mkdtempSync(join(tmpdir(), 'orrery-export-'));
    const row = page.getByRole('row', { name: /etl\/broken/ });
    await row.getByRole('button', { name: /^Actions/ }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export YAML' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('broken.yaml');
    await download.saveAs(join(folder, 'broken.yaml'));
    const text = readFileSync(join(folder, 'broken.yaml'), 'utf8');
    rmSync(folder, { recursive: true });
    expect((await server.client.publishWorkflows({ body: text, dryRun: true })).workflows).toMatchObject([
      { name: 'broken', changed: false },
    ]);
  });

  it('is filtered in the address, and offers to drop filters that match nothing', async () => {
    const page = await open();
    await page.getByRole('row', { name: /plain/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('nothing-like-this');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Nothing matches these filters' }).waitFor();
    await page.waitForURL(/q=nothing-like-this/);
    await page.getByRole('button', { name: 'Drop name' }).click();
    await page.getByRole('row', { name: /plain/ }).waitFor();
    await page.waitForURL((url) => !url.search.includes('q='));
  });

  it('forgets what was chosen when its filter changes', async () => {
    const page = await open();
    await page.getByRole('row', { name: /plain/ }).waitFor();
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await page.getByRole('toolbar', { name: /selected/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('plain');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=plain/);
    await page.getByRole('row', { name: /broken/ }).waitFor({ state: 'detached' });
    expect(await page.getByRole('toolbar', { name: /selected/ }).count()).toBe(0);
  });

  it('drops a bad parameter of the address with a notice that names it', async () => {
    const page = await open('?open=sesame&q=plain');
    await page.getByText('because it does not fit: open').waitFor();
    await page.getByRole('row', { name: /plain/ }).waitFor();
    await page.waitForURL(/\?q=plain$/);
  });

  it('stars a workflow onto Home', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Keep etl/broken on Home' }).click();
    await page.getByRole('link', { name: 'Home', exact: false }).first().click();
    await page.getByRole('heading', { name: 'Watched workflows' }).waitFor();
    await page.getByRole('slider', { name: 'Last runs of broken' }).waitFor();
  });
});
