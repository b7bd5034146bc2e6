/**
 * Preloaded into a process whose wall clock a test steps: on SIGUSR2 it reads the offset, in milliseconds,
 * from the file in ORRERY_TEST_CLOCK. The monotonic clock is unaffected, as on a machine whose time is set.
 */
import { readFileSync } from 'node:fs';

const RealDate = Date;
let offset = 0;

class SteppedDate extends RealDate {
  constructor(...given: unknown[]) {
    super(...((given.length > 0 ? given : [SteppedDate.now()]) as [number]));
  }

  static override now(): number {
    return RealDate.now() + offset;
  }
}

globalThis.Date = SteppedDate as DateConstructor;
process.on('SIGUSR2', () => {
  offset = Number(readFileSync(process.env.ORRERY_TEST_CLOCK ?? '', 'utf8'));
});
