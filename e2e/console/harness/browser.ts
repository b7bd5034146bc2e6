/**
 * A real browser: the system's Chromium, without a screen. Every page a test opens is watched; an error in its
 * console, or one that nobody caught, fails the test, unless the test made the fault itself and says so.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { openChromium } from '../../../scripts/open-chromium.ts';

/** Longer than anything takes on a machine that has much else to do; what really does not come fails the test late. */
const PATIENCE = 120_000;

/** How a page is looked at. */
interface View {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  readonly language?: 'en' | 'zh-CN' | 'x-pseudo';
  /** The moment that the page takes for now. */
  readonly now?: number;
  /** Someone who was here before, with another browser: what they set is still with the server. */
  readonly known?: boolean;
  /** Prepares the page before its first navigation, for example with faults of the network. */
  readonly prepare?: (page: Page) => Promise<void>;
  /** The tab of a browser that is open already: it shares its storage, locks and cookies. */
  readonly beside?: Page;
}

/** Pages for the tests of one file. */
export interface Browsing {
  open(url: string, view?: View): Promise<Page>;
  /** Errors that match are the test's own doing. */
  expectErrors(page: Page, like: RegExp): void;
}

interface Fault {
  readonly text: string;
  /** What was loaded, or the code. */
  readonly at?: string;
}

interface Watched {
  readonly context: BrowserContext;
  readonly errors: Fault[];
  expected: RegExp | undefined;
}

/** Starts a browser for the tests of this file. */
export function useBrowser(): Browsing {
  let browser: Browser;
  const watched = new Map<Page, Watched>();
  beforeAll(async () => {
    browser = await openChromium();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    const seen = [...watched.values()];
    watched.clear();
    await Promise.all(new Set(seen.map(({ context }) => context)).values().map((context) => context.close()));
    for (const { errors, expected } of seen)
      expect(errors.filter(({ text }) => !expected?.test(text))).toEqual([]);
  });
  return {
    async open(
      url,
      {
        width = 1440,
        height = 900,
        scheme = 'light',
        language = 'en',
        now,
        known = false,
        prepare,
        beside,
      } = {},
    ) {
      const context =
        beside?.context() ??
        (await browser.newContext({
          viewport: { width, height },
          colorScheme: scheme,
          locale: language === 'zh-CN' ? 'zh-CN' : 'en-GB',
          timezoneId: 'UTC',
          reducedMotion: 'reduce',
        }));
      if (!beside) {
        context.setDefaultTimeout(PATIENCE);
        if (!known) await forgetPreferences(url);
        await context.grantPermissions(['clipboard-read', 'clipboard-write']);
        if (language === 'x-pseudo')
          await context.addInitScript(
            'localStorage.setItem(\'orrery.preferences\', \'{"language":"x-pseudo"}\')',
          );
      }
      const page = await context.newPage();
      const errors: Fault[] = [];
      watched.set(page, { context, errors, expected: undefined });
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push({ text: message.text(), at: message.location().url });
      });
      page.on('pageerror', (error) => errors.push({ text: String(error.stack ?? error) }));
      if (now !== undefined) await page.clock.setFixedTime(now);
      await prepare?.(page);
      await page.goto(url);
      return page;
    },
    expectErrors(page, like) {
      const entry = watched.get(page);
      if (entry) entry.expected = like;
    },
  };
}

/** What a test before has set is kept with the server; where one has to sign in nothing is. */
async function forgetPreferences(url: string): Promise<void> {
  await fetch(new URL('/api/v1/me/preferences', url), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
}
