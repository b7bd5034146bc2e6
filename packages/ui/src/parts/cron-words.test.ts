import { cronNext, parseCron, zone } from '@orrery/core/time';
import type { Values } from '@orrery/sdk/client';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { english, type Key } from '../i18n/en.ts';
import { createFormatter } from '../i18n/format.ts';
import { chinese } from '../i18n/zh.ts';
import { englishUnits } from '../model/time.ts';
import { cronWords } from './cron-words.ts';

const en = {
  text: createFormatter(english, 'en') as (key: Key, values?: Values) => string,
  locale: 'en',
  units: englishUnits,
};
const zh = {
  text: createFormatter(chinese, 'zh-CN') as (key: Key, values?: Values) => string,
  locale: 'zh-CN',
  units: { ms: ' 毫秒', s: ' 秒', m: ' 分', h: ' 小时', d: ' 天' },
};

it.each([
  ['0 6 * * *', '06:00', '06:00'],
  ['0 0 6,18 * * ?', '06:00, 18:00', '06:00、18:00'],
  ['0 0/30 * * * ?', 'every 30 m', '每 30 分'],
  ['* * * * *', 'every minute', '每分钟'],
  ['0/15 * * * * ?', 'every 15 s', '每 15 秒'],
  ['* * * * * ?', 'every second', '每秒'],
  ['@hourly', 'every hour', '每小时'],
  ['0 */2 * * *', 'every 2 h', '每 2 小时'],
  ['5,35 * * * *', 'minute 5, 35 of each hour', '每小时第 5、35 分'],
  ['0 6 * * 1-5', 'Mon–Fri 06:00', '周一至周五 06:00'],
  ['0 6 * * 0,6', 'Sat, Sun 06:00', '周六、周日 06:00'],
  ['*/15 8-17 * * MON,FRI', 'Mon, Fri every 15 m, 08:00–17:45', '周一、周五 08:00–17:45 每 15 分'],
  ['0 6 1,15 * *', 'day 1, 15 of each month 06:00', '每月 1、15 日 06:00'],
  ['0 6 1-7 * *', 'day 1–7 of each month 06:00', '每月 1–7 日 06:00'],
  ['0 0 6 L * ?', 'last day of each month 06:00', '每月最后一天 06:00'],
  ['0 0 6 ? * MON#2', '2nd Mon of each month 06:00', '每月第 2 个周一 06:00'],
  ['0 0 6 ? * 6L', 'last Fri of each month 06:00', '每月最后一个周五 06:00'],
  ['0 0 1 1,7 *', 'day 1 of Jan, Jul 00:00', '1月、7月 1 日 00:00'],
  ['*/7 * * * *', '*/7 * * * *', '*/7 * * * *'],
])('%s is said as %s', (cron, inEnglish, inChinese) => {
  expect([cronWords(cron, en), cronWords(cron, zh)]).toEqual([inEnglish, inChinese]);
});

/** Small sets, so that many crons mean the same in other letters. */
const field = (...texts: string[]) => fc.constantFrom('*', '0', ...texts);
const crons = fc.oneof(
  fc.tuple(
    field('*/15', '0/15', '0,15,30,45', '0-59/15', '5', '5,35', '*/7', '30'),
    field('8-17', '9-17/2', '22-5', '*/2', '6', '6,18', '*/12', '8,9,10,11'),
    field('1', '1-31', '1,15', '*/2', '31', '1-3', '1,2,3'),
    field('1', 'JAN', '1-12', '1,7'),
    field('1-5', 'MON-FRI', '7', 'SUN', '0-6', '6,7', 'SAT-SUN'),
  ),
  fc.tuple(
    field('*/15', '30', '0/30'),
    field('*/15', '0/15', '5', '5,35'),
    field('8-17', '*/2', '6', '0/2'),
    fc.constantFrom(
      '* * ?',
      '1 * ?',
      'L * ?',
      '? * 2-6',
      '? * MON-FRI',
      '? * FRI#2',
      '? * 6#2',
      '? * 6L',
      '? * 1',
    ),
  ),
);

const start = Date.UTC(2027, 10, 29, 5, 17);
const shanghai = zone('Asia/Shanghai');

it('crons of the same words fire at the same times, in each language', () => {
  const ticksOf = (text: string) => {
    const cron = parseCron(text);
    const ticks: number[] = [];
    for (let at = cronNext(cron, start, shanghai); at !== undefined && ticks.length < 20; ) {
      ticks.push(at);
      at = cronNext(cron, at, shanghai);
    }
    return ticks;
  };
  for (const speech of [en, zh]) {
    const first = new Map<string, string>();
    let same = 0;
    fc.assert(
      fc.property(
        crons.map((fields) => fields.join(' ')),
        (cron) => {
          const words = cronWords(cron, speech);
          const other = first.get(words) ?? cron;
          first.set(words, other);
          if (other === cron) return;
          same++;
          expect([words, ticksOf(cron)]).toEqual([words, ticksOf(other)]);
        },
      ),
      { numRuns: 4_000 },
    );
    expect(same).toBeGreaterThan(100);
  }
});
