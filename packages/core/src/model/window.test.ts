import { describe, expect, it } from 'vitest';
import { DATE_VALUES, windowIntervals } from '../depend/index.ts';
import { zone } from '../time/index.ts';
import { parseWindow } from './window.ts';

describe('a window of a dependency', () => {
  it.each(DATE_VALUES)('%s is itself', (name) => {
    expect(parseWindow(name)).toBe(name);
    expect(windowIntervals(parseWindow(name), 0, zone('UTC')).length).toBeGreaterThan(0);
  });

  it.each([
    ['previous', { offset: -1, count: 1 }],
    ['(-2,2)', { offset: -2, count: 2 }],
    ['( 0 , 3 )', { offset: 0, count: 3 }],
  ])('%s means versions of the other schedule', (text, range) => {
    expect(parseWindow(text)).toEqual(range);
  });

  it.each([
    ['lastmonth', 'there is no window "lastmonth"; did you mean "lastMonth"?'],
    ['(-1,0)', 'count 0 of a version range must be a whole number from 1'],
    ['(-99999,1)', 'version range (-99999,1) must be whole numbers within 10000 versions'],
  ])('%s is refused', (text, message) => {
    expect(() => parseWindow(text)).toThrow(message);
  });

  it('names all windows where none is near', () => {
    expect(() => parseWindow('constructor')).toThrow(
      /^there is no window "constructor"; use currentHour, .*, previous or versions such as \(-1,1\)$/,
    );
  });
});
