import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SMALL_NOW } from '@orrery/testkit/seed/small';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { catalogue, pictureName, type Visit } from './harness/looks/catalogue.ts';
import { differenceOf, type Strictness } from './harness/looks/compare.ts';
import {
  accepting,
  expectStored,
  settledPicture,
  storedFolder,
  strictnessHere,
} from './harness/looks/stored.ts';
import { startWorlds, type Worlds } from './harness/looks/worlds.ts';

const browsing = useBrowser();
let worlds: Worlds;
let known: Strictness | undefined;
beforeAll(async () => {
  worlds = await startWorlds();
});
afterAll(() => worlds?.stop());

/** How strictly pictures can be compared on this machine. */
async function strictness(): Promise<Strictness> {
  known ??= await strictnessHere(await browsing.open('about:blank', { known: true }));
  return known;
}

/** Opens a page and waits until it is there. */
async function open({ look, language, shots }: Visit): Promise<Page> {
  const { world, address, fault, act, there, errors } = look;
  const path = typeof address === 'string' ? address : address(worlds.places);
  const page = await browsing.open(`${worlds.urls[world]}${path}`, {
    ...shots[0],
    language,
    now: SMALL_NOW,
    prepare: async (one) => {
      if (errors) browsing.expectErrors(one, errors);
      if (fault) await one.route(fault.of, answers[fault.kind]);
    },
  });
  if (world !== 'locked') await page.locator('header [data-state="live"]').waitFor();
  await act?.(page);
  await there(page).waitFor();
  return page;
}

const answers = {
  held: () => new Promise<void>(() => {}),
  named: async (route: Route) => {
    const response = await route.fetch();
    const body = JSON.stringify({ ...(await response.json()), requestId: 'r-1' });
    await route.fulfill({ response, body });
  },
  refused: (route: Route) =>
    route.fulfill({
      status: 500,
      contentType: 'application/problem+json',
      body: JSON.stringify({
        type: 'urn:orrery:problem:defect',
        title: 'Something went wrong in Orrery',
        status: 500,
        detail: 'recorded under the request id',
        requestId: 'r-1',
      }),
    }),
};

describe('looks as stored, and breaks no rule of accessibility', () => {
  it.each(catalogue.map((visit) => [visit.look.name, visit.shots[0].width, visit.language, visit] as const))(
    '%s at %i px in %s',
    async (_name, _width, _language, visit) => {
      const page = await open(visit);
      const judged = new Set<string>();
      for (const shot of visit.shots) {
        const { width, height, scheme } = shot;
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme: scheme });
        await expectStored(page, pictureName(visit, shot), await strictness());
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        if (!accepting && !judged.has(scheme)) expect(await violations(page)).toEqual([]);
        judged.add(scheme);
      }
    },
  );
});

it('stores no picture that nothing is compared with', () => {
  const names = catalogue.flatMap((visit) => visit.shots.map((shot) => `${pictureName(visit, shot)}.png`));
  const left = readdirSync(storedFolder).filter((name) => name !== 'card.png' && !names.includes(name));
  if (accepting) for (const name of left) rmSync(join(storedFolder, name));
  else expect(left).toEqual([]);
});

// What is stored anew would be stored with the change.
describe.runIf(!accepting)('a change of a page', () => {
  /** Lays a style over a page; a sheet of its own is what the page's policy leaves to scripts. */
  const restyle = (page: Page, rules: string) =>
    page.evaluate((text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      document.adoptedStyleSheets = [sheet];
    }, rules);

  const home = catalogue.find(({ look }) => look.name === 'home')!;
  const stored = pictureName(home, home.shots[0]);

  it.each([
    ['a panel that is gone', 'main section:last-of-type { visibility: hidden }', true, true],
    [
      'a state in the colour of another',
      ':root:root { --failed-fill: #0c6351; --failed-text: #0c6351 }',
      true,
      true,
    ],
    ['a ground that is a little lighter', ':root:root { --raised: #ffffff }', true, false],
    ['other letters', '* { font-family: serif !important }', true, false],
    ['nothing', '', false, false],
  ])('such as %s is seen as it should be', async (_name, rules, exactly, roughly) => {
    const page = await open(home);
    await expectStored(page, stored, await strictness());
    const before = await settledPicture(page);
    await restyle(page, rules);
    const after = await settledPicture(page);
    expect([
      differenceOf(before, after, 'exact') !== undefined,
      differenceOf(before, after, 'rough') !== undefined,
    ]).toEqual([exactly, roughly]);
  });

  it('fails its comparison, and the command that accepts it is told', async () => {
    const page = await open(home);
    await restyle(page, 'main section { visibility: hidden }');
    for (const strictly of ['exact', 'rough'] as const)
      await expect(expectStored(page, stored, strictly)).rejects.toThrow(
        /"home.1440.light" does not look as stored: .* differ, .* may\nIt is in .*\n.*npm run looks -- --accept/,
      );
    await restyle(page, '');
    await expectStored(page, stored, await strictness());
  });
});
