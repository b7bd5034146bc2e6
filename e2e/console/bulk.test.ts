/** One change of many runs, from the list of runs: it is the server's, and outlives the tab and the server's process. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { type Seeded, serve } from './harness/seeded.ts';
import { Server } from './harness/server.ts';

const file = `
name: good
project: etl
tasks: [{ name: only, type: noop }]
---
name: long
project: etl
tasks: [{ name: only, type: shell, with: { script: sleep 600 } }]
`;

const browsing = useBrowser();
const panelOf = (page: Page) => page.getByRole('complementary', { name: /^Bulk action \d+$/ });
const idOf = (page: Page) => Number(new URL(page.url()).searchParams.get('bulk'));

describe('a change of many runs', () => {
  let server: Server;
  let good: number;
  beforeAll(async () => {
    server = await Server.start('--slots', '4');
    await server.publish(file);
    good = await server.runTo('etl/good', 'success');
  });
  afterAll(() => server?.stop());

  const start = async (count: number) => {
    const runs: number[] = [];
    for (let k = 0; k < count; k++)
      runs.push((await server.client.startRun({ body: { workflow: 'etl/long' } })).id);
    await server.reaches(runs.at(-1) ?? 0, 'running');
    return runs;
  };

  it('of tags is done by keyboard, of many runs or of one, and leads to those that have them', async () => {
    const page = await browsing.open(`${server.url}/runs?workflow=etl/good`);
    const row = page.getByRole('row', { name: new RegExp(`success ${good}`) });
    await row.waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('t');
    const dialog = page.getByRole('dialog', { name: 'Tag 1 run?' });
    await dialog.getByText('1 allowed, 0 refused').waitFor();
    expect(await dialog.getByRole('button', { name: 'Tag', exact: true }).isDisabled()).toBe(true);
    await page.keyboard.type('late, for june');
    expect(await violations(page)).toEqual([]);
    await picture(page, 'bulk-tags');
    await page.keyboard.press('Enter');
    await panelOf(page).getByText('late, for june').waitFor();
    await panelOf(page).getByText('done').first().waitFor();

    await page.goto(`${server.url}/runs/${good}`);
    await page.getByRole('link', { name: 'for june' }).waitFor();
    await page.keyboard.press('t');
    const tags = page
      .getByRole('dialog', { name: `Tags of run ${good}` })
      .getByRole('textbox', { name: 'Tags' });
    await tags.fill('checked, late');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText(`Tags of run ${good} saved`).waitFor();
    await page.getByRole('link', { name: 'checked' }).click();
    await page.waitForURL(/\/runs\?tag=checked/);
    await row.waitFor();
    expect((await server.client.showRun({ id: good })).tags).toEqual(['checked', 'late']);
    await server.client.setRunTags({ id: good, body: { tags: [] } });
  });

  it('says first what is allowed, then what became of each run, and is found again after its tab was closed', async () => {
    const runs = await start(2);
    const page = await browsing.open(`${server.url}/runs`);
    await page.getByRole('row', { name: new RegExp(`running ${runs[1]}`) }).waitFor();
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Stop', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Stop 3 runs?' });
    await dialog.getByText('2 allowed, 1 refused').waitFor();
    await dialog.getByText('1 refused: the run has ended').waitFor();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('not today');
    expect(await violations(page)).toEqual([]);
    await picture(page, 'bulk-dialog');
    await page.keyboard.press('Enter');
    await page.waitForURL(/bulk=\d+/);
    const link = page.url();
    const id = idOf(page);
    await page.close();

    const fresh = await browsing.open(link);
    const panel = panelOf(fresh);
    await panel.getByText('2 asked, 1 refused, 0 left').waitFor();
    await panel.getByRole('status').getByText('done').waitFor();
    await panel.getByText('not today').waitFor();
    const results = panel.getByRole('region', { name: 'What became of each run' });
    for (const run of runs)
      await results
        .getByRole('listitem')
        .filter({ hasText: `etl/long ${run}` })
        .getByText('stopped')
        .waitFor();
    await panel.getByText('refused 1', { exact: true }).click();
    await fresh.waitForURL(/outcome=refused/);
    await results.getByRole('link', { name: `etl/long ${runs[0]}` }).waitFor({ state: 'detached' });
    await results
      .getByRole('listitem')
      .filter({ hasText: `etl/good ${good}` })
      .getByText('the run has ended')
      .waitFor();
    expect(await violations(fresh)).toEqual([]);
    await picture(fresh, 'bulk-done');

    const other = await browsing.open(`${server.url}/runs`, { beside: fresh });
    await other.getByRole('button', { name: 'Bulk actions' }).click();
    await other.getByRole('menuitem', { name: new RegExp(`Stop: 3 runs · ${id}`) }).click();
    await panelOf(other).getByText('2 asked, 1 refused, 0 left').waitFor();
    await other.keyboard.press('Escape');
    await other.waitForURL((url) => !url.search.includes('bulk='));
    await other.keyboard.press('Control+k');
    await other.getByRole('combobox', { name: 'Search or command' }).fill(String(id));
    await other.getByRole('option', { name: new RegExp(`bulk ${id}: stop of 3 runs`) }).click();
    await panelOf(other).getByText('2 asked, 1 refused, 0 left').waitFor();
  });

  it('of all that match goes on after its server was killed, and tells no run twice', async () => {
    const runs = await start(20);
    const page = await browsing.open(`${server.url}/runs?state=running`);
    browsing.expectErrors(page, /Failed to load resource|ERR_|net::/);
    await page.getByRole('row', { name: new RegExp(`running ${runs[19]}`) }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'or all 20 that match' }).click();
    await page.getByRole('menuitem', { name: 'Stop' }).click();
    const dialog = page.getByRole('dialog', { name: 'Stop all runs that match?' });
    await dialog.getByText('20 allowed, 0 refused').waitFor();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await page.waitForURL(/bulk=\d+/);
    await server.kill();
    await server.again('--slots', '4');
    await panelOf(page).getByText('20 asked, 0 refused, 0 left').waitFor();
    for (const run of runs) {
      await server.reaches(run, 'stopped');
      const { events } = await server.client.listRunEvents({ id: run });
      expect(events.filter(({ action }) => action === 'stop')).toHaveLength(1);
    }
  });
});

describe('a change of many runs that nobody has carried out yet', () => {
  let seeded: Seeded;
  beforeAll(async () => {
    seeded = await serve('small');
  });
  afterAll(() => seeded?.stop());

  const make = async () => {
    const { runs } = (await (await fetch(`${seeded.url}/api/v1/runs`)).json()) as { runs: { id: number }[] };
    const ids = runs.map(({ id }) => id);
    const body = JSON.stringify({ action: 'stop', ids, reason: 'a try' });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${seeded.url}/api/v1/bulks`, { method: 'POST', headers, body });
    return ((await answer.json()) as { bulk: { id: number } }).bulk.id;
  };

  it('is aborted after a question, and says by whom', async () => {
    const page = await browsing.open(`${seeded.url}/runs?bulk=${await make()}`);
    const panel = panelOf(page);
    await panel.getByRole('status').getByText('under way').waitFor();
    await panel.getByRole('button', { name: 'Abort' }).click();
    const dialog = page.getByRole('dialog', { name: /^Abort bulk action \d+\?$/ });
    await dialog.getByText(/stay asked/).waitFor();
    await dialog.getByRole('button', { name: 'Abort' }).click();
    await panel.getByRole('status').getByText('aborted').waitFor();
    await panel.getByText('aborted by', { exact: true }).waitFor();
    await expect
      .poll(() => panel.getByRole('button', { name: 'Abort' }).getAttribute('aria-description'))
      .toBe('it was aborted already');
  });

  it.each([
    ['light', 900, 'en'],
    ['dark', 600, 'en'],
    ['dark', 1440, 'zh-CN'],
    ['light', 1440, 'x-pseudo'],
  ] as const)('has no violation in %s at %i px in %s', async (scheme, width, language) => {
    const page = await browsing.open(`${seeded.url}/runs?bulk=${await make()}`, { scheme, width, language });
    await page.getByRole('complementary').getByText('a try').waitFor();
    await picture(page, `bulk-${scheme}-${width}-${language}`);
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });

  it('that there is not says so', async () => {
    const page = await browsing.open(`${seeded.url}/login`);
    browsing.expectErrors(page, /404/);
    await page.goto(`${seeded.url}/runs?bulk=999999`);
    await page.getByRole('alert').getByText('there is no bulk 999999').waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
