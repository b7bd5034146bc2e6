/**
 * Parses cron expressions. Five fields (or a name such as @daily) are Unix cron, six or seven are Quartz; no
 * expression is valid in both dialects with different meanings. Letters may be of either case.
 */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';
import { bitsOf } from './bits.ts';
import type { Cron, CronDialect, CronFields } from './cron.ts';
import { quartzDays, unixDays } from './cron-day-fields.ts';
import { acceptsEveryDay } from './cron-days.ts';
import { type CronField, valuesOf, type WrittenField } from './cron-field.ts';
import { FIRST_YEAR, LAST_YEAR } from './cron-search.ts';

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const UNIX_NOTE = '; ?, L, W and # need the six fields of Quartz';

const second: CronField = { name: 'second', min: 0, max: 59, count: 60 };
const minute: CronField = { name: 'minute', min: 0, max: 59, count: 60 };
const hour: CronField = { name: 'hour', min: 0, max: 23, count: 24 };
const day: CronField = { name: 'dayOfMonth', min: 1, max: 31, count: 31, note: UNIX_NOTE };
const quartzDay: CronField = { ...day, note: ', ?, L, L-n, nW, LW, L-nW' };
const month: CronField = { name: 'month', min: 1, max: 12, count: 12, names: MONTHS };
const weekday: CronField = { name: 'dayOfWeek', min: 0, max: 7, count: 7, names: WEEKDAYS, note: UNIX_NOTE };
const quartzWeekday: CronField = { ...weekday, min: 1, note: ', ?, L, nL, n#k' };
const year: CronField = { name: 'year', min: FIRST_YEAR, max: LAST_YEAR, count: LAST_YEAR - FIRST_YEAR + 1 };

const UNIX = [minute, hour, day, month, weekday];
const QUARTZ = [second, minute, hour, quartzDay, month, quartzWeekday, year];

const FORMS = {
  unix: '5 (Unix: minute hour day month weekday)',
  quartz: '6 to 7 (Quartz: second minute hour day month weekday [year])',
};

const UNIX_NAMES: ReadonlyMap<string, string> = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
]);

/** An expression split into fields, each as written. */
type Written = Readonly<Record<keyof CronFields, WrittenField>>;

/**
 * Parses an expression, or throws `InvalidInput` naming the faulty field. Without `dialect` the number of
 * fields decides; with one, an expression of the other dialect is refused.
 */
export function parseCron(text: string, options: { dialect?: CronDialect } = {}): Cron {
  const parts = splitFields(text);
  const dialect = dialectOf(text, parts.length, options.dialect);
  const written = writtenFields(text, parts, dialect);
  const seconds = bitsOf(valuesOf(written.second));
  const minutes = bitsOf(valuesOf(written.minute));
  const hours = bitsOf(valuesOf(written.hour));
  const months = valuesOf(written.month);
  const days = (dialect === 'unix' ? unixDays : quartzDays)(written.dayOfMonth, written.dayOfWeek);
  const years = [...valuesOf(written.year)].map((value) => value - FIRST_YEAR);
  return {
    text,
    dialect,
    fields: {
      second: written.second.text,
      minute: written.minute.text,
      hour: written.hour.text,
      dayOfMonth: written.dayOfMonth.text,
      month: written.month.text,
      dayOfWeek: written.dayOfWeek.text,
      year: written.year.text,
    },
    seconds,
    minutes,
    hours,
    days,
    months: bitsOf(months),
    years: bitsOf(years),
    everyDay: acceptsEveryDay(days) && months.size === month.count && years.length === year.count,
  };
}

function splitFields(text: string): string[] {
  const trimmed = text.trim();
  if (!trimmed.startsWith('@')) return trimmed === '' ? [] : trimmed.split(/\s+/);
  const meaning = UNIX_NAMES.get(trimmed.toLowerCase());
  if (meaning) return meaning.split(' ');
  throw new InvalidInput(said('cron.unknownName', { names: [...UNIX_NAMES.keys()] }), `cron "${text}"`);
}

function dialectOf(text: string, count: number, asked: CronDialect | undefined): CronDialect {
  if (count === UNIX.length && asked !== 'quartz') return 'unix';
  if ((count === QUARTZ.length || count === QUARTZ.length - 1) && asked !== 'unix') return 'quartz';
  const [first, last] = (asked ? [asked] : (['unix', 'quartz'] as const)).map((dialect) => FORMS[dialect]);
  throw new InvalidInput(
    said('cron.fields', {
      count,
      accepted: last === undefined ? first : said('type.or', { types: [first], last }),
    }),
    `cron "${text}"`,
  );
}

function writtenFields(cron: string, parts: readonly string[], dialect: CronDialect): Written {
  const fields = dialect === 'unix' ? UNIX : QUARTZ;
  const written = (field: CronField): WrittenField => ({
    field,
    text: parts[fields.indexOf(field)] ?? (field === second ? '0' : '*'),
    cron,
  });
  return {
    second: written(second),
    minute: written(minute),
    hour: written(hour),
    dayOfMonth: written(dialect === 'unix' ? day : quartzDay),
    month: written(month),
    dayOfWeek: written(dialect === 'unix' ? weekday : quartzWeekday),
    year: written(year),
  };
}
