import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Long enough for a machine that does ten other things: a limit is for what hangs, not for what is slow. */
const patience = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 30_000 } } };
/** One more than can compute at a time: many tests wait, for processes, beats and browsers. */
const maxWorkers = availableParallelism() + 1;

export default defineConfig({
  test: {
    reporters: ['default'],
    projects: [
      {
        test: {
          name: 'code',
          include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          maxWorkers,
          ...patience,
        },
      },
      {
        test: {
          name: 'console',
          include: ['e2e/console/**/*.test.ts'],
          globalSetup: ['e2e/console/harness/build-console.ts'],
          // After the others: a browser and a server need what small machines have.
          sequence: { groupOrder: 1 },
          maxWorkers,
          // A test of a browser is many steps, each of which may have to wait that long.
          testTimeout: 2 * patience.testTimeout,
          hookTimeout: 2 * patience.hookTimeout,
          expect: { poll: { timeout: patience.testTimeout } },
        },
      },
    ],
  },
});
