/** Before the browser tests: the console as it would be served, built if a source has changed. */
import { buildConsole } from '../../../scripts/build-console.ts';

/** Called by Vitest once, before the first test. */
export function setup(): void {
  buildConsole();
}
