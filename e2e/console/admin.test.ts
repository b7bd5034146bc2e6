import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { Server } from './harness/server.ts';

let server: Server;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server?.stop());

const open = (path: string, view = {}) => browsing.open(`${server.url}${path}`, view);

describe('groups', () => {
  it('show the line in the order in which it moves; more slots start the next, by keyboard', async () => {
    const page = await open('/groups');
    browsing.expectErrors(page, /409|404/);
    await page.getByRole('heading', { name: /No task groups yet/ }).waitFor();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'New task group' });
    await dialog.getByRole('textbox', { name: 'name' }).fill('warehouse');
    await dialog.getByText('orrery groups set default/warehouse --slots 1').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/groups\/tasks\/default\/warehouse$/);
    await page.getByText('Nobody waits.').waitFor();
    const flag = join(server.folder, 'go');
    await server.publish(
      `name: busy\ntasks: [{ name: load, type: shell, group: warehouse, with: { script: 'while [ ! -e ${flag} ]; do sleep 0.1; done' } }]`,
    );
    const ids: number[] = [];
    for (let k = 0; k < 3; k++) {
      const { id } = await server.client.startRun({ body: { workflow: 'busy' } });
      await server.reaches(id, 'running');
      ids.push(id);
      await expect
        .poll(async () => {
          const { holders, waiters } = await server.client.showTaskGroup({
            project: 'default',
            name: 'warehouse',
          });
          return holders.length + waiters.length;
        })
        .toBe(k + 1);
    }
    const line = page.getByRole('table').last();
    await expect
      .poll(() => line.getByRole('rowheader').allTextContents())
      .toEqual([`${ids[1]}.load`, `${ids[2]}.load`]);
    await page.getByText('1 of 1').waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'group');
    const slots = page.getByRole('textbox', { name: 'Slots' });
    await slots.fill('2');
    await slots.press('Enter');
    await page.getByText('2 of 2').waitFor();
    await expect.poll(() => line.getByRole('rowheader').allTextContents()).toEqual([`${ids[2]}.load`]);
    await page.getByRole('button', { name: `Start now: ${ids[2]}.load` }).click();
    await page.getByText('Nobody waits.').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    // Deleting something in use names its users and stops.
    await page
      .getByText(/default\/busy/)
      .first()
      .waitFor();
    writeFileSync(flag, '');
    for (const id of ids) await server.reaches(id, 'success');
    const chinese = await open('/groups', { language: 'zh-CN', scheme: 'dark', width: 390 });
    await chinese.getByRole('heading', { name: '工作组' }).waitFor();
    await chinese.getByRole('link', { name: 'default/warehouse' }).waitFor();
    expect(await chinese.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await violations(chinese)).toEqual([]);
  });

  it('of workers say how they choose, and are told to choose otherwise', async () => {
    const page = await open('/groups/workers/default');
    await page.getByText('queue: the first worker that asks').waitFor();
    await page.getByRole('button', { name: 'Change choice' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choice of workers' });
    await dialog.getByRole('combobox', { name: 'Choice of workers' }).click();
    await page.getByRole('option', { name: /^weighted:/ }).click();
    await dialog.getByRole('textbox', { name: /^Weights of workers/ }).fill('w1=3');
    await dialog.getByText('orrery worker-groups choose default weighted --weight w1=3').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Change choice' }).click();
    await page.getByText('weighted: in turn, by weight · w1 3').waitFor();
    const { workerGroups } = await server.client.listWorkerGroups();
    expect(workerGroups).toMatchObject([{ name: 'default', choose: 'weighted', weights: { w1: 3 } }]);
    const chinese = await open('/groups/workers/default', { language: 'zh-CN', scheme: 'dark', width: 390 });
    await chinese.getByText('weighted：按权重轮流 · w1 3').waitFor();
    expect(await chinese.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await violations(chinese)).toEqual([]);
  });
});

