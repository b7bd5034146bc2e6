import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { Server } from './harness/server.ts';

const script = (text: string) => `with: { script: ${JSON.stringify(text)} }`;
const file = `
name: odd
project: logs
tasks:
  - name: odd
    type: shell
    ${script(
      `printf '\\033[31mred\\033[0m plain\\n::group::install\\ninside\\n::endgroup::\\n{"a":{"b":1}}\\n<b>bold?</b>\\n'; head -c 12000 /dev/zero | tr '\\0' x; echo; exit 4`,
    )}
---
name: endless
project: logs
tasks:
  - { name: ticks, type: shell, ${script('i=0; while true; do i=$((i+1)); echo tick $i; sleep 0.1; done')} }
---
name: silent
project: logs
tasks: [{ name: silent, type: shell, ${script('sleep 600')} }]
---
name: stuck
project: logs
tasks: [{ name: stuck, type: shell, workerGroup: nobody, ${script('echo never')} }]
---
name: thrice
project: logs
params: { who: me }
tasks:
  - { name: thrice, type: shell, retries: { limit: 2, delay: 10ms }, ${script('echo this is try $ORRERY_ATTEMPT for ${who}; exit 1')} }
---
name: parted
project: logs
tasks:
  - { name: parted, type: shell, shards: 7, ${script('echo part $ORRERY_SHARD; [ $ORRERY_SHARD != 5 ]')} }
---
name: timed
project: logs
tasks:
  - name: timed
    type: shell
    shards: 2
    ${script(
      'for i in 0 1 2; do echo "2026-03-02T08:00:0$((i * 2 + ORRERY_SHARD))Z INFO step $i of shard $ORRERY_SHARD"; done; echo "  and more of shard $ORRERY_SHARD"; [ $ORRERY_SHARD = 0 ]',
    )}
---
name: again
project: logs
tasks:
  - { name: twice, type: shell, retries: { limit: 1, delay: 10ms }, ${script('echo this is try $ORRERY_ATTEMPT; exit 1')} }
  - { name: later, type: noop, needs: [twice] }
---
name: named
project: logs
tasks:
  - { name: 装载.größe-2, type: shell, retries: { limit: 1, delay: 10ms }, ${script('echo this is try $ORRERY_ATTEMPT; exit 1')} }
`;

let server: Server;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start();
  await server.publish(file);
});
afterAll(() => server?.stop());

const open = (taskRun: string, query = '', view = {}) =>
  browsing.open(`${server.url}/task-runs/${taskRun}${query}`, view);

