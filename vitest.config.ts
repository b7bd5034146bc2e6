import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LineReporter } from './scripts/test/reporter.ts';

/** Where `npm test` reads the results while they come. */
const report = process.env.ORRERY_TEST_REPORT;

/** Long enough for a machine that does ten other things: a limit is for what hangs, not for what is slow. */
const patience = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 30_000 } } };
/** Two more than can compute at a time: many tests wait, for processes, beats and browsers. */
const maxWorkers = availableParallelism() + 2;
/** Slow test files that their size does not give away; they start first. */
const long = [
  /\/cli\/src\/(dev\/(crash|limits|hostile-input|examples)|server\/(chaos|cluster|upgrade|database-\w+)|client\/runs)\.test\.ts$/,
  /\/(simulation|build|test\/vitest)\.test\.ts$/,
  /\/console\/(run|frame|shell|workflows|home|log|editor-draw|jobs)\.test\.ts$/,
];
const setupFiles = ['scripts/test/setup.ts'];
/** A browser test is many steps, each of which may have to wait that long. */
const browserPatience = {
  testTimeout: 2 * patience.testTimeout,
  hookTimeout: 2 * patience.hookTimeout,
  expect: { poll: { timeout: patience.testTimeout } },
};
/** These change the environment, the working folder and signals of their process. */
const withProcesses = ['packages/{cli,tasks,worker}/src/**/*.test.ts'];
/** What only the full tier runs. */
const fullOnly = process.env.ORRERY_TEST_FULL === '1' ? [] : ['**/*.full.test.ts'];
const pictures = 'e2e/console/looks*.test.ts';

/** The long ones first: begun last, each would be waited for alone. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => long.some((pattern) => pattern.test(moduleId));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    reporters: ['default', ...(report ? [new LineReporter(report)] : [])],
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          name: 'code',
          include: ['packages/*/src/**/*.test.ts'],
          exclude: [...withProcesses, ...fullOnly],
          // Files share a process and what it has loaded: less than half of the time.
          isolate: false,
          setupFiles,
          maxWorkers,
          ...patience,
        },
      },
      {
        test: {
          name: 'processes',
          include: [...withProcesses, 'scripts/**/*.test.ts'],
          exclude: fullOnly,
          setupFiles,
          maxWorkers,
          ...patience,
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['e2e/{cluster,security}/**/*.test.ts'],
          setupFiles,
          // Alone: its leases and sessions are of seconds, and its own processes use what small machines have.
          sequence: { groupOrder: 1 },
          maxWorkers,
          ...patience,
        },
      },
      {
        test: {
          name: 'console',
          include: ['e2e/console/**/*.test.ts'],
          exclude: [pictures, ...fullOnly],
          isolate: false,
          setupFiles,
          globalSetup: ['e2e/console/harness/build-console.ts'],
          // After the others: a browser and a server need what small machines have.
          sequence: { groupOrder: 2 },
          maxWorkers,
          ...browserPatience,
        },
      },
      {
        test: {
          name: 'looks',
          include: [pictures],
          setupFiles,
          globalSetup: ['e2e/console/harness/build-console.ts'],
          sequence: { groupOrder: 3 },
          maxWorkers,
          ...browserPatience,
        },
      },
      {
        test: {
          name: 'bench',
          include: ['bench/**/*.test.ts'],
          setupFiles,
          sequence: { groupOrder: 4 },
          maxWorkers: 1,
          ...browserPatience,
        },
      },
    ],
  },
});
