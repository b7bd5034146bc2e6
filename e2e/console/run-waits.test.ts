/** Waits for what is shared: slots of a task group, workers that serve the more urgent first, masters without room. */
import { join } from 'node:path';
import { createClient } from '@orrery/sdk/client';
import { Engine } from '@orrery/testkit/engine';
import { serveEngine } from '@orrery/testkit/engine-api';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { Server } from './harness/server.ts';

const shell = (script: string) => `type: shell, with: { script: ${JSON.stringify(script)} }`;
const file = `
name: grouped
project: etl
tasks:
  - { name: holder, group: warehouse, ${shell('sleep 600')} }
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

  it('says who has the slots of a full task group, on the line and the timeline, until there is one', async () => {
    const id = await start('etl/grouped');
    const { why, frees } = await explained(`${id}.waiter`, 'limit-full');
    expect(why).toContain(`1 of 1 taken by ${id}.holder`);
    const page = await browsing.open(`${server.url}/runs/${id}?view=timeline&task=waiter`);
    await detailsOf(page, 'waiter').getByText(why).waitFor();
    await detailsOf(page, 'waiter').getByText(String(frees)).waitFor();
    await page.getByRole('button', { name: /^waiter, shell task, queued, waited / }).waitFor();
    await picture(page, 'run-waits-group');
    await server.client.setTaskGroup({ project: 'etl', name: 'warehouse', body: { slots: 2 } });
    await page.getByRole('button', { name: /^waiter, shell task, success/ }).waitFor();
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
    await page.getByRole('button', { name: /^work, shell task, queued, waited / }).waitFor();
    await picture(page, 'run-waits-priority');
    await server.client.stopRun({ id: busy, body: {} });
    await page.getByRole('button', { name: /^work, shell task, success/ }).waitFor();
    expect((await server.client.showRun({ id: urgent })).state).not.toBe('queued');
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
