import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Long enough for a machine that does ten other things: a limit is for what hangs, not for what is slow. */
const patience = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 30_000 } } };
/** One more than can compute at a time: many tests wait, for processes, beats and browsers. */
const maxWorkers = availableParallelism() + 1;
/** Files that take far longer than their size lets one expect. */
const long = /\/(dev\/crash|dev\/limits|server\/cluster|simulation|looks|looks-states)\.test\.ts$/;

/** The long ones first: begun last, each would be waited for alone. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => long.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    reporters: ['default'],
    sequence: { sequencer: LongFirst },
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
