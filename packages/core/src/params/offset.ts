/**
 * Version offsets: which ticks of another schedule a run needs, as `(offset, count)`. Version 0 is the newest
 * tick at or before the reference time; `(-2,2)` means the two before it, `(0,2)` it and the next.
 */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';

/** A range of `count` versions that starts `offset` versions from the reference. */
export interface VersionRange {
  offset: number;
  count: number;
}

/**
 * The ticks of a schedule, as steps from any instant; `undefined` before its first tick and after its last.
 */
export interface Cadence {
  /** The newest tick earlier than an instant. */
  before(instant: number): number | undefined;
  /** The earliest tick later than an instant. */
  after(instant: number): number | undefined;
}

/**
 * Limit of a version's distance from the reference, so that a mistyped number does not walk through history.
 */
const FARTHEST = 10_000;

/** The versions of a range as distances from version 0. */
export function versionOffsets({ offset, count }: VersionRange): number[] {
  if (!Number.isInteger(count) || count <= 0) {
    throw new InvalidInput(said('param.versionCount', { count }));
  }
  if (!Number.isInteger(offset) || Math.abs(offset) + count > FARTHEST) {
    throw new InvalidInput(said('param.versionRange', { offset, count, most: FARTHEST }));
  }
  return Array.from({ length: count }, (_, i) => offset + i);
}

/**
 * The business times of a range. Versions before the first tick or after the last do not exist and are left
 * out.
 */
export function requiredVersions(range: VersionRange, reference: number, cadence: Cadence): number[] {
  const wanted = versionOffsets(range);
  const first = wanted[0];
  const last = wanted[wanted.length - 1];
  const found: number[] = [];
  let at = cadence.before(reference + 1);
  for (let index = 0; index >= first && at !== undefined; index--) {
    if (index <= last) found.unshift(at);
    at = cadence.before(at);
  }
  at = cadence.after(reference);
  for (let index = 1; index <= last && at !== undefined; index++) {
    if (index >= first) found.push(at);
    at = cadence.after(at);
  }
  return found;
}

/** The offset of the first version at or after an instant, such as the reference minus one day. */
export function offsetOf(target: number, reference: number, cadence: Cadence): number {
  let offset = 0;
  if (target > reference) {
    for (let at = cadence.after(reference); at !== undefined; at = cadence.after(at)) {
      offset = within(offset + 1);
      if (at >= target) return offset;
    }
    throw new InvalidInput(said('param.noVersion'));
  }
  let at = cadence.before(reference + 1);
  // The walk ends at a version at or before the target; the version after it is the result.
  for (; at !== undefined && at > target; at = cadence.before(at)) offset = within(offset - 1);
  return at === target ? offset : offset + 1;
}

function within(offset: number): number {
  if (Math.abs(offset) <= FARTHEST) return offset;
  throw new InvalidInput(said('param.versionTooFar', { most: FARTHEST }));
}
