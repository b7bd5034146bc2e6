/**
 * Pictures of pages, for people to look at: `.vitest/pictures`, or where ORRERY_PICTURES says. They are not compared:
 * what they show depends on when the test ran. Those that are compared are in `looks/`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const folder =
  process.env.ORRERY_PICTURES ?? join(import.meta.dirname, '..', '..', '..', '.vitest', 'pictures');

/** Takes a picture of the viewport. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}
