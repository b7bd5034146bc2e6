/** A month as weeks of days, and ticks that were counted by steps of time put into its days. Pure. */

import { timeParts } from './time.ts';
import { offsetOf } from './zone-change.ts';

/** A day of a calendar; `date` is `2026-03-01`. */
export interface CalendarDay {
  readonly date: string;
  readonly inMonth: boolean;
}

/** Weeks from Monday on that cover a month, given as `2026-03`. */
export function weeksOf(month: string): readonly (readonly CalendarDay[])[] {
  const [year, number] = month.split('-').map(Number);
  const first = new Date(Date.UTC(year, number - 1, 1));
  const start = first.getTime() - ((first.getUTCDay() + 6) % 7) * DAY;
  const weeks: CalendarDay[][] = [];
  for (let at = start; weeks.length < 6; at += 7 * DAY) {
    const week = Array.from({ length: 7 }, (_, day) => {
      const date = new Date(at + day * DAY).toISOString().slice(0, 10);
      return { date, inMonth: date.startsWith(month) };
    });
    if (!week.some(({ inMonth }) => inMonth)) break;
    weeks.push(week);
  }
  return weeks;
}

const DAY = 86_400_000;

/** The month before or after. */
export function monthBeside(month: string, by: number): string {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
}

/** The moment at which a day begins in a zone. */
export function startOfDay(date: string, zone: string): number {
  const plain = Date.parse(`${date}T00:00:00Z`);
  const guess = plain - offsetOf(zone, plain) * 60_000;
  return plain - offsetOf(zone, guess) * 60_000;
}

/** The day that follows. */
export function dayAfter(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + DAY).toISOString().slice(0, 10);
}

/** Counts of one day. */
export interface DayCounts {
  readonly fired: number;
  readonly skipped: number;
  readonly due: number;
}

interface Steps {
  readonly at: readonly string[];
  readonly fired: readonly number[];
  readonly skipped: readonly number[];
  readonly due: readonly number[];
}

/** Steps put together by the day they begin in, in a zone. */
export function byDay(steps: Steps, zone: string): ReadonlyMap<string, DayCounts> {
  const days = new Map<string, DayCounts>();
  steps.at.forEach((at, k) => {
    const { date } = timeParts(Date.parse(at), zone);
    const { fired, skipped, due } = days.get(date) ?? { fired: 0, skipped: 0, due: 0 };
    days.set(date, {
      fired: fired + steps.fired[k],
      skipped: skipped + steps.skipped[k],
      due: due + steps.due[k],
    });
  });
  return days;
}
