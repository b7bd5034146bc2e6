/** The way out of a panel that says what went wrong. */
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

/**
 * Presses Retry until the panel is gone. What was refused is also asked for by itself, every few seconds and when the
 * stream of events comes back: then there is no button any more.
 */
export async function retryUntilGone(panel: Locator): Promise<void> {
  const retry = panel.getByRole('button', { name: 'Retry' });
  await expect
    .poll(async () => {
      await retry.click({ timeout: 1_000 }).catch(() => {});
      return panel.count();
    })
    .toBe(0);
}
