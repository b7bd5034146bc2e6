/** Visits of the catalogue: a page in its state, opened once, with a picture of each of its shots. */
import { SMALL_NOW } from '@orrery/testkit/seed/small';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { violations } from '../axe.ts';
import { useBrowser } from '../browser.ts';
import { pictureName, type Visit } from './catalogue.ts';
import type { Strictness } from './compare.ts';
import { accepting, expectStored, settledPicture, strictnessHere, takePicture } from './stored.ts';
import { startWorlds, type WorldSizes, type Worlds } from './worlds.ts';

/** What the tests of one file do with visits. */
interface Looks {
  /** Opens a page and waits until it is there. */
  open(visit: Visit): Promise<Page>;
  /** How strictly pictures can be compared on this machine. */
  strictness(): Promise<Strictness>;
  /** In each shot the page is as stored, fits its width and breaks no rule of accessibility. */
  expectAsStored(visit: Visit): Promise<void>;
  /** Takes each shot; the page fits its width and breaks no rule of accessibility. */
  take(visit: Visit): Promise<void>;
  /** The same without pictures. */
  check(visit: Visit): Promise<void>;
}

/** Starts what pictures are taken of, and a browser, for the tests of this file. */
export function useLooks(sizes?: Partial<WorldSizes>): Looks {
  const browsing = useBrowser();
  let worlds: Worlds;
  let known: Strictness | undefined;
  beforeAll(async () => {
    worlds = await startWorlds(sizes);
  });
  afterAll(() => worlds?.stop());
  const looks: Looks = {
    async open({ look, language, shots }) {
      const { world, address, fault, act, there, graph, errors } = look;
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
      if (graph) {
        await page.waitForFunction(hasLayout);
        // It is drawn in the next frame.
        await page.evaluate(
          () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
        );
      }
      return page;
    },
    async strictness() {
      known ??= await strictnessHere(await browsing.open('about:blank', { known: true }));
      return known;
    },
    expectAsStored: (visit) =>
      eachShot(visit, async (page, name) => expectStored(page, name, await looks.strictness())),
    take: (visit) =>
      eachShot(visit, (page, name) => takePicture(page, name, visit.look.fault?.kind === 'held')),
    check: (visit) => eachShot(visit, (page) => settledPicture(page)),
  };
  return looks;

  async function eachShot(visit: Visit, look: (page: Page, name: string) => Promise<unknown>): Promise<void> {
    const page = await looks.open(visit);
    for (const shot of visit.shots) {
      const { width, height, scheme } = shot;
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: scheme });
      await look(page, pictureName(visit, shot));
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      if (!accepting) expect(await violations(page)).toEqual([]);
    }
  }
}

/** What a faulty request is answered. */
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

/** Whether the browser keeps a layout, which it does as soon as one was made; run in the page. */
async function hasLayout(): Promise<boolean> {
  const name = 'orrery-layouts';
  const known = await indexedDB.databases();
  if (!known.some((one) => one.name === name)) return false;
  return new Promise((resolve) => {
    const opened = indexedDB.open(name);
    opened.onerror = () => resolve(false);
    opened.onsuccess = () => {
      const count = opened.result.transaction('layouts').objectStore('layouts').count();
      count.onsuccess = () => {
        opened.result.close();
        resolve(count.result > 0);
      };
    };
  });
}
