/**
 * Spans such as `-1h` or `5d`: seconds, minutes and hours are elapsed time; days, weeks and months follow the
 * zone's calendar.
 */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';
import { HOUR, MINUTE, SECOND, type Zone } from '../time/zone.ts';
import { dayOf, onDay, plusMonths, withinCalendar } from './calendar-day.ts';

const SPAN = /^([+-]?\d{1,9})([smhdwM])$/;

type Unit = 's' | 'm' | 'h' | 'd' | 'w' | 'M';

/** Whether a text has the form of a span. */
export function isSpan(text: string): boolean {
  return SPAN.test(text);
}

/** Moves an instant by a span. `m` is minutes and `M` is months. */
export function addSpan(at: number, span: string, zone: Zone): number {
  const [, amount, unit] = SPAN.exec(span) ?? [];
  if (amount === undefined) {
    throw new InvalidInput(said('param.span', { text: span }));
  }
  const count = Number(amount);
  const day = dayOf(at, zone);
  switch (unit as Unit) {
    case 's':
      return withinCalendar(at + count * SECOND);
    case 'm':
      return withinCalendar(at + count * MINUTE);
    case 'h':
      return withinCalendar(at + count * HOUR);
    case 'd':
      return onDay(at, day + count, zone);
    case 'w':
      return onDay(at, day + 7 * count, zone);
    case 'M':
      return onDay(at, plusMonths(day, count), zone);
  }
}
