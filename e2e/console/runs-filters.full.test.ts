import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { serve } from './harness/seeded.ts';
import { Server } from './harness/server.ts';

const script = (text: string) => `with: { script: ${JSON.stringify(text)} }`;
const file = `
name: good
project: etl
tags: [nightly]
params: { day: "0813", rows: { output: true } }
tasks: [{ name: only, type: shell, ${script(`echo '{"rows":"12"}' > $ORRERY_OUTPUT`)} }]
---
name: bad
project: etl
tasks: [{ name: only, type: shell, ${script('exit 2')} }]
---
name: worse
project: etl
tasks: [{ name: only, type: shell, ${script('exit 3')} }]
`;

let server: Server;
let [good, other, bad, worse]: number[] = [];
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start('--slots', '8');
  await server.publish(file);
  const start = async (body: { workflow: string; params?: Record<string, string>; tags?: string[] }) => {
    const { id } = await server.client.startRun({ body });
    await server.reaches(id, 'success', 'failed');
    return id;
  };
  good = await start({ workflow: 'etl/good', params: { day: '0814' }, tags: ['slow'] });
  other = await start({ workflow: 'etl/good' });
  bad = await start({ workflow: 'etl/bad' });
  worse = await start({ workflow: 'etl/worse' });
});
afterAll(() => server?.stop());

const open = (query = '', view = {}) => browsing.open(`${server.url}/runs${query}`, view);
const row = (page: Page, id: number) =>
  page.getByRole('row', { name: new RegExp(`(?:success|failed) ${id} `) });
const shows = async (page: Page, ...ids: number[]) => {
  for (const id of [good, other, bad, worse])
    await row(page, id).waitFor({ state: ids.includes(id) ? 'attached' : 'detached' });
};

