import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { Server } from './harness/server.ts';

const script = (text: string) => `with: { script: ${JSON.stringify(text)} }`;
const file = `
name: orders
project: etl
params: { day: "0814" }
tasks:
  - { name: extract, type: shell, ${script('echo reading')} }
  - { name: clean, type: noop, needs: [extract] }
  - { name: audit, type: noop, needs: [extract] }
  - { name: load, type: shell, needs: [clean, audit], retries: { limit: 1, delay: 100ms }, ${script('echo "<img src=x onerror=alert(1)>"; echo "ERROR connection refused db-3"; exit 7')} }
  - { name: report, type: noop, needs: [load] }
  - { name: parts, type: shell, needs: [extract], shards: 3, ${script('test "$ORRERY_SHARD" != 1')} }
---
name: long
project: etl
tasks:
  - { name: first, type: shell, ${script('while true; do echo tick; sleep 0.2; done')} }
  - { name: second, type: noop, needs: [first] }
---
name: child
project: etl
tasks: [{ name: work, type: shell, ${script('sleep 600')} }]
---
name: waits
project: etl
tasks:
  - { name: no-worker, type: shell, workerGroup: gpu, ${script('true')} }
  - { name: delayed, type: noop, delay: 1h }
  - { name: retried, type: shell, retries: { limit: 3, delay: 1h }, ${script('exit 1')} }
  - { name: sub, type: sub-workflow, with: { workflow: etl/child } }
  - { name: needs-delayed, type: noop, needs: [delayed] }
---
name: one-at-a-time
project: etl
mode: serial-wait
tasks: [{ name: work, type: shell, ${script('sleep 600')} }]
`;

let server: Server;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start('--slots', '8');
  await server.publish(file);
});
afterAll(() => server?.stop());

const open = (id: number, query = '', view = {}) => browsing.open(`${server.url}/runs/${id}${query}`, view);
const detailsOf = (page: Page, task: string) =>
  page.getByRole('complementary', { name: `Details of ${task}` });

