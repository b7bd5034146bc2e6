/** What a run says about itself: what failed and which attempt, what started it, who lost it and who went on, its history. */
import { join } from 'node:path';
import { createClient } from '@orrery/sdk/client';
import { Engine } from '@orrery/testkit/engine';
import { serveEngine } from '@orrery/testkit/engine-api';
import type { Assignment } from '@orrery/wire/frames';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';

const dist = join(import.meta.dirname, '..', '..', 'packages', 'ui', 'dist');
const script = 'with: { script: "true" }';
const file = `
name: orders
project: etl
schedules: [{ name: often, cron: "0 * * * * ?" }]
tasks:
  - { name: load_orders, type: shell, ${script}, retries: { limit: 2, delay: 1s } }
  - { name: report, type: shell, ${script}, needs: load_orders }
  - { name: mail, type: shell, ${script}, needs: report }
---
name: follow-up
project: etl
triggers: [{ name: go, after: { workflows: [orders], states: [failed] } }]
tasks: [{ name: clean, type: shell, ${script} }]
---
name: long
project: etl
tasks: [{ name: first, type: shell, ${script} }, { name: second, type: shell, ${script}, needs: first }]
`;

const browsing = useBrowser();

describe('the head of a run', () => {
  let engine: Engine;
  let api: Awaited<ReturnType<typeof serveEngine>>;
  beforeEach(async () => {
    const play = ({ taskName }: Assignment) =>
      taskName === 'load_orders'
        ? ({ after: 10, state: 'failed', error: 'exit 1' } as const)
        : ({ after: 600_000, state: 'success' } as const);
    // From a full minute on, so that its ticks come at the same steps whenever this runs.
    engine = await Engine.start(play, {}, { now: Date.now() - (Date.now() % 60_000) });
    api = await serveEngine(engine, '.', dist);
    await createClient({ url: api.url }).publishWorkflows({ body: file });
  });
  afterEach(() => api.stop());
  const client = () => createClient({ url: api.url });
  /** No worker of this engine keeps logs. */
  const open = async (path: string) => {
    const page = await browsing.open(`${api.url}${path}`);
    browsing.expectErrors(page, /status of 500/);
    return page;
  };

  it('says which attempt failed, what was skipped, which tick it was, and what it started', async () => {
    await engine.pass(90_000);
    const { runs } = await client().listRuns({ workflow: 'etl/orders', state: ['failed'] });
    const { id } = runs[0];
    const page = await open(`/runs/${id}`);
    await page.getByText('attempt 3 of 3').waitFor();
    await page.getByText('exit 1', { exact: true }).first().waitFor();
    await page.getByText('report and mail skipped because of it').waitFor();
    await page.getByText(/schedule often, due .*:00 UTC, fired \d+ ms later/).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'run-head-facts');
    const [after] = (await client().listRuns({ workflow: 'etl/follow-up' })).runs;
    await page.goto(`${api.url}/runs/${after.id}`);
    await page.getByText(/^owner m1 epoch \d+$/).waitFor();
    await page.getByRole('link', { name: /^go after run \d+ of etl\/orders$/ }).click();
    await page.getByText('attempt 3 of 3').waitFor();
    await page.close();
  });

  it('says what a pause still waits for', async () => {
    const { id } = await client().startRun({ body: { workflow: 'etl/long' } });
    await engine.pass(5_000);
    await client().pauseRun({ id, body: {} });
    await engine.pass(5_000);
    expect((await client().showRun({ id })).state).toBe('pausing');
    const page = await open(`/runs/${id}`);
    await page.getByText('Still ending:').waitFor();
    await page.getByRole('button', { name: 'first', exact: true }).click();
    await page.getByRole('complementary', { name: 'Details of first' }).waitFor();
    await picture(page, 'run-head-pausing');
    await page.close();
  });

  it('says who lost the run and who went on, and lists all that happened, newest first and live', async () => {
    const { id } = await client().startRun({ body: { workflow: 'etl/long' } });
    await engine.pass(5_000);
    engine.crashMaster();
    await engine.pass(60_000);
    const page = await open(`/runs/${id}`);
    await page.getByText(/^m1 epoch 1 was lost at .* UTC, m1 epoch 2 went on after [\d.]+ m?s$/).waitFor();
    await page.getByText('owner m1 epoch 2').waitFor();
    await page.getByRole('button', { name: 'History' }).waitFor();
    await page.keyboard.press('h');
    const history = page.getByRole('list', { name: 'History' });
    await history.getByText('m1 epoch 2 went on with it').waitFor();
    await history.getByText('attempt 1 given to w1').waitFor();
    await history.getByRole('listitem').last().getByText('created, trigger api').waitFor();
    expect(page.url()).toContain('history=on');
    expect(await violations(page)).toEqual([]);
    await picture(page, 'run-history');
    await client().pauseRun({ id, body: { reason: 'bad input' } });
    await engine.pass(5_000);
    await history.getByText(/^Pause: asked for, /).waitFor();
    await history.getByText(/^Pause: done, /).waitFor();
    await history.getByText('bad input').waitFor();
    await history.getByRole('button', { name: 'first' }).first().click();
    await page.getByRole('complementary', { name: 'Details of first' }).waitFor();
    await page.keyboard.press('h');
    await history.waitFor();
    await page.keyboard.press('Escape');
    await history.waitFor({ state: 'detached' });
    const chinese = await browsing.open(`${api.url}/runs/${id}?history=on`, { language: 'zh-CN' });
    await chinese.getByText('m1 纪元 2 接手').waitFor();
    await picture(chinese, 'run-history-zh');
    await chinese.close();
    await page.close();
  });
});
