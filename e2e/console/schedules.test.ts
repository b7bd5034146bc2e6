import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { Server } from './harness/server.ts';

const file = `
name: sync
project: etl
schedules:
  - { name: often, every: 1s, misfire: { policy: skip, threshold: 1s } }
  - { name: nightly, cron: '30 2 * * *', timezone: Europe/Berlin }
tasks: [{ name: only, type: noop }]
`;

let server: Server;
let often = 0;
let nightly = 0;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server?.stop());

const open = (path = '', view = {}) => browsing.open(`${server.url}/schedules${path}`, view);

describe('schedules', () => {
  it('begin with what a file says, and a pasted cron is explained with the days on which clocks change', async () => {
    const page = await open();
    await page.getByRole('heading', { name: /No schedules yet/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('n');
    await page.waitForURL(/\/schedules\/explain/);
    await page.getByRole('textbox', { name: 'Cron' }).fill('30 2 * * *');
    await page.getByRole('textbox', { name: 'Time zone' }).fill('Europe/Berlin');
    await page
      .getByText(/clocks go forward by 60 minutes: it does not fire, because 02:30 does not exist/)
      .waitFor();
    const shown = await page
      .getByRole('list', { name: 'Next ticks' })
      .getByRole('listitem')
      .allTextContents();
    const { next } = await server.client.previewCron({
      body: { cron: '30 2 * * *', tz: 'Europe/Berlin', count: 10 },
    });
    expect(shown).toHaveLength(10);
    expect(shown[0]).toMatch(/02:30:00 UTC\+[12]$/);
    expect(next).toHaveLength(10);
    expect(await violations(page)).toEqual([]);
    await picture(page, 'schedules-explain');
  });

  it('are listed with what they do next and did last, and every due time is a run or a skip with its reason', async () => {
    await server.publish(file);
    const { schedules } = await server.client.listSchedules({ workflow: 'etl/sync' });
    often = schedules.find(({ name }) => name === 'often')?.id ?? 0;
    nightly = schedules.find(({ name }) => name === 'nightly')?.id ?? 0;
    const page = await open(`/${often}`);
    await page
      .getByRole('link', { name: /^run \d+$/ })
      .first()
      .waitFor();
    await server.client.pauseSchedule({ id: nightly });
    // No master is alive for longer than the threshold: those ticks are skipped.
    browsing.expectErrors(page, /Failed to load|ERR_/);
    await server.kill();
    await setTimeout(3_000);
    await server.again();
    const gap = page.getByText(/ticks? skipped: missed by more than 1000 ms/).first();
    await page.getByText(/^missed ticks: skip$/).waitFor();
    await expect
      .poll(async () =>
        (await server.client.listScheduleTicks({ id: often })).ticks.some((one) => 'skipped' in one),
      )
      .toBe(true);
    await page.keyboard.press('p');
    await page.getByText('often is paused').waitFor();
    // Rows hold still: what came since waits behind a button.
    await page.getByRole('button', { name: /^\d+ new$/ }).click();
    await gap.waitFor();
    const ticks = await server.client.listScheduleTicks({ id: often, limit: 1_000 });
    const covered = ticks.ticks
      .flatMap((tick) =>
        'run' in tick
          ? [Date.parse(tick.due)]
          : Array.from({ length: tick.count }, (_, k) => Date.parse(tick.due) + k * 1_000),
      )
      .sort((one, other) => one - other);
    expect(covered).toEqual(covered.map((_, k) => covered[0] + k * 1_000));
    expect(await violations(page)).toEqual([]);
    await picture(page, 'schedule');

    const list = await open('', { scheme: 'dark' });
    const row = list.getByRole('row', { name: /etl\/sync often/ });
    await row.getByText('paused').waitFor();
    await expect.poll(() => row.getByRole('gridcell').last().textContent()).not.toBe('0');
    await list.keyboard.press('/');
    await list.keyboard.type('state:paused');
    await list.keyboard.press('Enter');
    await list.waitForURL(/state=paused/);
    expect(await violations(list)).toEqual([]);
    await picture(list, 'schedules-dark');
    const chinese = await open('', { language: 'zh-CN', width: 390 });
    await chinese
      .getByRole('row', { name: /etl\/sync/ })
      .first()
      .waitFor();
    expect(await chinese.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await violations(chinese)).toEqual([]);
  });

  it('are edited by keyboard, with what they would do as one types, and fired', async () => {
    const page = await open(`/${nightly}`);
    browsing.expectErrors(page, /422|400/);
    await page.getByRole('heading', { level: 1, name: /etl\/sync nightly/ }).waitFor();
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog', { name: 'Edit schedule nightly' });
    const cron = dialog.getByRole('textbox', { name: 'Cron' });
    await cron.fill('0 0 6 ? * MON-FRI');
    await dialog.getByText('Mon–Fri 06:00').waitFor();
    await dialog.getByRole('textbox', { name: 'Not on these weekdays' }).fill('friday');
    await dialog.getByText('With this it fires at').waitFor();
    await cron.fill('99 2 * * *');
    await dialog.getByRole('alert').first().waitFor();
    await cron.fill('0 0 6 ? * MON-FRI');
    expect(await violations(page)).toEqual([]);
    await picture(page, 'schedule-edit');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Mon–Fri 06:00 Europe/Berlin').waitFor();
    const saved = await server.client.showSchedule({ id: nightly });
    expect(saved).toMatchObject({ cron: '0 0 6 ? * MON-FRI', exclude: { weekdays: [5] }, state: 'paused' });
    await page.keyboard.press('r');
    const fire = page.getByRole('dialog', { name: 'Fire nightly now' });
    await fire.getByText(`orrery schedules fire ${nightly}`).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/runs\/\d+$/);
  });

  it('have a calendar of their ticks and the load to come, also while nothing answers', async () => {
    const page = await open('/calendar');
    const today = new Date().toISOString().slice(0, 10);
    const day = page.getByRole('button', {
      name: new RegExp(
        `^${today.slice(0, 8)} ?${Number(today.slice(8))} ?[\\d,]+ fired ?[1-9][\\d,]* skipped`,
      ),
    });
    await day.click();
    await page.waitForURL(new RegExp(`day=${today}`));
    await page
      .getByRole('region', { name: `Ticks of ${today}` })
      .first()
      .getByText(/ticks? skipped/)
      .first()
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'schedules-calendar');
    await server.client.resumeSchedule({ id: often });
    const load = await open('/load');
    browsing.expectErrors(load, /500/);
    await load.getByRole('heading', { name: /^Next 24 hours: [\d,]+ ticks$/ }).waitFor();
    await load
      .getByRole('button', { name: /^Show the schedules/ })
      .first()
      .press('Enter');
    await load.getByRole('link', { name: 'etl/sync often' }).first().waitFor();
    expect(await violations(load)).toEqual([]);
    await picture(load, 'schedules-load');
    await server.client.pauseSchedule({ id: often });
    await load.route('**/ticks/counts*', (route) => route.fulfill({ status: 500 }));
    await load.goto(`${server.url}/schedules/calendar`);
    await load.getByRole('alert').getByRole('button', { name: 'Retry' }).waitFor();
    await load.unroute('**/ticks/counts*');
    await load.route('**/ticks/counts*', () => {});
    await load.goto(`${server.url}/schedules/load`);
    await load.getByRole('status', { name: 'Loading' }).waitFor();
  });

  it('leave out the days of a calendar that is made here, and say which schedules a change moves', async () => {
    const page = await open('/calendars');
    browsing.expectErrors(page, /409|422/);
    await page.getByRole('heading', { name: /No calendars yet/ }).waitFor();
    await page.keyboard.press('n');
    const made = page.getByRole('dialog', { name: 'New calendar' });
    await made.getByRole('textbox', { name: 'name', exact: true }).fill('holidays');
    await made.getByRole('textbox', { name: 'project' }).fill('etl');
    const days = made.getByRole('textbox', { name: 'Days' });
    await days.fill('12-25 funday');
    await made.getByText('“funday” is not a day: write 2027-01-01, 12-25 or sunday').waitFor();
    await days.fill('02-30');
    await made.getByRole('button', { name: 'Save' }).click();
    await made
      .getByText(/"02-30" is not a day of the year/)
      .first()
      .waitFor();
    await days.fill('12-25');
    await made.getByText('orrery calendars set etl/holidays --add 12-25').waitFor();
    expect(await violations(page)).toEqual([]);
    await made.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('rowheader', { name: 'etl/holidays' }).waitFor();

    const schedule = await open(`/${nightly}`);
    await schedule.getByRole('button', { name: 'Edit' }).click();
    const form = schedule.getByRole('dialog', { name: 'Edit schedule nightly' });
    await form.getByRole('combobox', { name: 'Calendar' }).click();
    await schedule.getByRole('option', { name: 'holidays' }).click();
    await form.getByRole('textbox', { name: 'Cron' }).fill('30 2 24-26 12 *');
    await form.getByText('Left out before the last of them:').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await schedule.getByRole('link', { name: 'without the days of holidays' }).waitFor();
    expect(await violations(schedule)).toEqual([]);

    // A paused one fires at no time that could move.
    await server.client.resumeSchedule({ id: nightly });
    await page.getByRole('button', { name: 'Edit etl/holidays' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit etl/holidays' });
    await edit.getByText('No schedule fires next at another time.').waitFor();
    await edit.getByRole('textbox', { name: 'Days' }).fill('12-24 12-25');
    await edit.getByRole('link', { name: 'etl/sync nightly' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: '12-24 12-25' }).waitFor();
    await page.getByRole('button', { name: 'Delete etl/holidays' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText(/holidays is used by etl\/sync/).waitFor();
    await page.keyboard.press('Escape');

    const chinese = await open('/calendars', { language: 'zh-CN', scheme: 'dark', width: 390 });
    await chinese.getByRole('rowheader', { name: 'etl/holidays' }).waitFor();
    expect(await chinese.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await violations(chinese)).toEqual([]);
    await picture(chinese, 'calendars');
  });
});
