/** Waits for what is shared: slots of a task group, workers that serve the more urgent first, masters without room. */
import { join } from 'node:path';
import { createClient } from '@orrery/sdk/client';
import { Engine } from '@orrery/testkit/engine';
import { serveEngine } from '@orrery/testkit/engine-api';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { retryUntilGone } from './harness/retry.ts';
import { Server } from './harness/server.ts';

const shell = (script: string) => `type: shell, with: { script: ${JSON.stringify(script)} }`;
const file = `
name: grouped
project: etl
params: { seconds: 600 }
tasks:
  - { name: holder, group: warehouse, ${shell('sleep ${seconds}')} }
  - { name: waiter, group: warehouse, ${shell('true')} }
---
name: busy
project: etl
tasks:
  - { name: one, ${shell('sleep 600')} }
  - { name: two, ${shell('sleep 600')} }
---
name: short
project: etl
tasks: [{ name: work, ${shell('true')} }]
---
name: long
project: etl
tasks: [{ name: work, ${shell('sleep 600')} }]
---
name: others
project: etl
tasks:
  - { name: upstream, type: dependent, with: { all: [{ workflow: short, window: today }] } }
  - { name: fan, type: dynamic, with: { workflow: long, over: { x: [1, 2, 3] }, parallelism: 1 } }
  - { name: later, delay: 10m, ${shell('true')} }
---
name: single
project: etl
limit: 1
tasks: [{ name: work, ${shell('sleep 600')} }]
---
name: gate
project: etl
tasks:
  - name: ask
    type: approval
    with: { message: Send 7 invoices?, fields: { most: { type: integer, required: true } } }
`;

const browsing = useBrowser();
const detailsOf = (page: Page, task: string) =>
  page.getByRole('complementary', { name: `Details of ${task}` });

