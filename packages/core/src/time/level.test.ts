import { describe, expect, it } from 'vitest';
import { parseCron } from './cron-parse.ts';
import { cronLevel } from './level.ts';

describe('levels of a cron', () => {
  it.each([
    ['0/5 * * * * ?', 'second', 'second'],
    ['* * * * * ?', 'second', 'second'],
    ['0/5 0 12 * * ?', 'second', 'day'],
    ['0 0/5 * * * ?', 'minute', 'minute'],
    ['0 0/5 9-17 ? * MON-FRI', 'minute', 'week'],
    ['0 0 * * * ?', 'hour', 'hour'],
    ['0 0 0/2 * * ?', 'hour', 'hour'],
    ['0 30 2 * * ?', 'day', 'day'],
    ['0 30 2 ? * *', 'day', 'day'],
    ['0 30 2 1/2 * ?', 'day', 'day'],
    ['0 30 2 ? * MON', 'week', 'week'],
    ['0 30 2 ? * 6L', 'month', 'month'],
    ['0 30 2 ? * 2#1', 'month', 'month'],
    ['0 30 2 ? * 2,6L', 'week', 'month'],
    ['0 30 2 1 * ?', 'month', 'month'],
    ['0 30 2 L * ?', 'month', 'month'],
    ['0 30 2 1 1/3 ?', 'month', 'month'],
    ['0 30 2 29 2 ?', 'year', 'year'],
    ['0 30 2 * 1 ?', 'day', 'year'],
    ['0 30 2 * * ? 2026', 'day', 'year'],
    ['30 2 * * *', 'day', 'day'],
    ['30 2 * * 1', 'week', 'week'],
    ['30 2 1 * 1', 'week', 'month'],
    ['30 2 */2 * 1', 'day', 'week'],
    ['@weekly', 'week', 'week'],
  ])('%s repeats by the %s, its pattern by the %s', (text, smallest, biggest) => {
    expect(cronLevel(parseCron(text))).toEqual({ smallest, biggest });
  });
});
