import { createClient } from '@orrery/sdk/client';
import { SMALL_NOW } from '@orrery/testkit/seed/small';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { type Seeded, serve } from './harness/seeded.ts';

let seeded: Seeded;
const browsing = useBrowser();
beforeAll(async () => {
  seeded = await serve('small');
});
afterAll(() => seeded?.stop());

const client = () => createClient({ url: seeded.url });

/** The newest run in a state. */
async function newest(state: string): Promise<number> {
  for await (const run of client().all.listRuns()) if (run.state === state) return run.id;
  throw new Error(`the seed has no run that is ${state}`);
}

describe('a run', () => {
  it.each([
    'queued',
    'waiting',
    'running',
    'pausing',
    'paused',
    'stopping',
    'failing',
    'success',
    'failed',
    'stopped',
    'broken',
  ])('that is %s says so, with its tasks as they are', async (state) => {
    const id = await newest(state);
    const page = await browsing.open(`${seeded.url}/runs/${id}?view=table`, { now: SMALL_NOW });
    await page.getByRole('heading', { level: 1 }).getByText(state, { exact: true }).waitFor();
    const { counts } = await client().showRun({ id });
    const words: Record<string, string> = {
      submitted: 'queued',
      retrying: 'retry in',
      killed: 'stopped',
      passed: 'disabled',
      excluded: 'not part of this run',
    };
    if (state === 'queued') await page.getByRole('heading', { name: /^Queued/ }).waitFor();
    else
      for (const [name, count] of Object.entries(counts))
        await page
          .getByRole('button', { name: `${words[name] ?? name} ${count}`, exact: true })
          .first()
          .waitFor();
    await picture(page, `run-state-${state}`);
    expect(await violations(page)).toEqual([]);
  });

  it.each([1440, 900, 390])('has its steps to others in the row of its name at %i px', async (width) => {
    const id = await newest('failed');
    const page = await browsing.open(`${seeded.url}/runs/${id}?view=table`, { now: SMALL_NOW, width });
    if (width === 1440) await page.getByRole('complementary', { name: /^Details of/ }).waitFor();
    /** Looked at until it holds: what else comes into the head may still move them. */
    const isInRow = async (step: string) => {
      const name = await page.getByRole('heading', { level: 1 }).boundingBox();
      const box = await page.getByRole('button', { name: `${step} run of the list` }).boundingBox();
      const middle = (box?.y ?? 0) + (box?.height ?? 0) / 2;
      return middle > (name?.y ?? 0) && middle < (name?.y ?? 0) + (name?.height ?? 0);
    };
    for (const step of ['previous', 'next']) await expect.poll(() => isInRow(step)).toBe(true);
    await picture(page, `run-steps-${width}`);
  });

  it.each(['light', 'dark'] as const)(
    'that failed shows why and its log first at 390 px, %s',
    async (scheme) => {
      const id = await newest('failed');
      const { failed } = await client().showRun({ id });
      const page = await browsing.open(`${seeded.url}/runs/${id}`, { now: SMALL_NOW, width: 390, scheme });
      const cause = page.getByRole('button', { name: `${failed?.task} failed` });
      const log = page.getByRole('region', { name: 'Log' });
      const recover = page.getByRole('button', { name: 'Recover failed' });
      const top = async (part: typeof cause) => (await part.boundingBox())?.y ?? Number.NaN;
      const inOrder = async () =>
        (await top(cause)) < (await top(log)) && (await top(log)) < (await top(recover));
      await expect.poll(inOrder).toBe(true);
      expect(await cause.count()).toBe(1);
      expect(await violations(page)).toEqual([]);
    },
  );

  it('that another one started leads there and back', async () => {
    const { id, parent } = await (async () => {
      for await (const run of client().all.listRuns()) if (run.parent !== null) return run;
      throw new Error('the seed has no child run');
    })();
    const page = await browsing.open(`${seeded.url}/runs/${id}`, { now: SMALL_NOW });
    await page.getByRole('link', { name: `started by run ${parent}` }).click();
    await page.waitForURL(new RegExp(`/runs/${parent}`));
    const { children } = await client().showRun({ id: parent ?? 0 });
    await page.goto(`${seeded.url}/runs/${parent}?task=${children[0].task}`);
    await page.getByRole('button', { name: new RegExp(`^${children[0].task},`) }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/runs/${children[0].id}`));
  });
});

describe('the list of runs', () => {
  it('has every state at its fixed moment', async () => {
    const page = await browsing.open(`${seeded.url}/runs`, { now: SMALL_NOW, height: 1400 });
    await page
      .getByRole('row', { name: / failed \d+ / })
      .first()
      .waitFor();
    await picture(page, 'runs-states');
    const dark = await browsing.open(`${seeded.url}/runs`, { now: SMALL_NOW, scheme: 'dark', height: 1400 });
    await dark
      .getByRole('row', { name: / failed \d+ / })
      .first()
      .waitFor();
    await picture(dark, 'runs-states-dark');
    expect(await violations(dark)).toEqual([]);
  });
});