describe('the page of a run', () => {
  let server: Server;
  beforeAll(async () => {
    server = await Server.start('--slots', '2');
    await server.client.setTaskGroup({ project: 'etl', name: 'warehouse', body: { slots: 1 } });
    await server.publish(file);
  });
  afterAll(() => server?.stop());

  const start = async (workflow: string, priority?: 'low' | 'highest') =>
    (await server.client.startRun({ body: { workflow, priority } })).id;

  /** Waits until something is explained by this reason; what is said of it. */
  async function explained(id: string, code: string) {
    for (;;) {
      // Before its run is claimed there is no such task run.
      const found = await server.client.explain({ id }).catch(() => undefined);
      if (found?.code === code) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  it('asks a person on Home and beside the task, and takes one answer', async () => {
    const id = await start('etl/gate');
    await explained(`${id}.ask`, 'approval');
    const page = await browsing.open(server.url);
    await page.getByRole('link', { name: 'etl/gate: ask waits for an answer: Send 7 invoices?' }).click();
    const card = detailsOf(page, 'ask').getByRole('region', { name: 'Waits for an answer' });
    await card.getByText('Send 7 invoices?').waitFor();
    expect(await violations(page)).toEqual([]);
    const yes = card.getByRole('button', { name: 'Yes' });
    expect(await yes.isDisabled()).toBe(true);
    await card.getByLabel('most · integer').fill('many');
    expect(await yes.isDisabled()).toBe(true);
    await card.getByLabel('most · integer').fill('5');
    await card.getByLabel('Comment').fill('until Friday');
    await yes.click();
    await server.reaches(id, 'success');
    await card.waitFor({ state: 'detached' });
    const { outputs } = await server.client.showTaskRun({ id: `${id}.ask` });
    expect(outputs).toEqual({ most: '5', answer: 'yes', answeredBy: 'admin', comment: 'until Friday' });
  });

  it('is given another priority while it waits for its turn, and not once it has started', async () => {
    const first = await start('etl/single');
    await server.reaches(first, 'running');
    const second = await start('etl/single');
    await server.reaches(second, 'waiting');
    const page = await browsing.open(`${server.url}/runs/${second}`);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Priority: medium…' }).click();
    const dialog = page.getByRole('dialog', { name: `Priority of run ${second}` });
    await dialog.getByRole('combobox', { name: 'Priority' }).click();
    await page.getByRole('option', { name: 'highest' }).click();
    await dialog.getByText(`orrery runs set-priority highest ${second}`).waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Set priority' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(async () => (await server.client.showRun({ id: second })).priority).toBe('highest');
    await server.client.stopRun({ id: first, body: {} });
    await server.reaches(second, 'running');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    const started = page.getByRole('menuitem', { name: 'Priority: highest…' });
    await expect.poll(() => started.getAttribute('aria-disabled')).toBe('true');
    await server.client.stopRun({ id: second, body: {} });
  });

  it('says who has the slots of a full task group, on the line and the timeline, until there is one', async () => {
    const short = await server.client.startRun({ body: { workflow: 'etl/grouped', params: { seconds: 2 } } });
    await server.reaches(short.id, 'success');
    const id = await start('etl/grouped');
    await explained(`${id}.holder`, 'attempt-runs');
    const { why, frees } = await explained(`${id}.waiter`, 'limit-full');
    expect(why).toContain(`1 of 1 taken by ${id}.holder`);
    expect(frees).toMatch(new RegExp(`^${id}\\.holder ends, which usually takes \\d+s$`));
    const page = await browsing.open(`${server.url}/runs/${id}?view=timeline&task=waiter`);
    await detailsOf(page, 'waiter').getByText(why).waitFor();
    await detailsOf(page, 'waiter').getByText(String(frees)).waitFor();
    await page
      .getByRole('button', { name: /^waiter, shell task, queued, waited .*, waits: task group$/ })
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'run-waits-group');
    const chinese = await browsing.open(page.url(), { language: 'zh-CN' });
    await chinese.getByText(/^何时继续：\d+\.holder 结束，通常需要 [\d.]+ 秒$/).waitFor();
    await chinese.close();
    await detailsOf(page, 'waiter').getByRole('button', { name: 'Start now' }).waitFor();
    await detailsOf(page, 'waiter')
      .getByRole('link', { name: `Open ${id}.holder` })
      .click();
    await detailsOf(page, 'holder').waitFor();
    await page.goBack();
    await detailsOf(page, 'waiter').getByRole('button', { name: 'Start now' }).waitFor();
    await page.keyboard.press('N');
    await page.getByRole('button', { name: /^waiter, shell task, success/ }).waitFor();
    await detailsOf(page, 'waiter')
      .getByText(/^task group warehouse \d/)
      .waitFor();
    await picture(page, 'run-waited-group');
    const after = await browsing.open(page.url(), { language: 'zh-CN', scheme: 'dark' });
    await after.getByText(/^任务组 warehouse \d/).waitFor();
    await picture(after, 'run-waited-group-zh');
    await server.client.stopRun({ id, body: {} });
    await server.reaches(id, 'stopped');
  });

  it('says how many of higher priority are served before it, until they were', async () => {
    const busy = await start('etl/busy');
    await explained(`${busy}.one`, 'attempt-runs');
    await explained(`${busy}.two`, 'attempt-runs');
    const low = await start('etl/short', 'low');
    await explained(`${low}.work`, 'slots-taken');
    const urgent = await start('etl/short', 'highest');
    await explained(`${urgent}.work`, 'slots-taken');
    const { why, frees } = await server.client.explain({ id: `${low}.work` });
    expect(why).toContain(
      '1 before it, 1 of them of higher priority; all 2 slots of 1 live worker are taken',
    );
    const page = await browsing.open(`${server.url}/runs/${low}?view=timeline&task=work`);
    await detailsOf(page, 'work').getByText(why).waitFor();
    await detailsOf(page, 'work').getByText(String(frees)).waitFor();
    await page
      .getByRole('button', { name: /^work, shell task, queued, waited .*, waits: priority$/ })
      .waitFor();
    await picture(page, 'run-waits-priority');
    await server.client.stopRun({ id: busy, body: {} });
    await page.getByRole('button', { name: /^work, shell task, success/ }).waitFor();
    expect((await server.client.showRun({ id: urgent })).state).not.toBe('queued');
  });
});

describe('the page of a run with tasks of its own kinds', () => {
  let server: Server;
  let id: number;
  beforeAll(async () => {
    server = await Server.start('--slots', '4');
    await server.client.setTaskGroup({ project: 'etl', name: 'warehouse', body: { slots: 1 } });
    await server.publish(file);
    id = await server.runTo('etl/others', 'running');
  });
  afterAll(() => server?.stop());

  const whyOf = async (task: string, code: string) => {
    for (;;) {
      const found = await server.client.explain({ id: `${id}.${task}` });
      if (found.code === code) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const opened = (task: string) => browsing.open(`${server.url}/runs/${id}?view=table&task=${task}`);

  it('says which runs of other workflows it depends on, until they have succeeded', async () => {
    const { why, frees } = await whyOf('upstream', 'depends');
    expect(why).toContain('waits for etl/short of');
    const page = await opened('upstream');
    await detailsOf(page, 'upstream').getByText(why).waitFor();
    await detailsOf(page, 'upstream').getByText(String(frees)).waitFor();
    await picture(page, 'run-waits-depends');
    // Of the same day, also where the day ends while this runs.
    const { businessTime } = await server.client.showRun({ id });
    await server.client.startRun({ body: { workflow: 'etl/short', businessTime } });
    await page.getByRole('row', { name: /^upstream success/ }).waitFor();
  });

  it('says how many child runs of a series have ended, and leads to those that are open', async () => {
    const { why, waitsFor } = await whyOf('fan', 'series');
    expect(why).toBe('0 of 3 child runs have ended, 1 are open');
    const page = await opened('fan');
    await detailsOf(page, 'fan').getByText(why).waitFor();
    await picture(page, 'run-waits-series');
    await detailsOf(page, 'fan')
      .getByRole('link', { name: `Open ${waitsFor[0]}` })
      .click();
    await page.getByRole('link', { name: `started by run ${id}` }).waitFor();
  });

  it('says that a task is held by a pause, in both languages, with the button that ends it', async () => {
    await whyOf('later', 'delayed');
    await server.client.pauseRun({ id, body: {} });
    const { why } = await whyOf('later', 'held');
    const page = await opened('later');
    await detailsOf(page, 'later').getByText(why).waitFor();
    await page.keyboard.press('w');
    await page.getByText(`${id}.later: ${why}`).waitFor();
    await picture(page, 'run-waits-held');
    const chinese = await browsing.open(page.url(), { language: 'zh-CN' });
    await chinese.getByText('因运行暂停而挂起').waitFor();
    await chinese.keyboard.press('w');
    await chinese.getByText(`${id}.later: 因运行暂停而挂起`).waitFor();
    await detailsOf(page, 'later').getByRole('button', { name: 'Resume' }).click();
    await detailsOf(page, 'later').getByText('because of its delay').waitFor();
    await detailsOf(page, 'later').getByRole('button', { name: 'Start now' }).click();
    await page.getByRole('row', { name: /^later success/ }).waitFor();
    await server.client.stopRun({ id, body: {} });
  });

  it('says what went wrong when the reason cannot be read, and asks again', async () => {
    const page = await browsing.open(server.url);
    browsing.expectErrors(page, /500/);
    const problem = {
      type: 'urn:orrery:problem:defect',
      title: 'Something went wrong in Orrery',
      status: 500,
      detail: 'no reason today',
      requestId: 'r-1',
    };
    await page.route('**/api/v1/why/**', (route) =>
      route.fulfill({ status: 500, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
    );
    const other = await server.runTo('etl/long', 'running');
    await page.goto(`${server.url}/runs/${other}`);
    const panel = page.getByRole('alert').filter({ hasText: 'no reason today' });
    await panel.waitFor();
    await page.unroute('**/api/v1/why/**');
    await retryUntilGone(panel);
    await page.getByText('1 task run running').waitFor();
    await server.client.stopRun({ id: other, body: {} });
  });
});

describe('the page of a run without owner', () => {
  it('says that no master is alive and how to start one, until one has claimed it', async () => {
    const engine = await Engine.start({ after: 600_000 });
    const api = await serveEngine(
      engine,
      '.',
      join(import.meta.dirname, '..', '..', 'packages', 'ui', 'dist'),
    );
    const client = createClient({ url: api.url });
    await client.publishWorkflows({
      body: `name: short\nproject: etl\ntasks: [{ name: work, ${shell('true')} }]`,
    });
    const { id } = await client.startRun({ body: { workflow: 'etl/short' } });
    await engine.pass(10_000);
    const [{ epoch }] = await engine.store.listNodes();
    await engine.store.leaveNode({ self: { node: 'm1', epoch }, now: engine.clock.now() });
    const { code, why } = await client.explain({ id });
    expect(code).toBe('unowned-no-master');
    const page = await browsing.open(`${api.url}/runs/${id}`);
    await page.getByText(why).waitFor();
    await page.getByText('npx orrery dev', { exact: true }).waitFor();
    await picture(page, 'run-waits-owner');
    engine.crashMaster();
    await engine.pass(60_000);
    await page.getByText('1 task run running').waitFor();
    await page.close();
    await api.stop();
  });
});

describe('the page of a queued run', () => {
  it('says that no master has room, until one has', async () => {
    const engine = await Engine.start({ after: 60_000 }, { room: 1 });
    const dist = join(import.meta.dirname, '..', '..', 'packages', 'ui', 'dist');
    const api = await serveEngine(engine, '.', dist);
    const client = createClient({ url: api.url });
    await client.publishWorkflows({
      body: `name: short\nproject: etl\ntasks: [{ name: work, ${shell('true')} }]`,
    });
    const first = await client.startRun({ body: { workflow: 'etl/short' } });
    const { id } = await client.startRun({ body: { workflow: 'etl/short' } });
    await engine.pass(10_000);
    const { code, why, frees } = await client.explain({ id });
    expect([code, (await client.showRun({ id: first.id })).state]).toEqual(['start-masters-full', 'running']);
    const page = await browsing.open(`${api.url}/runs/${id}`);
    await page.getByText(why).waitFor();
    await page.getByText(String(frees)).waitFor();
    await page.getByRole('heading', { name: 'Queued, next in line' }).waitFor();
    await picture(page, 'run-waits-master');
    await engine.pass(120_000);
    await page.reload();
    await page.getByRole('button', { name: 'success 1', exact: true }).waitFor();
    await page.close();
    await api.stop();
  });
});
