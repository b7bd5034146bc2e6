/** A cron in words: `06:00`, `Mon–Fri 06:00`, `every 15 m, 08:00–17:45`, or as written. */
import type { useLanguage } from '../i18n/text.tsx';
import { cronSaid, type DaysSaid, runsOf, type TimeSaid } from '../model/schedule-words.ts';

type Speech = Pick<ReturnType<typeof useLanguage>, 'text' | 'locale' | 'units'>;

/** The words of a cron, without its zone; the cron itself where words would not say it well. */
export function cronWords(cron: string, speech: Speech): string {
  const said = cronSaid(cron);
  if (!said) return cron;
  const days = daysWords(said.days, speech);
  const time = timeWords(said.time, speech);
  return days === '' ? time : `${days} ${time}`;
}

function timeWords(time: TimeSaid, { text, units }: Speech): string {
  if (time.kind === 'times') return time.times.join(text('cron.comma'));
  if (time.kind === 'hourly') return text('cron.hourly', { minutes: time.minutes.join(text('cron.comma')) });
  const { count, unit, between } = time;
  const every =
    count === 1 ? text('cron.everyOne', { unit }) : text('cron.every', { time: `${count}${units[unit]}` });
  return between ? text('cron.between', { every, from: between[0], to: between[1] }) : every;
}

function daysWords(days: DaysSaid, speech: Speech): string {
  const { text } = speech;
  if (days.kind === 'all') return '';
  if (days.kind === 'week') {
    // Weekdays are listed from Monday.
    const ordered = days.weekdays.map((day) => day || 7).sort((one, other) => one - other);
    const name = (day: number) => weekday(day, speech);
    return listWords(ordered, name, (from, to) => text('cron.range', { from, to }), speech);
  }
  const months =
    days.months === null
      ? text('cron.eachMonth')
      : days.months.map((month) => monthName(month, speech)).join(text('cron.comma'));
  if (days.kind === 'last') return text('cron.lastDay', { months });
  if (days.kind === 'nth')
    return text('cron.nth', { nth: days.nth, day: weekday(days.weekday, speech), months });
  return text('cron.days', {
    days: listWords(days.days, String, (from, to) => `${from}–${to}`, speech),
    months,
  });
}

/** One by one, or by their ends where three or more follow each other. */
function listWords(
  values: readonly number[],
  name: (value: number) => string,
  range: (from: string, to: string) => string,
  { text }: Speech,
): string {
  return runsOf(values)
    .flatMap(([from, to]) => {
      if (to - from > 1) return [range(name(from), name(to))];
      return from === to ? [name(from)] : [name(from), name(to)];
    })
    .join(text('cron.comma'));
}

function weekday(day: number, { locale }: Speech): string {
  // The first of a month that begins on a Sunday.
  return namesOf(locale).weekday.format(Date.UTC(2026, 1, 1 + day));
}

function monthName(month: number, { locale }: Speech): string {
  return namesOf(locale).month.format(Date.UTC(2026, month - 1, 1));
}

interface Names {
  readonly weekday: Intl.DateTimeFormat;
  readonly month: Intl.DateTimeFormat;
}

/** Made once: making one takes longer than all the words of a row. */
const names = new Map<string, Names>();

function namesOf(locale: string): Names {
  const known = names.get(locale);
  if (known) return known;
  const made = {
    weekday: new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' }),
    month: new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' }),
  };
  names.set(locale, made);
  return made;
}
