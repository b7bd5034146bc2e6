/**
 * A random user: keys, clicks and addresses from a seed, which replays as closely as the server's timing
 * allows. Whatever the user does, the console must neither break nor leave them stuck.
 */
import { Random } from '@orrery/testkit/random';
import type { Browser, Page } from 'playwright-core';
import { anyAct } from './random-user/acts.ts';
import { anyAddress } from './random-user/addresses.ts';
import { Watch } from './random-user/faults.ts';
import type { World } from './random-user/world.ts';

const PATIENCE = 30_000;

/** How it went: what was done, and what was wrong at the end of it; null if nothing was. */
export interface Played {
  readonly steps: readonly string[];
  readonly fault: string | null;
}

/** Plays a user until something is wrong, or for a number of steps. */
export async function playUser(browser: Browser, world: World, seed: number, count: number): Promise<Played> {
  const random = new Random(seed);
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: random.pick(['en-GB', 'en-GB', 'zh-CN']),
    reducedMotion: 'reduce',
  });
  try {
    const page = await context.newPage();
    page.on('dialog', (dialog) => void dialog.accept());
    context.on('page', (other) => void other.close());
    const watch = new Watch(page, world);
    const begin = anyAddress(random, world);
    const steps = [`open ${begin}`];
    await page.goto(`${world.server.url}${begin}`);
    for (;;) {
      const fault = await watch.fault();
      if (fault !== null) return { steps, fault };
      if (steps.length > count) return { steps, fault: await deadEnd(page) };
      const done = await anyAct({ page, random, world }).catch((error) => `failed: ${error}`);
      steps.push(`${done} → ${page.url().slice(world.server.url.length)}`);
      if (random.chance(0.5)) await page.waitForTimeout(random.pick([20, 100, 400]));
    }
  } finally {
    await context.close();
  }
}

/** Where nothing helps any more: neither Escape, nor the key that leads everywhere. */
async function deadEnd(page: Page): Promise<string | null> {
  if (new URL(page.url()).pathname === '/login') return null;
  await page.context().setOffline(false);
  const open = page.locator('[role="dialog"], [role="menu"]');
  for (let left = 5; left > 0 && (await open.count()) > 0; left--) {
    await page.keyboard.press('Escape');
    await page.waitForTimeout(500);
  }
  if ((await open.count()) > 0) return 'what is open above the page does not close';
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('combobox').first();
  return palette.waitFor({ timeout: PATIENCE }).then(
    () => null,
    () => 'the palette does not open',
  );
}
