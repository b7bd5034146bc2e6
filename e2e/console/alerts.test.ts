import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { Server } from './harness/server.ts';

let server: Server;
let receiver: HttpServer;
let status = 200;
const received: string[] = [];
const browsing = useBrowser();
beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      received.push(body);
      response.writeHead(status).end(status === 200 ? 'ok' : 'no room');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  process.env.ORRERY_SECRET_HOOK = 'a-shared-secret';
  server = await Server.start();
});
afterAll(async () => {
  delete process.env.ORRERY_SECRET_HOOK;
  await server?.stop();
  await new Promise((resolve) => receiver.close(resolve));
});

const open = (path: string, view = {}) => browsing.open(`${server.url}${path}`, view);

describe('alerts', () => {
  it('go from a channel and a rule to a message, an acknowledgement and a mute, by keyboard', async () => {
    const page = await open('/alerts/channels');
    await page.getByRole('heading', { name: /No channels/ }).waitFor();
    await page.keyboard.press('n');
    const channel = page.getByRole('dialog', { name: 'New channel' });
    await channel.getByRole('textbox', { name: 'host' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'alert-channel');
    await channel.getByRole('textbox', { name: 'name' }).fill('ops');
    await channel.getByRole('combobox', { name: 'kind' }).click();
    await page.getByRole('option', { name: 'webhook' }).click();
    const { port } = receiver.address() as AddressInfo;
    await channel.getByRole('textbox', { name: 'url' }).fill(`http://127.0.0.1:${port}/hook`);
    await channel.getByRole('textbox', { name: 'secrets' }).fill('${secret.hook}');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send a test message to ops' }).click();
    await expect.poll(() => received.length).toBe(1);

    const rules = await open('/alerts/rules');
    await rules.getByRole('heading', { name: /No rules/ }).waitFor();
    await rules.keyboard.press('n');
    const rule = rules.getByRole('dialog', { name: 'New rule' });
    await rule.getByRole('textbox', { name: 'name' }).fill('failures');
    await rule.getByRole('textbox', { name: 'channels' }).fill('ops');
    await rule.getByRole('button', { name: 'Preview' }).click();
    await picture(rules, 'alert-rule');
    await rule.getByText('Would not have fired in 30 days, for 0 alerts.').waitFor();
    expect(await violations(rules)).toEqual([]);
    await rule.getByRole('button', { name: 'Save' }).click();
    await rules.getByRole('cell', { name: 'run-failed, deadline' }).waitFor();

    status = 400;
    // Opened before anything is wrong: what is told comes by itself.
    const alerts = await open('/alerts');
    await alerts
      .getByRole('heading', { name: /Nothing|No / })
      .first()
      .waitFor();
    await server.publish(
      "name: orders\ntasks: [{ name: load, type: shell, with: { script: 'echo no route >&2; exit 3' } }]",
    );
    await server.runTo('orders', 'failed');
    const row = alerts.getByRole('row', { name: /default\/orders/ });
    await row.waitFor();
    expect(await violations(alerts)).toEqual([]);
    await picture(alerts, 'alerts');
    await alerts.getByRole('button', { name: 'Acknowledge default/orders' }).click();
    await row.getByText(/acknowledged by/).waitFor();
    await alerts.keyboard.press('m');
    const mute = alerts.getByRole('dialog', { name: 'Mute default/orders' });
    await mute.getByRole('textbox', { name: 'reason' }).fill('known');
    await alerts.keyboard.press('Enter');
    await mute.waitFor({ state: 'detached' });
    await alerts.getByRole('link', { name: 'Mutes' }).click();
    await alerts.getByRole('rowheader', { name: 'known' }).waitFor();
  });

  it('that were not delivered come first, with each answer, and are sent again; Home says so', async () => {
    const home = await open('/');
    await home.getByText(/1 message about alerts could not be delivered; last to ops: 400 no room/).waitFor();
    const page = await open('/alerts/messages');
    await page.getByRole('row', { name: /ops/ }).first().waitFor();
    await picture(page, 'alert-messages');
    const [, first] = await page.getByRole('row').all();
    expect(await first.innerText()).toContain('not delivered');
    await page
      .getByRole('button', { name: /Tries of message/ })
      .first()
      .click();
    await page.getByRole('dialog').getByText('400 no room').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    status = 200;
    await page.getByRole('button', { name: /Send again: message/ }).click();
    await expect.poll(() => page.getByText('not delivered').count()).toBe(0);
  });

  it('are shown in Chinese and in the dark, and fit a phone', async () => {
    const page = await open('/alerts', { language: 'zh-CN', scheme: 'dark', width: 390 });
    await page.getByRole('heading', { level: 1, name: '告警' }).waitFor();
    await page.getByRole('row', { name: /default\/orders/ }).waitFor();
    await picture(page, 'alerts-zh');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await violations(page)).toEqual([]);
  });
});