describe('the cluster', () => {
  it('says who is alive, and refuses an unsafe drain with the sum', async () => {
    const page = await open('/cluster', { scheme: 'dark' });
    browsing.expectErrors(page, /409|500/);
    await page.getByText('1 of 1 masters and 1 of 1 workers alive').waitFor();
    await page
      .getByRole('button', { name: /^Drain / })
      .first()
      .press('Enter');
    const dialog = page.getByRole('dialog', { name: /^Drain / });
    await dialog.getByRole('alert').waitFor();
    await dialog.getByText(/orrery nodes drain/).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('rowheader').first().getByRole('link').click();
    await page.waitForURL(/\/cluster\/nodes\//);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.route('**/api/v1/nodes', (route) => route.fulfill({ status: 500 }));
    await page.goto(`${server.url}/cluster`);
    await page.getByRole('alert').getByRole('button', { name: 'Retry' }).waitFor();
  });
});

describe('connections', () => {
  it('are made from the form of their kind, tested from a worker, and deleted', async () => {
    const page = await open('/settings/connections');
    browsing.expectErrors(page, /422/);
    await page.getByRole('heading', { name: /No connections yet/ }).waitFor();
    await page.keyboard.press('n');
    const form = page.getByRole('dialog', { name: 'New connection' });
    await form.getByRole('textbox', { name: 'name', exact: true }).fill('shop');
    await form.getByRole('combobox', { name: 'kind' }).click();
    await page.getByRole('option', { name: 'PostgreSQL' }).click();
    await form.getByRole('textbox', { name: 'host' }).fill('127.0.0.1');
    await form.getByRole('textbox', { name: 'port' }).fill('1');
    await form.getByRole('textbox', { name: 'database' }).fill('shop');
    await form.getByRole('textbox', { name: 'password' }).fill('in-the-clear');
    expect(await violations(page)).toEqual([]);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText(/is a secret: name one/).waitFor();
    await form.getByRole('textbox', { name: 'password' }).fill('');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('rowheader', { name: 'default/shop' }).waitFor();
    await page.getByRole('button', { name: 'Test shop' }).click();
    await page.getByText(/cannot connect to "shop" .*ECONNREFUSED/).waitFor();
    expect(await violations(page)).toEqual([]);
    await server.client.setConnection({
      project: 'default',
      name: 'files',
      body: { kind: 'sqlite', settings: { file: ':memory:' } },
    });
    const chinese = await open('/settings/connections', { language: 'zh-CN', scheme: 'dark' });
    await chinese.getByRole('button', { name: '测试 files' }).click();
    await chinese.getByText(/^sqlite 3\..* 毫秒$/).waitFor();
    expect(await violations(chinese)).toEqual([]);
    await page.getByRole('button', { name: 'Delete shop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('rowheader', { name: 'default/shop' }).waitFor({ state: 'detached' });
    const types = (await server.client.listTaskTypes()).taskTypes.map(({ name }) => name);
    expect(types).toContain('sql');
    expect(types).not.toContain('connection-test');
  });
});

describe('settings and the audit', () => {
  it('show a token once, keep what was set, and record who did it, with an export', async () => {
    const page = await open('/settings');
    await page.getByRole('heading', { name: /No tokens yet/ }).waitFor();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'New token' });
    await dialog.getByRole('textbox', { name: 'name' }).fill('ci');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    const made = page.getByRole('dialog', { name: 'Token ci' });
    const token = (await made.getByRole('button', { name: /^Copy / }).textContent()) ?? '';
    expect(token.length).toBeGreaterThan(20);
    await page.keyboard.press('Escape');
    await page.getByRole('rowheader', { name: 'ci' }).waitFor();
    expect(await page.getByText(token).count()).toBe(0);
    await page.getByRole('button', { name: 'Revoke token ci' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('withdrawn').waitFor();
    expect(await violations(page)).toEqual([]);

    await page.getByRole('link', { name: 'Environments' }).click();
    await page.getByRole('button', { name: 'New environment' }).click();
    const form = page.getByRole('dialog', { name: 'New environment' });
    await form.getByRole('textbox', { name: 'name', exact: true }).fill('prod');
    await form.getByRole('textbox', { name: /^Variables/ }).fill('REGION=eu\nKEY=${secret.api-key}\nwrong');
    await form.getByText('not name=value: wrong').waitFor();
    await form.getByRole('textbox', { name: /^Variables/ }).fill('REGION=eu\nKEY=${secret.api-key}');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('rowheader', { name: 'prod' }).waitFor();
    // What someone else changes comes by itself.
    await server.client.setEnvironment({ name: 'stage', body: { variables: {} } });
    await page.getByRole('rowheader', { name: 'stage' }).waitFor();
    await server.client.deleteEnvironment({ name: 'stage' });
    await page.getByRole('rowheader', { name: 'stage' }).waitFor({ state: 'detached' });
    const sections = page.getByRole('navigation', { name: 'Sections' });
    await sections.getByRole('link', { name: 'Worker groups' }).click();
    await page.getByRole('button', { name: 'Edit default' }).click();
    const bound = page.getByRole('dialog', { name: 'Edit default' });
    await bound.getByRole('textbox', { name: 'Projects' }).fill('default, demo');
    await bound.getByText('orrery worker-groups set default --projects default,demo').waitFor();
    expect(await violations(page)).toEqual([]);
    await bound.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'default, demo' }).waitFor();
    await server.client.setWorkerGroup({ name: 'default', body: { projects: [] } });
    await page.getByRole('link', { name: 'Secrets' }).click();
    await page.getByRole('rowheader', { name: 'api-key' }).waitFor();
    for (const [section, there] of [
      ['Projects', 'Parameters of default'],
      ['Task types', 'shell'],
      ['Configuration', 'source'],
      ['Retention', 'Retention'],
    ]) {
      await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: section }).click();
      if (section === 'Projects') await page.getByRole('button', { name: there }).waitFor();
      else await page.getByText(there).first().waitFor();
      expect(await violations(page)).toEqual([]);
    }
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Projects' }).click();
    await page.getByRole('button', { name: 'Parameters of default' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('region=eu');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await server.client.showProject({ project: 'default' })).params)
      .toEqual({ region: 'eu' });

    const audit = await open('/audit', { scheme: 'dark' });
    await audit.getByRole('row', { name: /token/ }).first().waitFor();
    await audit.keyboard.press('j');
    await audit.keyboard.press('o');
    await audit.getByRole('complementary', { name: /^Audit entry/ }).waitFor();
    expect(await violations(audit)).toEqual([]);
    await picture(audit, 'audit');
    const [download] = await Promise.all([
      audit.waitForEvent('download'),
      audit.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const file = join(server.folder, 'audit.csv');
    await download.saveAs(file);
    const { entries } = await server.client.listAudit({ limit: 1_000 });
    const lines = readFileSync(file, 'utf8').trim().split('\r\n');
    expect(lines[0]).toBe('id,at,actor,token,address,request,action,subject,detail');
    expect(lines).toHaveLength(entries.length + 1);
    expect(readFileSync(file, 'utf8')).not.toContain(token);

    // What is done elsewhere comes by itself, and waits until it is asked for.
    await server.client.setEnvironment({ name: 'late', body: { variables: {} } });
    await audit.getByRole('button', { name: /^\d+ new$/ }).click();
    await audit.getByRole('row', { name: /environment.set late/ }).waitFor();
    await audit.keyboard.press('/');
    await audit.keyboard.type('action:token.*');
    await audit.keyboard.press('Enter');
    await audit.waitForURL(/action=token\.\*/);
    await expect.poll(() => audit.getByRole('row', { name: /environment/ }).count()).toBe(0);
    // The address is the list, with the entry that is open.
    const [newest] = (await server.client.listAudit({ action: 'token.*', limit: 1 })).entries;
    const same = await open(`/audit?action=token.*&entry=${newest.id}`, { language: 'zh-CN', width: 390 });
    await same.getByRole('complementary', { name: `审计记录 ${newest.id}` }).waitFor();
    expect(await violations(same)).toEqual([]);
    await same.goto(`${server.url}/audit?actor=nobody`);
    await same
      .getByRole('button', { name: /nobody|操作者/ })
      .first()
      .waitFor();
    expect(await same.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    browsing.expectErrors(same, /500/);
    await same.route('**/api/v1/audit*', (route) => route.fulfill({ status: 500 }));
    await same.goto(`${server.url}/audit`);
    await same.getByRole('button', { name: '重试' }).waitFor();
  });
});
