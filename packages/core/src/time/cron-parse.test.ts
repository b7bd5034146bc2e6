import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../errors.ts';
import { cronNext } from './cron.ts';
import { parseCron } from './cron-parse.ts';
import { zone } from './zone.ts';

const utc = zone('UTC');

/** Whether two expressions fire at the same times for a while. */
function sameTicks(left: string, right: string): void {
  const [a, b] = [parseCron(left), parseCron(right)];
  let at = Date.parse('2026-01-14T23:59:58Z');
  for (let i = 0; i < 200; i++) {
    const next = cronNext(a, at, utc);
    expect(next).toBe(cronNext(b, at, utc));
    if (next === undefined) break;
    at = next;
  }
}

describe('cron expressions', () => {
  it('keep their text, dialect and fields', () => {
    expect(parseCron(' 0 1 2\t3 * ?  2026 ')).toMatchObject({
      text: ' 0 1 2\t3 * ?  2026 ',
      dialect: 'quartz',
      fields: {
        second: '0',
        minute: '1',
        hour: '2',
        dayOfMonth: '3',
        month: '*',
        dayOfWeek: '?',
        year: '2026',
      },
    });
    expect(parseCron('5 4 * * sun')).toMatchObject({
      dialect: 'unix',
      fields: {
        second: '0',
        minute: '5',
        hour: '4',
        dayOfMonth: '*',
        month: '*',
        dayOfWeek: 'sun',
        year: '*',
      },
    });
  });

  it.each([
    ['0 0 0 ? * FRI-MON', '0 0 0 ? * 6,7,1,2'],
    ['0 0 22-2 * * ?', '0 0 22,23,0,1,2 * * ?'],
    ['0 0 22-3/2 * * ?', '0 0 22,0,2 * * ?'],
    ['0 0 0 28-3 * ?', '0 0 0 28,29,30,31,1,2,3 * ?'],
    ['0 0 0 1 nov-Feb ?', '0 0 0 1 11,12,1,2 ?'],
    ['50-10/15 0 0 * * ?', '50,5 0 0 * * ?'],
    ['0 7/20 0 * * ?', '0 7,27,47 0 * * ?'],
    ['0 /20 0 * * ?', '0 0,20,40 0 * * ?'],
    ['0 */25 0 * * ?', '0 0,25,50 0 * * ?'],
    ['0 5-20/5,50 0 * * ?', '0 5,10,15,20,50 0 * * ?'],
    ['0 0 0 ? * MON-FRI/2', '0 0 0 ? * 2,4,6'],
    ['0 0 0 1 FEB/5 ?', '0 0 0 1 2,7,12 ?'],
    ['0 0 0 ? * L', '0 0 0 ? * SAT'],
    ['0 0 0 ? * fril', '0 0 0 ? * 6L'],
    ['0 0 0 ? * tue#2', '0 0 0 ? * 3#2'],
    ['0 0 0 lw * ?', '0 0 0 L-0W * ?'],
    ['0 0 0 1 1 ? 2026/3', '0 0 0 1 1 ? 2026,2029,2032,2035-2099/3'],
    ['0 0 * * 7', '0 0 0 ? * SUN'],
    ['0 0 * * 0', '0 0 0 ? * SUN'],
    ['0 0 * * 5-7', '0 0 0 ? * FRI-SUN'],
    ['0 0 * * 7-2', '0 0 0 ? * SUN-TUE'],
    ['0 0 * * 7-7', '0 0 0 ? * SUN'],
    ['0 0 * * sat-mon', '0 0 0 ? * SAT-MON'],
    ['0 0 * * */2', '0 0 0 ? * SUN,TUE,THU,SAT'],
    ['0 0 15 * *', '0 0 0 15 * ?'],
    ['30 4 1,15 * *', '0 30 4 1,15 * ?'],
    ['@hourly', '0 0 * * * ?'],
    ['@daily', '0 0 0 * * ?'],
    [' @Midnight ', '0 0 0 * * ?'],
    ['@weekly', '0 0 0 ? * SUN'],
    ['@monthly', '0 0 0 1 * ?'],
    ['@yearly', '0 0 0 1 1 ?'],
    ['@annually', '0 0 0 1 1 ?'],
  ])('%s means %s', (text, same) => {
    sameTicks(text, same);
  });

  it.each([
    ['', '0 fields; accepted are 5 (Unix'],
    ['* * * *', '4 fields'],
    ['0 0 0 * * ? * *', '8 fields'],
    ['@never', 'unknown name; accepted are @hourly'],
    ['61 0 0 * * ?', 'second "61": 61 is out of range; accepted are 0-59'],
    ['0 60 0 * * ?', 'minute "60": 60 is out of range'],
    ['0 0 24 * * ?', 'hour "24": 24 is out of range; accepted are 0-23'],
    ['0 0 0 0 * ?', 'dayOfMonth "0": 0 is out of range; accepted are 1-31'],
    ['0 0 0 32 * ?', 'dayOfMonth "32"'],
    ['0 0 0 1 13 ?', 'month "13": 13 is out of range; accepted are 1-12 or JAN-DEC'],
    ['0 0 0 ? * 0', 'dayOfWeek "0": 0 is out of range; accepted are 1-7 or SUN-SAT'],
    ['0 0 0 ? * 8', 'dayOfWeek "8"'],
    ['0 0 0 1 1 ? 1969', 'year "1969": 1969 is out of range; accepted are 1970-2099'],
    ['0 0 0 1 1 ? 2100', 'year "2100"'],
    ['0 0 0 1 1 ? 2030-2020', '"2030-2020" ends before it starts'],
    ['0 0 13/0 * * ? *', 'hour "13/0": step /0 is not between 1 and 23'],
    ['0 */60 * * * ?', 'step /60 is not between 1 and 59'],
    ['0 */x * * * ?', 'step /x'],
    ['0 0/ * * * ?', 'minute "0/": cannot read "0/"'],
    ['0 1,,2 * * * ?', 'an item is empty'],
    ['0 1, * * * ?', 'an item is empty'],
    ['0 1-2-3 * * * ?', 'cannot read "1-2-3"'],
    ['0 -5 * * * ?', 'cannot read "-5"'],
    ['0 1.5 * * * ?', 'cannot read "1.5"'],
    ['0 JAN * * * ?', 'minute "JAN": "JAN" is not a value'],
    ['0 0 0 1 JANUARY ?', 'month "JANUARY": "JANUARY" is not a value'],
    ['0 ? * * * ?', 'minute "?"'],
    ['0 0 0 ?,1 * ?', 'dayOfMonth "?,1"'],
    ['* * * * * *', 'exactly one of dayOfMonth and dayOfWeek must be "?"'],
    ['0 0 0 1 * MON', 'exactly one of dayOfMonth and dayOfWeek must be "?"'],
    ['0 0 0 ? * ?', 'exactly one of dayOfMonth and dayOfWeek must be "?"'],
    ['0 0 0 L-31 * ?', '"L-31" reaches beyond L-30'],
    ['0 0 0 32W * ?', '32 is out of range'],
    ['0 0 0 0W * ?', '0 is out of range'],
    ['0 0 0 1-5W * ?', 'dayOfMonth "1-5W"'],
    ['0 0 0 5L * ?', 'dayOfMonth "5L"'],
    ['0 0 0 ? * 8L', '8 is out of range'],
    ['0 0 0 ? * 2#6', '#6 is not between #1 and #5'],
    ['0 0 0 ? * 2#0', '#0 is not between'],
    ['0 0 0 ? * #2', 'dayOfWeek "#2"'],
    ['0 0 0 ? * 3W', 'dayOfWeek "3W"'],
    ['0 0 ? * 1', 'dayOfMonth "?": cannot read "?"; accepted are 1-31'],
    ['0 0 L * *', '?, L, W and # need the six fields of Quartz'],
    ['0 0 * * 5L', 'dayOfWeek "5L"'],
    ['0 0 * * 8', '8 is out of range; accepted are 0-7 or SUN-SAT'],
  ])('refuses "%s": %s', (text, message) => {
    expect(() => parseCron(text)).toThrow(InvalidInput);
    expect(() => parseCron(text)).toThrow(message);
    expect(() => parseCron(text)).toThrow(`cron "${text}": `);
  });

  it('refuses the other dialect where one is asked for', () => {
    expect(parseCron('0 0 * * *', { dialect: 'unix' }).dialect).toBe('unix');
    expect(parseCron('0 0 0 * * ?', { dialect: 'quartz' }).dialect).toBe('quartz');
    expect(() => parseCron('0 0 0 * * ?', { dialect: 'unix' })).toThrow('6 fields; accepted are 5 (Unix');
    expect(() => parseCron('0 0 * * *', { dialect: 'quartz' })).toThrow(
      '5 fields; accepted are 6 to 7 (Quartz',
    );
    expect(() => parseCron('@daily', { dialect: 'quartz' })).toThrow('5 fields');
  });
});
