/** When a schedule fires, as people say it, where that is shorter than its cron: `06:00`, `Mon 06:00`. Pure. */

const days: Readonly<Record<string, number>> = { SUN: 0, MON: 1, TUE: 2, WED: 3, THU: 4, FRI: 5, SAT: 6 };

/** The times of day of a cron that fires at fixed ones, and the days of its week; null where it says more than that. */
export interface DayTimes {
  readonly times: readonly string[];
  /** 0 is Sunday; null: every day. */
  readonly days: readonly number[] | null;
}

/** Reads a cron of five fields, or of six with seconds that are 0. */
export function dayTimes(cron: string): DayTimes | null {
  const given = cron.trim().split(/\s+/);
  const [second, minute, hour, day, month, week] = given.length === 5 ? ['0', ...given] : given;
  if (given.length > 6 || second !== '0' || !/^[*?]$/.test(day ?? '') || month !== '*') return null;
  const minutes = numbers(minute, 59);
  const hours = numbers(hour, 23);
  if (!minutes || !hours || minutes.length * hours.length > 4) return null;
  const times = hours.flatMap((h) => minutes.map((m) => `${two(h)}:${two(m)}`)).sort();
  if (/^[*?]$/.test(week)) return { times, days: null };
  const named = week
    .toUpperCase()
    .split(',')
    .map((name) => days[name]);
  return named.some((one) => one === undefined) ? null : { times, days: named };
}

function numbers(text: string, most: number): readonly number[] | null {
  const list = text.split(',');
  if (!list.every((each) => /^\d{1,2}$/.test(each) && Number(each) <= most)) return null;
  return list.map(Number);
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
