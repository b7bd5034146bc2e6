import { testDatabase } from '@orrery/testkit/databases';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NodeProcess, TestCluster } from '../../packages/cli/src/server/node-process.ts';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';

const file = `
name: broken
tasks: [{ name: fail, type: shell, with: { script: "echo last words; exit 3" } }]
---
name: endless
tasks: [{ name: ticks, type: shell, with: { script: "i=0; while true; do i=$((i+1)); echo tick $i; sleep 0.1; done" } }]
`;

let database: Awaited<ReturnType<typeof testDatabase>>;
let cluster: TestCluster;
const browsing = useBrowser();
beforeAll(async () => {
  database = await testDatabase();
  cluster = new TestCluster(database.url, '--join-token', 'hush');
});
afterAll(async () => {
  await cluster?.stop();
  await database?.drop();
});

let worker: NodeProcess;
let api: NodeProcess;
beforeAll(async () => {
  await cluster.master('m1');
  worker = await cluster.worker('w1', 'm1');
  api = await cluster.api();
  await cluster.publish(file);
});

/** The lines in view that hold a tick: the number of the line, and that of the tick. */
function ticks(page: Page): Promise<readonly (readonly [number, number])[]> {
  return page.locator('[data-line]').evaluateAll((rows) =>
    rows.flatMap((row) => {
      const tick = /tick (\d+)$/.exec(row.textContent ?? '');
      return tick ? [[Number(row.getAttribute('data-line')), Number(tick[1])] as const] : [];
    }),
  );
}

describe('an API that was killed', () => {
  it('is reconnected to while a log is followed, and nothing is doubled or lost', async () => {
    const run = await cluster.run('endless');
    await cluster.log(`${run}.ticks.1`, ({ text }) => text.includes('tick 3'));
    const page = await browsing.open(`${await cluster.url()}/task-runs/${run}.ticks`);
    browsing.expectErrors(page, /Failed to load resource|ERR_/);
    await page.getByText('tick 3', { exact: true }).waitFor();
    await api.end('SIGKILL');
    const told = page.getByText(/^Reconnecting/);
    await told.waitFor();
    await picture(page, 'log-reconnecting');
    expect(await violations(page)).toEqual([]);
    const before = (await ticks(page)).at(-1)?.[1] ?? 0;
    api = await cluster.api();
    await told.waitFor({ state: 'detached' });
    await expect.poll(async () => (await ticks(page)).at(-1)?.[1]).toBeGreaterThan(before + 10);
    await expect.poll(() => page.getByRole('switch', { name: 'Follow' }).isChecked()).toBe(true);
    // A log that grows while it is paged through may add more lines at once than are in view.
    await fetch(`${await cluster.url()}/api/v1/runs/${run}/stop`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(await cluster.endOf(run)).toBe('stopped');
    await page.getByText('stopped', { exact: true }).first().waitFor();
    await page.getByRole('region', { name: /^Log, / }).focus();
    await page.keyboard.press('Home');
    let seen = 0;
    let now: Awaited<ReturnType<typeof ticks>> = [];
    while (seen < before + 10) {
      // What comes next is in view as soon as the page has moved.
      const goesOn = async () => {
        now = await ticks(page);
        return now.some(([, tick]) => tick === seen + 1);
      };
      await expect.poll(goesOn).toBe(true);
      for (const [line, tick] of now) expect(line - tick).toBe(now[0][0] - now[0][1]);
      seen = now.at(-1)?.[1] ?? seen;
      await page.keyboard.press('PageDown');
    }
  });
});

describe('a worker that was killed', () => {
  it('leaves the end of its logs, and the console says which worker held the rest', async () => {
    const run = await cluster.run('broken');
    expect(await cluster.endOf(run)).toBe('failed');
    const page = await browsing.open(`${await cluster.url()}/task-runs/${run}.fail`);
    await page.getByText('last words', { exact: true }).waitFor();
    await expect.poll(() => page.getByText(/The log itself is gone/).count()).toBe(0);
    await worker.end('SIGKILL');
    await page.reload();
    await page.getByText('The log itself is gone: worker w1 held the file', { exact: false }).waitFor();
    await page.getByText(/does not answer\. It was last heard of \d+/).waitFor();
    await page.getByText('last words', { exact: true }).waitFor();
    await picture(page, 'log-worker-killed');
    expect(await violations(page)).toEqual([]);
  });

  it('tells a log that it has removed since as expired, with the rule', async () => {
    const run = await cluster.run('broken');
    worker = await cluster.worker('w1', 'm1');
    expect(await cluster.endOf(run)).toBe('failed');
    await worker.end('SIGKILL');
    const master = `127.0.0.1:${await cluster.portOf('m1')}`;
    const common = ['--role', 'worker', '--name', 'w1', '--join', master];
    const page = await browsing.open(`${await cluster.url()}/task-runs/${run}.fail`);
    await page.getByText('The log itself is gone: worker w1 held the file', { exact: false }).waitFor();
    worker = await cluster.start(...common, '--keep-logs', '1s');
    await expect
      .poll(() => cluster.call(`/attempts/${run}.fail.1/log`), { timeout: 60_000 })
      .toMatchObject({ loss: { reason: 'expired' } });
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('The log has expired: worker w1 keeps logs for 1 s', { exact: false }).waitFor();
    await page.getByText('last words', { exact: true }).waitFor();
    await picture(page, 'log-expired');
    expect(await violations(page)).toEqual([]);
  });
});
