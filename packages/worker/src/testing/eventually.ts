/** Waits for effects of real processes. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Settles with the first truthy result of `holds`. Fails after a time that no healthy machine needs. */
export async function eventually<T>(
  what: string,
  holds: () => T | Promise<T>,
  within = 20_000,
): Promise<Exclude<T, false | undefined>> {
  const end = performance.now() + within;
  for (;;) {
    const value = await holds();
    if (value) return value as Exclude<T, false | undefined>;
    if (performance.now() > end) throw new Error(`never came true: ${what}`);
    await sleep(20);
  }
}
