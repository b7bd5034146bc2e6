/**
 * Against answers of Quartz 2.3.2: quartz-cron.json (random expressions) and quartz-dst.json (around changes of
 * offset). The second half lists every deliberate difference, each as a test.
 */
import { describe, expect, it } from 'vitest';
import quartzCron from '../../fixtures/quartz-cron.json' with { type: 'json' };
import quartzDst from '../../fixtures/quartz-dst.json' with { type: 'json' };
import { InvalidInput } from '../errors.ts';
import { cronNext, cronPrevious } from './cron.ts';
import { parseCron } from './cron-parse.ts';
import { zone } from './zone.ts';

interface Case {
  cron: string;
  tz: string;
  after: string;
  next: string[];
}

function ticks({ cron, tz, after }: Case, count: number): number[] {
  const parsed = parseCron(cron);
  const found: number[] = [];
  let at = Date.parse(after);
  while (found.length < count) {
    const next = cronNext(parsed, at, zone(tz));
    if (next === undefined) break;
    found.push(next);
    at = next;
  }
  return found;
}

const name = ({ cron, tz, after }: Case) => `${cron} in ${tz} after ${after}`;

/** Whether the next second lies in the first showing of local times that will be shown again. */
function inFirstShowing({ tz, after }: Case): boolean {
  const span = zone(tz).spanAt(Date.parse(after) + 1_000);
  return Date.parse(after) + 1_000 + span.offset >= span.localTo;
}

const [askedInFirstShowing, ordinary] = [
  quartzDst.filter((one) => inFirstShowing(one)),
  quartzDst.filter((one) => !inFirstShowing(one)),
];

describe('ticks as in Quartz', () => {
  it.each([...quartzCron, ...ordinary].map((one): [string, Case] => [name(one), one]))('%s', (_, one) => {
    const expected = one.next.map(Date.parse);
    expect(ticks(one, Math.max(5, expected.length)).slice(0, expected.length)).toEqual(expected);
    if (expected.length === 0) expect(ticks(one, 1)).toEqual([]);
  });
});

describe('differences from Quartz', () => {
  it('lose no tick that Quartz forgets when asked during the first showing of repeated times', () => {
    expect(askedInFirstShowing.length).toBeGreaterThan(10);
    for (const one of askedInFirstShowing) {
      const ours = ticks(one, 100);
      for (const theirs of one.next.map(Date.parse)) expect(ours, name(one)).toContain(theirs);
    }
    const cron = parseCron('0 0/10 * * * ?');
    const newYork = zone('America/New_York');
    const first = Date.parse('2024-11-03T06:00:00Z');
    for (const after of ['2024-11-03T04:50:00Z', '2024-11-03T05:00:00Z', '2024-11-03T05:34:56Z']) {
      expect(cronNext(cron, Date.parse(after), newYork)).toBe(first);
    }
    for (const before of ['2024-11-03T06:00:00Z', '2024-11-03T05:34:56Z', '2024-11-03T04:50:01Z']) {
      expect(cronPrevious(cron, Date.parse(before), newYork)).toBe(Date.parse('2024-11-03T04:50:00Z'));
    }
  });

  it('end the search for the last weekday of a month that lost it, where Quartz never returns', () => {
    expect(first('0 0 12 LW * ?', 'Pacific/Apia', '2011-12-28T00:00:00Z')).toBe('2012-01-30T22:00:00.000Z');
  });

  it('and for a nearest weekday before the start of a short month, where Quartz never returns', () => {
    expect(first('0 0 12 L-28W 2 ?', 'UTC', '2026-01-01T00:00:00Z')).toBe('2028-02-01T12:00:00.000Z');
  });

  it('find the nearest weekday from a broken second too, where Quartz skips to the next month', () => {
    expect(first('* * * 1W * ?', 'UTC', '2026-10-01T06:59:36.500Z')).toBe('2026-10-01T06:59:37.000Z');
  });

  it('take every item of a list of days, where Quartz refuses it or takes the first', () => {
    const days = (cron: string) => ticks({ cron, tz: 'UTC', after: '2026-01-31T00:00:00Z', next: [] }, 4);
    const february = (...days: number[]) => days.map((day) => Date.UTC(2026, 1, day, 12));
    expect(days('0 0 12 1W,15W,L-3,L 2 ?')).toEqual(february(2, 16, 25, 28));
    expect(days('0 0 12 ? 2 2#1,6L,4#2,SAT#4')).toEqual(february(2, 11, 27, 28));
  });

  it('step through a range of names, where Quartz drops the step', () => {
    const monday = { cron: '0 0 12 ? * MON-FRI/2', tz: 'UTC', after: '2026-02-02T00:00:00Z', next: [] };
    expect(ticks(monday, 3).map((tick) => new Date(tick).getUTCDay())).toEqual([1, 3, 5]);
  });

  it('refuse a step of zero, an empty item and a weekday 0 that Quartz reads as something else', () => {
    for (const cron of ['0 0 13/0 * * ?', '0 0 1,,2 * * ?', '0 0 12 ? * 1-0', '0 0 12 0W * ?']) {
      expect(() => parseCron(cron), cron).toThrow(InvalidInput);
    }
  });

  it('end with the year 2099, where Quartz ends a hundred years from today', () => {
    expect(() => parseCron('0 0 0 1 1 ? 2100')).toThrow('accepted are 1970-2099');
    expect(first('0 0 0 1 1 ?', 'UTC', '2099-06-01T00:00:00Z')).toBeUndefined();
  });
});

function first(cron: string, tz: string, after: string): string | undefined {
  const [tick] = ticks({ cron, tz, after, next: [] }, 1);
  return tick === undefined ? undefined : new Date(tick).toISOString();
}
