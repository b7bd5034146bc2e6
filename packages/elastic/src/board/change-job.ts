/** A job with other settings, as an operator asks for them. */
import { InvalidInput } from '@orrery/core/errors';
import { type Job, parseJob } from '@orrery/core/model';
import { isBuiltIn } from './strategy.ts';

/** Why a job is refused that compares clocks where there is none to compare with. */
export const NO_CLOCK = 'maxTimeDiff needs a registry with a clock, which this one lacks';

/** Settings that make a job what it is. */
const FIXED = ['name', 'namespace'];

/** A job as its settings are written: durations as text. */
export function settingsOf(job: Job): Record<string, unknown> {
  const { maxTimeDiff, reconcileInterval } = job;
  return {
    ...job,
    reconcileInterval: `${reconcileInterval}ms`,
    maxTimeDiff: maxTimeDiff === undefined ? undefined : `${maxTimeDiff}ms`,
  };
}

/** Checked like a new job; every problem is reported at once. A setting of null is removed. */
export function changeJob(
  job: Job,
  changes: Readonly<Record<string, unknown>>,
  checkStrategy: (job: Job) => void,
): Job {
  for (const name of FIXED)
    if (Object.hasOwn(changes, name))
      throw new InvalidInput(`${name} cannot be changed: that would be another job`);
  const given = Object.fromEntries(
    Object.entries({ ...settingsOf(job), ...changes }).filter(([, value]) => value !== null),
  );
  const { job: next, problems } = parseJob(given);
  if (!next)
    throw new InvalidInput(
      problems
        .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
        .join('; '),
    );
  // Only the instances know a custom strategy.
  if (next.strategy !== job.strategy || isBuiltIn(next.strategy)) checkStrategy(next);
  return next;
}

/** Refuses a shard that a job does not have. */
export function checkShard({ name, shards }: Job, shard: number): void {
  if (!Number.isSafeInteger(shard) || shard < 0 || shard >= shards)
    throw new InvalidInput(`job ${name} has the shards 0 to ${shards - 1}, not ${shard}`);
}
