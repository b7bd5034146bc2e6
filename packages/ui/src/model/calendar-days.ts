/** The days of a calendar as people type them: dates, days of the year and weekdays in any order, spaces between. */

/** Weekdays as the API takes them, Sunday first. */
export const weekdays = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;

type Weekday = (typeof weekdays)[number];

/** Days, each under its kind; `wrong` is the first word that is no day. */
interface TypedDays {
  readonly dates: string[];
  readonly yearly: string[];
  readonly weekdays: Weekday[];
  readonly wrong: string | undefined;
}

/** Reads what was typed; whether a date exists is for the server to say. */
export function readDays(typed: string): TypedDays {
  const words = [
    ...new Set(
      typed
        .toLowerCase()
        .split(/[\s,]+/)
        .filter(Boolean),
    ),
  ];
  const isWeekday = (word: string): word is Weekday => (weekdays as readonly string[]).includes(word);
  const dates = words.filter((word) => /^\d{4}-\d\d-\d\d$/.test(word)).sort();
  const yearly = words.filter((word) => /^\d\d-\d\d$/.test(word)).sort();
  const found = new Set([...dates, ...yearly, ...weekdays]);
  return {
    dates,
    yearly,
    weekdays: words.filter(isWeekday),
    wrong: words.find((word) => !found.has(word)),
  };
}

/** The same days written again: weekdays, days of the year, dates. */
export function daysText(days: {
  readonly dates: readonly string[];
  readonly yearly: readonly string[];
  readonly weekdays: readonly number[];
}): string {
  return [...days.weekdays.map((day) => weekdays[day % 7]), ...days.yearly, ...days.dates].join(' ');
}
