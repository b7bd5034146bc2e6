/** Quiet hours: times of day in a zone in which no messages are sent. A span may cross midnight. */
import { epochDay, instant, wall, weekdayOf, zone } from '../time/index.ts';

/** Hours as `22:00`; days of the week on which they begin, by number, Sunday = 0. */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
  readonly days?: readonly number[];
}

/** The end of the quiet hours that contain an instant; undefined outside of them. */
export function quietUntil(quiet: QuietHours, at: number): number | undefined {
  const here = zone(quiet.timezone);
  const { year, month, day } = wall(at, here);
  const [from, to] = [quiet.from, quiet.to].map((text) => {
    const [hour, minute] = text.split(':').map(Number);
    return { hour, minute };
  });
  const crosses = quiet.to <= quiet.from;
  // Quiet hours that began yesterday may still last.
  for (const first of [day - 1, day]) {
    if (quiet.days && !quiet.days.includes(weekdayOf(epochDay(year, month, first)))) continue;
    const begin = instant({ year, month, day: first, ...from }, here);
    const end = instant({ year, month, day: crosses ? first + 1 : first, ...to }, here);
    if (begin <= at && at < end) return end;
  }
  return undefined;
}
