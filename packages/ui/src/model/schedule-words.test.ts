import { expect, it } from 'vitest';
import { dayTimes } from './schedule-words.ts';

it.each([
  ['0 6 * * *', { times: ['06:00'], days: null }],
  ['0 30 2 * * ?', { times: ['02:30'], days: null }],
  ['0 0 6,18 * * ?', { times: ['06:00', '18:00'], days: null }],
  ['15 8 * * MON,fri', { times: ['08:15'], days: [1, 5] }],
])('%s is at fixed times', (cron, said) => {
  expect(dayTimes(cron)).toEqual(said);
});

it.each([
  '*/5 * * * *',
  '0 6 1 * *',
  '30 0 6 * * ?',
  '0 6 * 1 *',
  '0 6 * * 1-5',
  '0 25 * * *',
  '0 0 6 L * ?',
  '0 0 6 * * ? 2030',
])('%s is not', (cron) => {
  expect(dayTimes(cron)).toBe(null);
});