/** Every task run of a run by name. */
async function tasksOf(id: number): Promise<Map<string, { state: string; round: number }>> {
  const { states, columns } = await server.client.listTasks({ id });
  return new Map(
    columns.name.map((name, row) => [name, { state: states[columns.state[row]], round: columns.round[row] }]),
  );
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('a failed run', () => {
  let id: number;
  beforeAll(async () => {
    id = await server.runTo('etl/orders', 'failed');
  });

  it('shows its cause and the end of the log without a click', async () => {
    const page = await open(id);
    const { failed } = await server.client.showRun({ id });
    const details = detailsOf(page, failed?.task ?? '');
    await details.getByRole('region', { name: 'Log' }).getByText('exit code').first().waitFor();
    await page.getByRole('button', { name: `${failed?.task} failed` }).waitFor();
    await page.waitForURL(new RegExp(`task=${failed?.task}`));
    await picture(page, 'run-failed');
  });

  it('shows what a task printed as text, whatever it is', async () => {
    const page = await open(id, '?task=load');
    const log = detailsOf(page, 'load').getByRole('region', { name: 'Log' });
    await log.getByText('<img src=x onerror=alert(1)>').waitFor();
    await expect.poll(() => page.locator('img').count()).toBe(0);
    await detailsOf(page, 'load').getByText('ERROR connection refused db-3 (exit code 7)').first().waitFor();
  });

  it('is the same in graph, timeline and table', async () => {
    const words: Record<string, string> = { killed: 'stopped' };
    const tasks = await tasksOf(id);
    const page = await open(id, '?view=graph');
    for (const view of ['graph', 'timeline', 'table']) {
      await page.goto(`${server.url}/runs/${id}?view=${view}`);
      for (const [name, { state }] of tasks) {
        await page.getByRole('textbox', { name: 'Find task' }).waitFor();
        await page.goto(`${server.url}/runs/${id}?view=${view}&task=${name}`);
        const word = words[state] ?? state;
        if (view === 'table') await page.getByRole('row', { name: new RegExp(`^${name} ${word}`) }).waitFor();
        else await page.getByRole('button', { name: new RegExp(`^${name}, \\w+ task, ${word}`) }).waitFor();
      }
    }
  });

  it('is walked by arrows, switched by v, and its log opened by l', async () => {
    const page = await open(id, '?task=extract');
    const box = (name: string) => page.getByRole('button', { name: new RegExp(`^${name},`) });
    await box('extract').focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/task=(clean|audit|parts)/);
    await page
      .getByRole('button', { name: /^(clean|audit|parts),/ })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.press('End');
    await page.waitForURL(/task=report/);
    await box('report').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Home');
    await page.waitForURL(/task=extract/);
    await box('extract').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('v');
    await page.getByRole('region', { name: /^Timeline of the run/ }).waitFor();
    await box('extract').focus();
    await page.keyboard.press('ArrowDown');
    await page.waitForURL(/task=(clean|audit|parts)/);
    await page.keyboard.press('v');
    await page.getByRole('grid', { name: 'Task runs of the run' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.search.includes('task='));
    await page.goto(`${server.url}/runs/${id}?task=load`);
    await detailsOf(page, 'load').waitFor();
    await page.keyboard.press('l');
    await page.waitForURL(/\/task-runs\//);
  });

  it('finds tasks by name and by state, in the address', async () => {
    const page = await open(id, '?view=table');
    await page.getByRole('row', { name: /^extract/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('lo');
    await page.getByRole('row', { name: /^extract/ }).waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('row', { name: /^load/ }).count()).toBe(1);
    await page.waitForURL(/q=lo$/);
    const fresh = await open(id, '?view=table&state=skipped');
    await fresh.getByRole('row', { name: /^report/ }).waitFor();
    await expect.poll(() => fresh.getByRole('row').count()).toBe(2);
    await expect.poll(() => fresh.getByRole('button', { name: /^skipped/, pressed: true }).count()).toBe(1);
  });

  it('shows attempts and shards, each with the way to its log', async () => {
    const page = await open(id, '?task=load&tab=attempts');
    const details = detailsOf(page, 'load');
    await details.getByRole('link', { name: '2', exact: true }).waitFor();
    await page.goto(`${server.url}/runs/${id}?task=parts&tab=shards`);
    await detailsOf(page, 'parts')
      .getByRole('row', { name: /^1 .*failed/ })
      .getByRole('link')
      .click();
    await page.waitForURL(/task-runs\/\d+\.parts\?.*shard=1/);
  });

  it.each([
    ['light', 1440, 'en', 'graph'],
    ['dark', 1440, 'en', 'graph'],
    ['light', 1440, 'en', 'timeline'],
    ['dark', 1440, 'en', 'timeline'],
    ['light', 1440, 'en', 'table'],
    ['dark', 900, 'en', 'table'],
    ['light', 900, 'en', 'graph'],
    ['light', 1440, 'zh-CN', 'timeline'],
    ['light', 1440, 'x-pseudo', 'graph'],
  ] as const)('has no violation in %s at %i px in %s as %s', async (scheme, width, language, view) => {
    const page = await open(id, `?view=${view}&task=load`, { scheme, width, language });
    await page.getByRole('complementary').getByText('connection refused').first().waitFor();
    if (view !== 'table') await page.getByRole('button', { name: /^load[,，]/ }).waitFor();
    await picture(page, `run-${view}-${scheme}-${width}-${language}`);
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });
});

describe('running again', () => {
  it.each([
    ['recover', ''],
    ['all', ''],
    ['from', 'clean'],
    ['to', 'clean'],
    ['only', 'audit'],
  ])('%s %s runs just what it painted', async (mode, task) => {
    const id = await server.runTo('etl/orders', 'failed');
    const { round } = await server.client.showRun({ id });
    const page = await open(id, `?again=${mode}${task && `&task=${task}`}`);
    const panel = page.getByRole('complementary', { name: 'Run again' });
    await panel.getByRole('heading', { name: /would run of 6/ }).waitFor();
    const painted = await panel
      .getByRole('checkbox')
      .evaluateAll((boxes) => boxes.map((box) => box.getAttribute('aria-label')?.replace('Run ', '')));
    await picture(page, `run-again-${mode}`);
    await panel.getByRole('button', { name: /^Run \d+ task/ }).click();
    await page.getByText(/^(Rerun|Recover failed) requested$/).waitFor();
    await until(async () => {
      const now = await server.client.showRun({ id });
      return now.round > round && ['failed', 'success'].includes(now.state) ? now : undefined;
    });
    const ran = [...(await tasksOf(id))].filter(([, one]) => one.round > round).map(([name]) => name);
    expect(ran.sort()).toEqual(painted.sort());
    expect(ran.length).toBeGreaterThan(0);
  });

  it('leaves out what was unticked, and prints the command that does the same', async () => {
    const id = await server.runTo('etl/orders', 'failed');
    const page = await open(id, '?again=all');
    const panel = page.getByRole('complementary', { name: 'Run again' });
    await panel.getByRole('checkbox', { name: 'Run load' }).uncheck();
    await panel.getByRole('checkbox', { name: 'Run parts' }).uncheck();
    await panel.getByText(/orrery runs rerun \d+ --only extract --only clean/).waitFor();
    expect(await violations(page)).toEqual([]);
    await panel.getByRole('button', { name: 'Run 4 tasks' }).click();
    await until(async () => ((await server.client.showRun({ id })).round > 1 ? true : undefined));
    const ran = [...(await tasksOf(id))].filter(([, { round }]) => round === 2).map(([name]) => name);
    expect(ran.sort()).toEqual(['audit', 'clean', 'extract', 'report']);
  });
});

describe('a run under way', () => {
  it('shows how it goes on without a reload, and a stop names what it kills', async () => {
    const id = await server.runTo('etl/long', 'running');
    const page = await open(id, '?view=table');
    await page.getByRole('row', { name: /^first running/ }).waitFor();
    await page.keyboard.press('s');
    const dialog = page.getByRole('dialog', { name: `Stop run ${id}?` });
    await dialog.getByText('This task run will be killed:').waitFor();
    await dialog.getByRole('listitem').getByText('first').waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'run-stop');
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('row', { name: /^first stopped/ }).waitFor();
    await page.getByRole('heading', { level: 1 }).getByText('stopped').waitFor();
    expect((await server.client.showRun({ id })).state).toBe('stopped');
  });

  it('is paused and goes on by the same key', async () => {
    const id = await server.runTo('etl/long', 'running');
    const page = await open(id, '?view=table');
    await page.getByRole('row', { name: /^first running/ }).waitFor();
    await page.keyboard.press('p');
    const dialog = page.getByRole('dialog', { name: `Pause run ${id}?` });
    await dialog.getByRole('listitem').getByText('first').waitFor();
    await dialog.getByRole('button', { name: 'Pause' }).click();
    const resume = page.getByRole('button', { name: 'Resume' }).first();
    await resume.waitFor();
    await resume.click();
    await until(async () => ((await server.client.showRun({ id })).state === 'running' ? true : undefined));
    await server.client.stopRun({ id, body: {} });
  });

  it('a task is counted as success only with a reason', async () => {
    const id = await server.runTo('etl/orders', 'failed');
    const page = await open(id, '?task=load');
    await detailsOf(page, 'load').getByRole('button', { name: 'Count as success' }).click();
    const dialog = page.getByRole('dialog', { name: 'Count load as succeeded?' });
    await dialog.getByRole('button', { name: 'Count as success' }).click();
    await expect.poll(() => dialog.isVisible()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('loaded by hand');
    await dialog.getByRole('button', { name: 'Count as success' }).click();
    await page.getByRole('button', { name: /^load, shell task, forced/ }).waitFor();
  });

  it('says why each thing waits, in the words of the server', async () => {
    const id = await server.runTo('etl/waits', 'running');
    await until(async () => {
      const tasks = await tasksOf(id);
      return tasks.get('retried')?.state === 'retrying' && tasks.get('sub')?.state === 'waiting'
        ? true
        : undefined;
    });
    const page = await open(id, '?view=table');
    for (const task of ['no-worker', 'delayed', 'retried', 'sub', 'needs-delayed']) {
      await page.goto(`${server.url}/runs/${id}?view=table&task=${task}`);
      // As it is now: what it waits for goes on meanwhile.
      const isSaid = async () => {
        const { why } = await server.client.explain({ id: `${id}.${task}` });
        return detailsOf(page, task).getByText(why).isVisible();
      };
      await expect.poll(isSaid).toBe(true);
    }
    await picture(page, 'run-waits');
    for (const [task, wait] of [
      ['no-worker', 'no worker'],
      ['delayed', 'delay'],
      ['retried', 'retry back-off'],
      ['sub', 'sub-run'],
    ]) {
      await page.goto(`${server.url}/runs/${id}?view=timeline&task=${task}`);
      await page.getByRole('button', { name: new RegExp(`^${task}, .*, waits: ${wait}$`) }).waitFor();
    }
    await page.getByRole('img', { name: /^Waits/ }).focus();
    await picture(page, 'run-waits-timeline');
    await page.goto(`${server.url}/runs/${id}?view=table&task=needs-delayed`);
    await detailsOf(page, 'needs-delayed').getByRole('button', { name: 'delayed' }).click();
    await detailsOf(page, 'delayed').getByRole('button', { name: 'Start now' }).click();
    await page.getByRole('row', { name: /^needs-delayed success/ }).waitFor();
    await server.client.stopRun({ id, body: {} });
  });

  it('says what a run in line waits for', async () => {
    const first = await server.runTo('etl/one-at-a-time', 'running');
    const { id } = await server.client.startRun({ body: { workflow: 'etl/one-at-a-time' } });
    const page = await open(id);
    const isSaid = async () => {
      const { why } = await server.client.explain({ id });
      return why.includes(String(first)) && (await page.getByText(why).isVisible());
    };
    await expect.poll(isSaid).toBe(true);
    await picture(page, 'run-in-line');
    for (const one of [id, first]) await server.client.stopRun({ id: one, body: {} });
  });
});

describe('a run that is not there', () => {
  it('says so, and leads on', async () => {
    const page = await browsing.open(`${server.url}/login`);
    browsing.expectErrors(page, /404/);
    await page.goto(`${server.url}/runs/999999`);
    await page.getByRole('alert').getByText('there is no run 999999').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'All runs' }).first().click();
    await page.waitForURL(/\/runs$/);
  });

  it('is told apart from one that does not answer, which is tried again', async () => {
    const id = await server.runTo('etl/orders', 'failed');
    const page = await browsing.open(`${server.url}/login`);
    browsing.expectErrors(page, /500|Failed/);
    const refused = new Promise<void>((resolve) => {
      void page.route(`**/api/v1/runs/${id}`, async (route) => {
        await route.fulfill({ status: 500, body: 'no' });
        resolve();
      });
    });
    await page.goto(`${server.url}/runs/${id}`);
    await refused;
    await expect.poll(() => page.getByRole('alert').getByText('there is no run').count()).toBe(0);
    await page.unroute(`**/api/v1/runs/${id}`);
    await page.getByRole('heading', { level: 1 }).getByText('failed').waitFor();
  });
});