describe('what a log can hold', () => {
  it('is shown as text: colours, groups, JSON, markup and very long lines', async () => {
    const id = await server.runTo('logs/odd', 'failed');
    const page = await open(`${id}.odd`, '?line=1');
    await page.getByText('red', { exact: true }).waitFor();
    expect(await page.getByText('red', { exact: true }).evaluate((element) => element.style.color)).toBe(
      'var(--failed-text)',
    );
    await page.getByRole('button', { name: 'install', expanded: true }).click();
    await page.getByText('inside').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'install', expanded: false }).click();
    await page.getByText('inside').waitFor();
    await page.getByText('<b>bold?</b>').waitFor();
    await expect.poll(() => page.locator('b').count()).toBe(0);
    await page.getByRole('button', { name: 'spread out' }).click();
    await page.getByText('"b": 1').waitFor();
    await page.getByRole('button', { name: /^show 1,760 more characters/ }).click();
    await page.getByRole('button', { name: /^show/ }).waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await page.waitForURL(/wrap=on/);
    await picture(page, 'log-odd');
    expect(await violations(page)).toEqual([]);
  });

  it('is not folded while nobody answers, which is said, and is unfolded all the same', async () => {
    const id = await server.runTo('logs/odd', 'failed');
    const page = await open(`${id}.odd`, '?line=1');
    browsing.expectErrors(page, /ERR_FAILED/);
    const [unfolded, folded] = [true, false].map((expanded) =>
      page.getByRole('button', { name: 'install', expanded }),
    );
    await unfolded.waitFor();
    await page.route('**/log?*', (route) => route.abort());
    await unfolded.click();
    await page.getByText(/^Not folded: /).waitFor();
    await page.unroute('**/log?*');
    await unfolded.click();
    await folded.waitFor();
    await page.route('**/log?*', (route) => route.abort());
    await folded.click();
    await page.getByText('inside').waitFor();
  });

  it.each([
    ['again', 'twice'],
    ['named', '装载.größe-2'],
  ])('is switched from attempt to attempt by brackets, of %s/%s', async (workflow, task) => {
    const id = await server.runTo(`logs/${workflow}`, 'failed');
    const page = await open(`${id}.${task}`);
    await page.getByText('this is try 2', { exact: true }).waitFor();
    await page.keyboard.press('[');
    await page.waitForURL(/attempt=1/);
    await page.getByText('this is try 1', { exact: true }).waitFor();
  });

  it('is not there for a task that never started, which is said', async () => {
    const id = await server.runTo('logs/again', 'failed');
    const page = await open(`${id}.later`);
    await page.getByRole('heading', { name: /has not started/ }).waitFor();
  });

  it('is compared with the attempt before it', async () => {
    const id = await server.runTo('logs/again', 'failed');
    const page = await open(`${id}.twice`);
    await page.getByText('this is try 2', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Compare with attempt 1' }).click();
    const side = page.getByRole('complementary', { name: 'Details' });
    const diff = side.getByRole('list', { name: 'Compare with attempt 1' });
    await diff.getByRole('listitem').filter({ hasText: 'only before:this is try 1' }).waitFor();
    await diff.getByRole('listitem').filter({ hasText: 'only now:this is try 2' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'log-compare');
    const fresh = await browsing.open(page.url());
    await fresh.getByRole('list', { name: 'Compare with attempt 1' }).waitFor();
  });

  it('has beside it what the task was given, by key too, and any earlier attempt to compare with', async () => {
    const id = await server.runTo('logs/thrice', 'failed');
    const page = await open(`${id}.thrice`);
    await page.getByText('this is try 3 for me', { exact: true }).waitFor();
    await page.keyboard.press('o');
    const side = page.getByRole('complementary', { name: 'Details' });
    await side.getByText('echo this is try $ORRERY_ATTEMPT for me; exit 1').waitFor();
    await side.getByText('who', { exact: true }).waitFor();
    await side.getByRole('tab', { name: 'Environment' }).click();
    await side.getByText('ORRERY_PARAM_WHO', { exact: true }).waitFor();
    await side.getByRole('tab', { name: 'Outputs' }).click();
    await side.getByRole('tab', { name: 'Use' }).click();
    await side.getByText('exit', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await side.getByRole('tab', { name: 'Attempts' }).click();
    await side.getByRole('combobox', { name: 'Compare with an earlier attempt' }).click();
    await page.getByRole('option', { name: 'attempt 1' }).click();
    await page.waitForURL(/details=attempts&compare=1/);
    await side.getByRole('listitem').filter({ hasText: 'only before:this is try 1 for me' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'log-side');
    await page.keyboard.press('Escape');
    await side.waitFor({ state: 'detached' });
  });

  it('is that of the shard that failed, and of all of them one after another', async () => {
    const id = await server.runTo('logs/parted', 'failed');
    const page = await open(`${id}.parted`);
    await page.getByText('part 5', { exact: true }).waitFor();
    await page.keyboard.press('{');
    await page.waitForURL(/shard=4/);
    await page.getByText('part 4', { exact: true }).waitFor();
    await page.keyboard.press('}');
    await page.getByText('part 5', { exact: true }).waitFor();
    const shards = page.getByRole('combobox', { name: 'Shard' });
    await shards.click();
    await page.getByRole('option', { name: 'shard 5 · failed' }).waitFor();
    await page.getByRole('option', { name: 'all 7 shards' }).click();
    await page.waitForURL(/shard=all/);
    for (const shard of [5, 0, 6]) {
      const section = page.getByRole('region', { name: `shard ${shard}`, exact: true });
      await section.getByText(`part ${shard}`, { exact: true }).waitFor();
    }
    await expect
      .poll(() => page.getByRole('heading', { level: 2 }).first().textContent())
      .toContain('shard 5');
    expect(await violations(page)).toEqual([]);
    await picture(page, 'log-shards');
  });

  it('is one of all shards by the times that their lines carry, or that of each', async () => {
    const id = await server.runTo('logs/timed', 'failed');
    const page = await open(`${id}.timed?shard=all`);
    const merged = page.getByRole('region', { name: 'Log of the shards by time' });
    await merged.getByText('step 2 of shard 1').waitFor();
    const told = async () => {
      const lines = (await merged.innerText()).split('\n').filter((line) => /shard \d$/.test(line));
      return lines.map((line) => line.replace(/^.*?(?=step|and)/, ''));
    };
    await expect
      .poll(told)
      .toEqual([
        'step 0 of shard 0',
        'step 0 of shard 1',
        'step 1 of shard 0',
        'step 1 of shard 1',
        'step 2 of shard 0',
        'and more of shard 0',
        'step 2 of shard 1',
        'and more of shard 1',
      ]);
    expect(await violations(page)).toEqual([]);
    await picture(page, 'log-shards-by-time');
    await page.getByText('By shard', { exact: true }).click();
    await page.waitForURL(/by=shard/);
    await page.getByRole('region', { name: 'shard 1', exact: true }).getByText('step 2 of shard 1').waitFor();
    await expect
      .poll(() => page.getByRole('heading', { level: 2 }).first().textContent())
      .toContain('shard 1');
    await picture(page, 'log-shards-by-shard');
    const dark = await browsing.open(page.url().replace('&by=shard', ''), {
      ...{ scheme: 'dark', language: 'zh-CN', width: 390 },
    });
    await dark
      .getByRole('region', { name: '各分片按时间合并的日志' })
      .getByText('step 2 of shard 1')
      .waitFor();
    expect(await violations(dark)).toEqual([]);
    await picture(dark, 'log-shards-by-time-dark');
    await page.goBack();
    await merged.getByRole('link', { name: '1:4', exact: true }).click();
    await page.waitForURL(/attempt=1&shard=1&line=4/);
    await page.getByText('step 2 of shard 1').waitFor();
  });

  it('is downloaded whole', async () => {
    const id = await server.runTo('logs/again', 'failed');
    const page = await open(`${id}.twice`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    const stream = await download.createReadStream();
    let text = '';
    for await (const piece of stream) text += piece;
    expect(text).toContain('this is try 2');
  });
});

describe('a log that grows', () => {
  it('is followed to its end until one scrolls up', async () => {
    const id = await server.runTo('logs/endless', 'running');
    const page = await open(`${id}.ticks`);
    await page
      .getByText(/^tick \d+$/)
      .first()
      .waitFor();
    const last = async () => {
      const found = await page.getByText(/^tick \d+$/).allTextContents();
      return Number(found.at(-1)?.slice(5));
    };
    const shows = (past: number) =>
      page.waitForFunction(
        (tick) =>
          [...document.querySelectorAll('[data-line]')].some(
            (row) => Number(/tick (\d+)$/.exec(row.textContent ?? '')?.[1]) > tick,
          ),
        past,
      );
    await shows((await last()) + 5);
    await expect.poll(() => page.getByRole('switch', { name: 'Follow' }).isChecked()).toBe(true);
    // More than fits into the view: only then there is something to scroll.
    await shows(99);
    await page.getByRole('region', { name: /^Log, / }).hover();
    await page.mouse.wheel(0, -400);
    await page.waitForURL(/follow=off/);
    const top = () => page.locator('[data-line]').first().getAttribute('data-line');
    // Browsers scroll by wheel little by little: it has ended when two looks, some time apart, are the same.
    let stays: string | null = null;
    await expect
      .poll(
        async () => {
          const before = stays;
          stays = await top();
          return before === stays;
        },
        { interval: 300 },
      )
      .toBe(true);
    const lines = () => page.getByRole('region', { name: /^Log, / }).getAttribute('aria-label');
    const then = await lines();
    await expect.poll(lines).not.toBe(then);
    expect(await top()).toBe(stays);
    await page.keyboard.press('F');
    await page.waitForURL(/follow=on/);
    await page.keyboard.press('F');
    await page.waitForURL(/follow=off/);
    await server.client.stopRun({ id, body: {} });
    await page.getByRole('main').getByText('stopped').first().waitFor();
  });
});

describe('a log with nothing in it yet', () => {
  it('says since when, and which processes are at it', async () => {
    const id = await server.runTo('logs/silent', 'running');
    const page = await open(`${id}.silent`);
    const note = page.getByText(/^No output yet; it was given to its worker/);
    await note.getByText(/^(now|\d+ \w+ ago)$/).waitFor();
    await page.getByText(/^Process group \d+ on \S+\.$/).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'log-silent');
    await server.client.stopRun({ id, body: {} });
  });

  it('says why it has not started', async () => {
    const { id } = await server.client.startRun({ body: { workflow: 'logs/stuck' } });
    await expect
      .poll(
        async () =>
          (await server.client.listAttempts({ id: `${id}.stuck` }).catch(() => undefined))?.attempts.length,
      )
      .toBe(1);
    const page = await open(`${id}.stuck`);
    await page.getByText('Attempt 1 has not started; there is no log yet.', { exact: false }).waitFor();
    await page
      .getByRole('main')
      .getByText(/nobody/)
      .first()
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'log-not-started');
    await page.goto(`${server.url}/runs/${id}?task=stuck&tab=log`);
    await page
      .getByRole('complementary')
      .getByText(/nobody/)
      .first()
      .waitFor();
    await server.client.stopRun({ id, body: {} });
  });
});

describe('a log whose file is gone', () => {
  it('shows the end that was kept with the outcome, and says who held the rest', async () => {
    const id = await server.runTo('logs/odd', 'failed');
    const logs = globSync(`**/*.log`, { cwd: join(server.folder, 'data') });
    for (const name of logs) rmSync(join(server.folder, 'data', name));
    const page = await open(`${id}.odd`);
    await page.getByText(/Log not found on \S+; no retention rule deleted it/).waitFor();
    await page.getByText('This is the end that was kept with the outcome.', { exact: false }).waitFor();
    await page.getByText('<b>bold?</b>').waitFor();
    await picture(page, 'log-tail');
    expect(await violations(page)).toEqual([]);
    await page.goto(`${server.url}/runs/${id}`);
    await page.getByText(/Log not found on \S+;/).waitFor();
  });
});

describe('a log that cannot be read', () => {
  it('is waited for in the shape of what comes, and a task run that is not there is told', async () => {
    const id = await server.runTo('logs/again', 'failed');
    const page = await browsing.open(`${server.url}/login`);
    browsing.expectErrors(page, /404/);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/attempts?*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${server.url}/task-runs/${id}.twice`);
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    expect(await violations(page)).toEqual([]);
    release();
    await page.getByText('this is try 2', { exact: true }).waitFor();
    await page.goto(`${server.url}/task-runs/${id}.nothing`);
    await page.getByRole('alert').getByText(`run ${id} has no task "nothing"`).waitFor();
    await page.goto(`${server.url}/task-runs/${id}.twise`);
    await page.getByRole('alert').getByText('did you mean "twice"?').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'twice' }).waitFor();
    await page
      .getByRole('main')
      .getByRole('link', { name: `Run ${id}` })
      .last()
      .waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
