/** Every step on the list of runs is an address: Back undoes it, and opened fresh it shows the same. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { Server } from './harness/server.ts';

const script = (text: string) => `with: { script: ${JSON.stringify(text)} }`;
const file = `
name: good
project: etl
tasks: [{ name: only, type: noop }]
---
name: bad
project: etl
tasks: [{ name: first, type: noop }, { name: only, needs: [first], type: shell, ${script('exit 2')} }]
---
name: long
project: etl
tasks: [{ name: only, type: shell, ${script('sleep 600')} }]
`;

let server: Server;
let [good, bad, long]: number[] = [];
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start('--slots', '8');
  await server.publish(file);
  good = await server.runTo('etl/good', 'success');
  bad = await server.runTo('etl/bad', 'failed');
  long = await server.runTo('etl/long', 'running');
});
afterAll(() => server?.stop());

const open = (path: string) => browsing.open(`${server.url}${path}`);

describe('the address of the list of runs', () => {
  it('goes back over filters, the picture, groups and the range, one by one', async () => {
    const page = await open('/runs');
    await page.getByRole('row', { name: new RegExp(`failed ${bad}`) }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('state:failed');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\?state=failed$/);
    await page.getByText('Durations', { exact: true }).click();
    await page.waitForURL(/plot=scatter/);
    await page.getByRole('button', { name: 'Group', exact: true }).click();
    await page.getByRole('menuitemradio', { name: 'by workflow' }).click();
    await page.waitForURL(/group=workflow/);
    await page.getByRole('combobox', { name: 'Range of time' }).click();
    await page.getByRole('option', { name: 'last hour' }).click();
    await page.waitForURL(/from=-1h/);
    await page.goBack();
    await page.waitForURL((url) => !url.search.includes('from='));
    await page.goBack();
    await page.waitForURL((url) => !url.search.includes('group='));
    await page.goBack();
    await page.waitForURL(/\?state=failed$/);
    await page.goBack();
    await page.waitForURL(/\/runs$/);
    await page.getByRole('row', { name: new RegExp(`success ${good}`) }).waitFor();
  });

  it('has the question of a bulk action with its runs, which Back closes', async () => {
    const page = await open('/runs');
    const row = page.getByRole('row', { name: new RegExp(`running ${long}`) });
    await row.waitFor();
    await row.getByRole('checkbox').click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Stop' }).click();
    const dialog = page.getByRole('dialog', { name: 'Stop 1 run?' });
    await dialog.getByText('1 allowed, 0 refused').waitFor();
    const address = page.url();
    expect(new URL(address).search).toBe(`?ask=stop&of=${long}`);
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    const fresh = await browsing.open(address);
    await fresh.getByRole('dialog', { name: 'Stop 1 run?' }).getByText('1 allowed, 0 refused').waitFor();
    const all = await open('/runs?workflow=etl/long&ask=stop&of=all');
    await all
      .getByRole('dialog', { name: 'Stop all runs that match?' })
      .getByText('1 allowed, 0 refused')
      .waitFor();
  });

  it('has the question under which name to save the view', async () => {
    const page = await open('/runs?state=failed');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: /^Save this view/ }).click();
    const dialog = page.getByRole('dialog', { name: /^Save this view/ });
    await dialog.waitFor();
    const fresh = await browsing.open(page.url());
    await fresh.getByRole('dialog', { name: /^Save this view/ }).waitFor();
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
  });

  it('has the run in the inspector, also one that is not in the list', async () => {
    const page = await open('/runs');
    const row = page.getByRole('row', { name: new RegExp(`failed ${bad}`) });
    await row.getByRole('button', { name: `Inspect bad ${bad}` }).click();
    await page.waitForURL(new RegExp(`run=${bad}$`));
    const beside = page.getByRole('complementary', { name: `Run ${bad}` });
    await beside.getByText('exit code 2').first().waitFor();
    await page.goBack();
    await beside.waitFor({ state: 'detached' });
    const fresh = await open(`/runs?workflow=etl/good&run=${bad}`);
    await fresh
      .getByRole('complementary', { name: `Run ${bad}` })
      .getByText('exit code 2')
      .first()
      .waitFor();
    expect(await violations(fresh)).toEqual([]);
  });

  it('draws what can be done with the selected runs from what they allow, with the reason', async () => {
    const page = await open('/runs');
    const row = page.getByRole('row', { name: new RegExp(`success ${good}`) });
    await row.getByRole('checkbox').click();
    const bar = page.getByRole('toolbar');
    const stop = bar.getByRole('button', { name: 'Stop' });
    await expect.poll(() => stop.getAttribute('aria-disabled')).toBe('true');
    expect(await stop.getAttribute('aria-description')).toMatch(/ended|success/);
    await stop.hover();
    expect(await bar.getByRole('button', { name: 'Rerun' }).getAttribute('data-hint')).toBe('r');
    expect(await violations(page)).toEqual([]);
    await picture(page, 'runs-refused');
    // One that runs allows it.
    await page
      .getByRole('row', { name: new RegExp(`running ${long}`) })
      .getByRole('checkbox')
      .click();
    await expect.poll(() => stop.getAttribute('aria-disabled')).toBe(null);
    expect(await stop.getAttribute('data-hint')).toBe('s');
  });

  it('offers to drop each filter of groups too where nothing matches', async () => {
    const page = await open('/runs?state=success&workflow=etl/bad&from=-1h&group=workflow');
    await page.getByRole('heading', { name: /^0 of \d+ match$/ }).waitFor();
    await page.getByRole('button', { name: 'Widen to the last 7 days' }).click();
    await page.waitForURL(/from=-7d/);
    await page.getByRole('button', { name: 'Drop state' }).click();
    await page.getByRole('row', { name: /etl\/bad/ }).waitFor();
  });

  it('is sorted by when runs were created, and says of other columns which filter to use', async () => {
    const page = await open('/runs');
    const first = page.getByRole('row').nth(1);
    await expect.poll(() => first.textContent()).toContain(String(long));
    await page.getByRole('columnheader', { name: 'created' }).getByRole('button').press('Enter');
    await page.waitForURL(/order=oldest/);
    await page.getByRole('grid', { name: 'Runs, oldest first' }).waitFor();
    await expect.poll(() => first.getAttribute('data-id')).toBe(String(good));
    const heads = page.getByRole('columnheader', { name: 'created' });
    expect(await heads.getAttribute('aria-sort')).toBe('ascending');
    const state = page.getByRole('columnheader', { name: 'state' }).getByRole('button');
    expect(await state.getAttribute('aria-disabled')).toBe('true');
    expect(await state.getAttribute('aria-description')).toMatch(/the filter state instead/);
    expect(await violations(page)).toEqual([]);
    await picture(page, 'runs-oldest');
    await page.goBack();
    await expect.poll(() => first.getAttribute('data-id')).toBe(String(long));
  });

  it('is sorted by how long runs took where the filters leave few, else says which filters would', async () => {
    const page = await open('/runs');
    const first = page.getByRole('row').nth(1);
    const head = page.getByRole('columnheader', { name: 'queue and run' });
    await head.getByRole('button').press('Enter');
    await page.waitForURL(/order=longest/);
    await page.getByRole('grid', { name: 'Runs, longest first' }).waitFor();
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    const listed = async (order: 'longest' | 'shortest') =>
      (await server.client.listRuns({ order })).runs.map(({ id }) => String(id));
    const shown = async () =>
      (
        await page
          .getByRole('row')
          .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset.id ?? null))
      ).filter((id) => id !== null);
    const isListed = async () => {
      const rows = await shown();
      return rows.length > 1 && rows.join() === (await listed('longest')).slice(0, rows.length).join();
    };
    await expect.poll(isListed).toBe(true);
    expect(await violations(page)).toEqual([]);
    await picture(page, 'runs-longest');
    await head.getByRole('button').press('Enter');
    await page.waitForURL(/order=shortest/);
    await expect.poll(() => first.getAttribute('data-id')).toBe((await listed('shortest'))[0]);
    await page.keyboard.press('j');
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Copy as' });
    await dialog.getByText(`orrery runs show ${(await listed('shortest'))[0]}`).waitFor();
    await dialog.getByText('orrery runs list --order shortest').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // Of a list that is too long the server says so, and the page how to go on.
    await page.route(/\/api\/v1\/runs\?/, async (route) => {
      const asked = new URL(route.request().url()).searchParams;
      if (asked.has('order')) {
        const body = { title: 'The input is not accepted', status: 422, detail: 'order: too many' };
        return route.fulfill({ status: 422, contentType: 'application/problem+json', json: body });
      }
      const answer = await route.fetch();
      const list = await answer.json();
      return route.fulfill({ response: answer, json: { ...list, count: { value: 10_000, more: true } } });
    });
    browsing.expectErrors(page, /422/);
    await page.goto(`${server.url}/runs?order=longest`);
    await page.getByRole('button', { name: 'Newest first' }).click();
    await page.waitForURL(/\/runs$/);
    const refused = head.getByRole('button');
    await expect.poll(() => refused.getAttribute('aria-disabled')).toBe('true');
    expect(await refused.getAttribute('aria-description')).toBe(
      'At most 10,000 runs can be sorted by how long they took; narrow this list by the filters from, workflow or state',
    );
    await picture(page, 'runs-too-many');
  });

  it('keeps how the list is shown with a view', async () => {
    const page = await open('/runs?state=failed&plot=scatter');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'tags' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'tags' }).waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: /^Save this view/ }).click();
    await page.getByRole('textbox', { name: 'Name of the view' }).fill('with tags');
    await page.getByRole('checkbox', { name: 'Show how many runs it has' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const badge = page.getByRole('button', { name: /^with tags, \d+ runs?$/ });
    await badge.waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'tags' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'tags' }).waitFor({ state: 'detached' });
    await badge.click();
    await page.waitForURL(/plot=scatter&columns=/);
    await page.getByRole('columnheader', { name: 'tags' }).waitFor();
  });
});

describe('the address of a run', () => {
  it('goes back over views and tasks', async () => {
    const page = await open(`/runs/${bad}?view=table&task=only`);
    await page.getByRole('row', { name: /first/ }).first().click();
    await page.waitForURL(/task=first/);
    await page.keyboard.press('v');
    await page.waitForURL(/view=graph/);
    await page.goBack();
    await page.waitForURL(/view=table.*task=first|task=first.*view=table/);
    await page.goBack();
    await page.waitForURL(/task=only/);
  });

  it.each([
    ['stop', () => long, '', 'Stop run'],
    ['pause', () => long, '', 'Pause run'],
    ['tag', () => bad, '', 'Tags of run'],
    ['set-params', () => long, '', 'Parameters of run'],
    ['kill', () => long, '&task=only', 'Kill'],
    ['force', () => bad, '&task=only', 'Count only as succeeded'],
  ])('has the question to %s, opened fresh', async (ask, run, more, title) => {
    const page = await open(`/runs/${run()}?ask=${ask}${more}`);
    await page.getByRole('dialog', { name: new RegExp(title, 'i') }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.searchParams.has('ask'));
  });

  it('opens the question with a step that Back takes', async () => {
    const page = await open(`/runs/${long}`);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.waitForURL(/ask=stop/);
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
  });

  it('is left for the next run of the list by a button', async () => {
    const page = await open('/runs');
    await page
      .getByRole('row', { name: new RegExp(`failed ${bad}`) })
      .getByRole('link', { name: String(bad), exact: true })
      .click();
    await page.getByRole('button', { name: 'next run of the list' }).click();
    await page.getByRole('heading', { level: 1, name: new RegExp(`· ${good}$`) }).waitFor();
    const next = page.getByRole('button', { name: 'next run of the list' });
    await expect.poll(() => next.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('button', { name: 'previous run of the list' }).click();
    await page.getByRole('heading', { level: 1, name: new RegExp(`· ${bad}$`) }).waitFor();
  });

  it('says in its menu why something cannot be done', async () => {
    const page = await open(`/runs/${good}`);
    await page.getByRole('button', { name: 'More' }).click();
    const item = page.getByRole('menuitem', { name: /^From a task on/ });
    await expect.poll(() => item.getAttribute('aria-disabled')).toBe('true');
    expect(await item.getAttribute('aria-description')).toBe('Pick a task first');
    expect(await violations(page)).toEqual([]);
    await page.goto(`${server.url}/runs/${good}?again=all`);
    const mode = page.getByRole('radio', { name: /^Only a task/ });
    await mode.waitFor();
    expect(await mode.getAttribute('aria-description')).toBe('Pick a task first');
  });
});
