import { describe, expect, it } from 'vitest';
import { parseSize, sizeAbout, writeSize } from './size.ts';

describe('a size', () => {
  it.each([
    ['1B', 1],
    ['512MB', 512 * 2 ** 20],
    ['1.5GB', 1.5 * 2 ** 30],
    ['2 TB', 2 * 2 ** 40],
    ['64KiB', 65_536],
  ])('%s is %i bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
    expect(parseSize(writeSize(bytes))).toBe(bytes);
  });

  it.each(['', '5', 'GB', '-1GB', '1 gigabyte', '1e3MB', '1Mb', '99999999TB'])('is not "%s"', (text) => {
    expect(() => parseSize(text)).toThrow(/size/);
  });

  it('is rounded for people', () => {
    expect(sizeAbout(1_600_000_000)).toBe('1.5 GB');
    expect(sizeAbout(12)).toBe('12 B');
  });
});
