import { casesOf, wordsOf } from '@orrery/testkit/cases/recorded';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDuration } from './duration.ts';

describe('a duration', () => {
  it.each([
    ['0', 0],
    ['500ms', 500],
    ['10s', 10_000],
    ['1.5s', 1_500],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['1w', 604_800_000],
  ])('%s is %i milliseconds', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it.each(['', '10', '10 s', '-5s', '10min', 's', '1h 30m', '1e3s'])('refuses "%s"', (text) => {
    expect(() => parseDuration(text)).toThrow(
      `"${text}" is not a duration; write a number and a unit, such as 500ms, 10s, 5m, 1h30m or 2d`,
    );
  });

  it('refuses what no number can hold', () => {
    expect(() => parseDuration('999999999999999w')).toThrow('duration "999999999999999w" is too long');
  });

  it('reads every whole number of a unit', () => {
    fc.assert(fc.property(fc.nat(1_000_000), (n) => parseDuration(`${n}s`) === n * 1_000));
  });
});

/**
 * Deliberately not as in DolphinScheduler's SDK, whose timeouts are whole minutes, rounded up: one second there
 * is a minute, 62 seconds are two. Here a timeout is what was written, to the millisecond.
 */
describe('the recorded timeouts (sdk-timeout)', () => {
  const units = { seconds: 's', minutes: 'm', hours: 'h' } as const;

  it.each(casesOf('sdk-timeout'))(
    '$id keeps what was written, of which theirs is the next whole minute',
    ({ input, expect: minutes }) => {
      const said = wordsOf<Partial<Record<keyof typeof units, number>>>(input, Object.keys(units));
      const [[unit, amount]] = Object.entries(said) as [keyof typeof units, number][];
      const ours = parseDuration(`${amount}${units[unit]}`);
      expect(ours).toBe(Math.round(amount * parseDuration(`1${units[unit]}`)));
      expect(Math.ceil(ours / 60_000)).toBe(minutes);
    },
  );
});
