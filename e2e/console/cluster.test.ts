import { testDatabase } from '@orrery/testkit/databases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NodeProcess, TestCluster } from '../../packages/cli/src/server/node-process.ts';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';

const schedules = Array.from({ length: 12 }, (_, k) => `{ name: s${k}, cron: '0 0 1 1 *' }`);
const file = `name: yearly\nschedules: [${schedules.join(', ')}]\ntasks: [{ name: only, type: noop }]\n`;

let database: Awaited<ReturnType<typeof testDatabase>>;
let cluster: TestCluster;
let second: NodeProcess;
let url = '';
const browsing = useBrowser();

/** Two masters that share schedules by plan, with the database as their registry. */
beforeAll(async () => {
  database = await testDatabase();
  cluster = new TestCluster(database.url, '--join-token', 'hush');
  await cluster.api();
  url = await cluster.url();
  await cluster.publish(file);
  await cluster.master('m1');
  second = await cluster.master('m2');
});
afterAll(async () => {
  await cluster?.stop();
  await database?.drop();
});

const open = (path = '', view = {}) => browsing.open(`${url}/cluster${path}`, view);

describe('a cluster of two masters', () => {
  it('shows who leads and who holds what, and when one is killed the plan that follows and what happened', async () => {
    const page = await open();
    const masters = page.getByRole('region', { name: 'Masters' }).first();
    await masters.getByRole('row', { name: /m2.*6/ }).waitFor();
    await page
      .getByText(/2 of 2 masters and 0 of 0 workers alive .* masters share schedules by plan/)
      .waitFor();
    await page.getByRole('region', { name: 'API servers' }).first().waitFor();
    await page.getByText(/registry postgres/).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'cluster');

    const plan = await open('/plan', { scheme: 'dark' });
    const parts = plan.getByRole('region', { name: /^Schedules by master/ });
    await parts.getByRole('row', { name: /^m2/ }).waitFor();
    expect(await violations(plan)).toEqual([]);
    await second.end('SIGKILL');
    const history = await open('/history');
    await history.getByRole('row', { name: /m2 fenced m1/ }).waitFor();
    await history
      .getByRole('link', { name: /^plan \d+$/ })
      .first()
      .click();
    await history.waitForURL(/\/cluster\/plan\?number=\d+/);
    // What the dead one held passed to the other.
    const moved = history.getByRole('region', { name: /^Schedules by master/ }).getByRole('row');
    await moved.filter({ hasText: 'm2' }).first().waitFor();
    await history.getByText(/6 of 12 schedules changed hands/).waitFor();
    expect(await violations(history)).toEqual([]);
    await picture(history, 'cluster-plan');

    await page.goto(`${url}/cluster/nodes/m2`);
    await page.getByRole('row', { name: /m2 fenced m1/ }).waitFor();
    await page.getByRole('button', { name: 'Forget m2' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'cluster-node');
  });

  it('shows the slots of a worker with what runs in them', async () => {
    const master = await cluster.master('m3');
    const worker = await cluster.worker('w1', 'm3');
    await cluster.publish('name: long\ntasks: [{ name: load, type: shell, with: { script: sleep 600 } }]');
    const run = await cluster.run('long');
    const page = await open('/nodes/w1');
    const slots = page.getByRole('list', { name: 'Slots: 1 of 20 in use' });
    await slots.getByRole('link', { name: `${run}.load.1` }).waitFor();
    await page.getByText('19 slots are free.').waitFor();
    await page.getByRole('cell', { name: /^CPU \d+ %, memory \d+ %$/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'cluster-worker');
    await slots.getByRole('link', { name: `${run}.load.1` }).press('Enter');
    await page.waitForURL(new RegExp(`/task-runs/${run}\\.load\\?attempt=1`));
    await worker.end('SIGTERM');
    await master.end('SIGTERM');
  });

  it('is switched to claims and back, by keyboard, and says what another plan would give', async () => {
    const page = await open('/plan');
    await page.getByRole('button', { name: 'Change ownership' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Change ownership' });
    await dialog.getByRole('combobox', { name: 'Mode' }).press('Enter');
    await page.getByRole('option', { name: 'claim' }).click();
    await dialog.getByText('orrery ownership set --mode claim').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Change ownership' }).press('Enter');
    const claims = page.getByRole('region', { name: 'Ownership' });
    await claims.getByText('12 of at most 13').waitFor();
    await claims.getByRole('button', { name: 'Claim free schedules now' }).press('Enter');
    await page.getByText(/0 schedules are free/).waitFor();
    await picture(page, 'cluster-claims');

    const whatIf = page.getByRole('region', { name: 'What if' }).first();
    await whatIf.getByRole('textbox', { name: /^Masters/ }).fill('m1\nm2\nm3');
    await whatIf.getByRole('button', { name: 'Compute' }).press('Enter');
    await whatIf.getByRole('row', { name: 'm3 9 – 12 4' }).waitFor();

    const chinese = await open('/plan', { language: 'zh-CN', scheme: 'dark', width: 390 });
    await chinese.getByRole('heading', { name: '归属', exact: true }).waitFor();
    expect(await chinese.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await violations(chinese)).toEqual([]);
    await picture(chinese, 'cluster-chinese');
  });

  it('says so while the server does not answer', async () => {
    const page = await open();
    browsing.expectErrors(page, /500/);
    await page.route('**/api/v1/plans*', (route) => route.fulfill({ status: 500 }));
    await page.route('**/api/v1/cluster/events*', (route) => route.fulfill({ status: 500 }));
    await page.goto(`${url}/cluster/history`);
    await page.getByRole('alert').getByRole('button', { name: 'Retry' }).waitFor();
  });
});