describe('filters of the list of runs', () => {
  it.each([
    ['param:day=0814', 'param=day=0814', () => [good]],
    ['tag:slow', 'tag=slow', () => [good]],
    ['tag:nightly', 'tag=nightly', () => [good, other]],
    ['error:EXIT CODE 2', 'error=EXIT%20CODE%202', () => [bad]],
    ['duration:..1h', 'duration=..1h', () => [good, other, bad, worse]],
    ['wait:1d', 'wait=1d', () => []],
    ['version:1', 'version=1', () => [good, other, bad, worse]],
    ['owner:nobody', 'owner=nobody', () => []],
  ] as const)(
    'are typed as %s, stand in the address, and are the request',
    async (token, query, expected) => {
      const page = await open();
      await shows(page, good, other, bad, worse);
      await page.keyboard.press('/');
      await page.keyboard.type(token);
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.search === `?${query}`);
      await shows(page, ...expected());
      await page.getByRole('button', { name: 'Copy', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Copy as curl' }).click();
      await page.getByText('Copied: curl').waitFor();
      const curl = await page.evaluate(() => navigator.clipboard.readText());
      const address = /'(.*)'/.exec(curl)?.[1] ?? '';
      expect(new URL(address).search).toBe(`?${query}`);
      const { runs } = (await (await fetch(address)).json()) as { runs: { id: number }[] };
      expect(runs.map(({ id }) => id).sort((a, b) => a - b)).toEqual(expected());
      const fresh = await browsing.open(page.url());
      await shows(fresh, ...expected());
    },
  );

  it('are suggested, by what there is, and dropped as chips', async () => {
    const page = await open();
    await shows(page, good, other, bad, worse);
    await page.keyboard.press('/');
    await page.keyboard.type('worker:');
    const { workers } = await server.client.listNodes();
    await page.getByRole('option', { name: `worker:${workers[0].id}` }).click();
    await page.waitForURL((url) => url.searchParams.get('worker') === workers[0].id);
    await shows(page, good, other, bad, worse);
    await page.keyboard.type('workflow:ba');
    await page.getByRole('option', { name: 'workflow:etl/bad' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await shows(page, bad);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: /Remove.*workflow/ }).click();
    await shows(page, good, other, bad, worse);
  });
});

describe('a selection of runs', () => {
  const bar = (page: Page, count: number) => page.getByRole('toolbar', { name: `${count} selected` });

  it('ends with the filter it was made in, and stays when its rows are put in another order', async () => {
    const page = await open('?workflow=etl/good');
    await row(page, good).waitFor();
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await bar(page, 2).waitFor();
    await page.getByRole('columnheader', { name: 'created' }).getByRole('button').press('Enter');
    await page.waitForURL(/order=/);
    await row(page, good).waitFor();
    await bar(page, 2).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('tag:slow');
    await page.keyboard.press('Enter');
    await page.waitForURL(/tag=slow/);
    await shows(page, good);
    expect(await page.getByRole('toolbar', { name: /selected/ }).count()).toBe(0);
    await row(page, good).focus();
    await page.keyboard.press('x');
    await bar(page, 1).waitFor();
    await page.keyboard.press('r');
    await page.getByRole('dialog', { name: 'Rerun 1 run?' }).waitFor();
  });
});

describe('groups of runs', () => {
  it('are by error, by keyboard alone; opening one is the list with that filter', async () => {
    const page = await open('?group=error');
    const group = page.getByRole('row', { name: /exit code #/ });
    await group.waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'runs-groups-error');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('fingerprint') === 'exit code #');
    await shows(page, bad, worse);
    await page.goBack();
    await group.waitFor();
  });

  it('are by workflow, chosen from the menu', async () => {
    const page = await open('?tag=nightly');
    await shows(page, good, other);
    await page.getByRole('button', { name: 'Group' }).click();
    await page.getByRole('menuitemradio', { name: 'by workflow' }).click();
    await page.waitForURL(/group=workflow/);
    await page.getByRole('row', { name: /etl\/good/ }).dblclick();
    await page.waitForURL(/workflow=etl\/good/);
    await shows(page, good, other);
  });
});

describe('the picture of durations', () => {
  it.each(['light', 'dark'] as const)('opens a run by keyboard, in %s', async (scheme) => {
    const page = await open('?plot=scatter', { scheme });
    const plot = page
      .getByRole('button', { name: /^Durations of runs/ })
      .and(page.locator('[aria-busy="false"]'));
    await plot.waitFor();
    await picture(page, `runs-scatter-${scheme}`);
    expect(await violations(page)).toEqual([]);
    await plot.focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('button', { name: new RegExp(`Run ${good}, success, took`) }).waitFor();
    await page.keyboard.press('End');
    await page.getByRole('button', { name: new RegExp(`Run ${worse}, failed, took`) }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/runs/${worse}`));
  });

  it('leaves no other point chosen where a filter takes the chosen one away', async () => {
    const page = await open('?plot=scatter');
    const plot = page.getByRole('button', { name: /^Durations of runs/ });
    await plot.and(page.locator('[aria-busy="false"]')).waitFor();
    await plot.focus();
    await page.keyboard.press('Home');
    await page.getByRole('button', { name: new RegExp(`Run ${good}, success, took`) }).waitFor();
    await page.evaluate(() => {
      history.pushState({}, '', '/runs?plot=scatter&state=failed');
      dispatchEvent(new PopStateEvent('popstate'));
    });
    await shows(page, bad, worse);
    await expect.poll(() => plot.getAttribute('aria-label')).not.toMatch(/Run \d/);
  });

  it('chooses a range, by dragging and by keyboard', async () => {
    const page = await open('?plot=scatter');
    const plot = page
      .getByRole('button', { name: /^Durations of runs/ })
      .and(page.locator('[aria-busy="false"]'));
    await plot.waitFor();
    const box = await plot.boundingBox();
    if (!box) throw new Error('no picture');
    await page.mouse.move(box.x + 20, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + 10);
    await page.mouse.up();
    await page.waitForURL((url) => url.searchParams.has('from') && url.searchParams.has('to'));
    const dragged = page.url();
    await plot.focus();
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.href !== dragged);
  });
});

describe('columns', () => {
  it('can be tags, a parameter or an output', async () => {
    const page = await open('?workflow=etl/good');
    await shows(page, good, other);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'tags' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'parameter day' }).click();
    await page.getByRole('menuitem', { name: /^Another parameter or output/ }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Its name' }).fill('output:rows');
    await page.keyboard.press('Enter');
    await page.getByRole('columnheader', { name: 'rows' }).waitFor();
    await expect.poll(() => row(page, good).textContent()).toMatch(/nightly, slow.*0814.*12/);
  });
});

describe('views and rights of a project', () => {
  const token = 'a-token-of-the-test-0123456789';
  let seeded: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    seeded = await serve('small', token);
  });
  afterAll(() => seeded?.stop());

  const signedIn = async (bearer: string, path: string) => {
    const page = await browsing.open(`${seeded.url}/login`);
    browsing.expectErrors(page, /401/);
    await page.getByLabel('Token', { exact: false }).first().fill(bearer);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.pathname.endsWith('/login'));
    await page.goto(`${seeded.url}${path}`);
    return page;
  };

  it('leave to who may only look what they may not do, with the reason', async () => {
    const reply = await fetch(`${seeded.url}/api/v1/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'guest', role: 'viewer' }),
    });
    const guest = (await reply.json()) as { token: string };
    const page = await signedIn(guest.token, '/runs');
    await page
      .getByRole('row', { name: / failed \d+ / })
      .first()
      .getByRole('checkbox')
      .click();
    const bar = page.getByRole('toolbar');
    for (const name of ['Recover failed', 'Rerun', 'Stop', 'Tag']) {
      const button = bar.getByRole('button', { name });
      await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
      expect(await button.getAttribute('aria-description')).toMatch(/^The role viewer may not do this/);
    }
    await bar.getByRole('button', { name: /^or all/ }).click();
    const item = page.getByRole('menuitem', { name: 'Stop' });
    await expect.poll(() => item.getAttribute('aria-disabled')).toBe('true');
    await item.click({ force: true });
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
  });

  it('are made by one person with a badge, and seen by another, who may not forget them', async () => {
    const ask = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const reply = await fetch(`${seeded.url}/api/v1${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return reply.json() as Promise<{ token: string }>;
    };
    const viewer = await ask('/tokens', { name: 'second', role: 'viewer' });
    const page = await signedIn(token, '/runs?state=failed&project=etl');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: /^Save this view/ }).click();
    await page.getByRole('textbox', { name: 'Name of the view' }).fill('our failures');
    await page.getByRole('checkbox', { name: /everybody in the project etl/ }).click();
    await page.getByRole('checkbox', { name: 'Show how many runs it has' }).click();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const badge = /^our failures, \d+ runs?$/;
    await page.getByRole('button', { name: badge }).waitFor();
    const second = await signedIn(viewer.token, '/runs');
    await second.getByRole('button', { name: badge }).waitFor();
    await second.getByRole('button', { name: 'Views' }).click();
    await second.getByRole('menuitem', { name: /our failures/ }).waitFor();
    await expect.poll(() => second.getByRole('button', { name: 'Forget our failures' }).count()).toBe(0);
    expect(await violations(second)).toEqual([]);
    await picture(second, 'runs-views');
    await second.getByRole('menuitem', { name: /our failures/ }).click();
    await second.waitForURL((url) => url.searchParams.get('project') === 'etl');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('button', { name: 'Forget our failures' }).click();
    await page.getByRole('button', { name: badge }).waitFor({ state: 'detached' });
  });
});
