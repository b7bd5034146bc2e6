/** `orrery calendars`: named days on which schedules that refer to them do not fire. */
import { readFileSync } from 'node:fs';
import { InvalidInput } from '@orrery/core/errors';
import type { AnswerOf, InputOf } from '@orrery/sdk/client';
import { parse } from 'yaml';
import { type Connection, connect } from './connect.ts';
import { faint, fromNow, printDeleted, printJson, printTable, table, timeText } from './output.ts';
import { nameOf } from './workflow-name.ts';

interface Options extends Connection {
  readonly json?: boolean;
}

/** The options of a change of a calendar. */
export interface CalendarWishes {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
  readonly file?: string;
  readonly description?: string;
  readonly dryRun?: boolean;
}

type Body = NonNullable<InputOf<'setCalendar'>['body']>;
type Calendar = AnswerOf<'showCalendar'>;

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

/** Lists them. */
export async function listCalendars(options: Options & { readonly project?: string }): Promise<void> {
  const answer = await connect(options).listCalendars({ project: options.project });
  printTable(
    answer,
    options,
    'no calendars',
    ['CALENDAR', 'DAYS', 'SCHEDULES', 'DESCRIPTION', 'CHANGED'],
    answer.calendars.map((calendar) => [
      `${calendar.project}/${calendar.name}`,
      String(calendar.dates.length + calendar.yearly.length + calendar.weekdays.length),
      String(calendar.schedules),
      calendar.description,
      fromNow(calendar.changedAt),
    ]),
  );
}

/** Shows the days of one. */
export async function showCalendar(calendar: string, options: Options): Promise<void> {
  const answer = await connect(options).showCalendar(nameOf(calendar, 'calendar'));
  if (options.json) printJson(answer);
  else console.log(linesOf(answer).join('\n'));
}

/** Creates a calendar, or changes the given parts of one. */
export async function setCalendar(calendar: string, options: Options & CalendarWishes): Promise<void> {
  const { add = [], remove = [], file, description, dryRun = false } = options;
  const key = nameOf(calendar, 'calendar');
  if (file === undefined && description === undefined && add.length + remove.length === 0)
    throw new InvalidInput('say what shall change, such as --add 2026-05-01');
  const client = connect(options);
  const { calendars } = await client.listCalendars({ project: key.project });
  const before = calendars.find(({ name }) => name === key.name);
  const written = file === undefined ? before && bodyOf(before) : daysIn(file);
  const body = changed({ ...written, ...(description !== undefined && { description }) }, add, remove);
  const answer = await client.setCalendar({
    ...key,
    ifMatch: `"${before?.revision ?? 0}"`,
    body: { ...body, dryRun },
  });
  if (options.json) return printJson(answer);
  const lines = linesOf(answer);
  if (dryRun) lines[0] += faint(' (not changed)');
  for (const { project, workflow, name, before, after } of answer.moved)
    lines.push(`${project}/${workflow} ${name}: next ${timeOr(after)} instead of ${timeOr(before)}`);
  console.log(lines.join('\n'));
}

/** Deletes one. */
export async function deleteCalendar(calendar: string, options: Options): Promise<void> {
  await connect(options).deleteCalendar(nameOf(calendar, 'calendar'));
  printDeleted('calendar', calendar, options);
}

function timeOr(time: string | null): string {
  return time === null ? 'never' : timeText(time);
}

function bodyOf({ dates, yearly, weekdays: days, description }: Calendar): Body {
  return { dates, yearly, weekdays: days.map((day) => weekdays[day]), description };
}

/** The days in a file; the server validates them. */
function daysIn(file: string): Body {
  const value: unknown = parse(readFileSync(file, 'utf8'));
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Body;
  throw new InvalidInput('holds no calendar; write dates, yearly and weekdays as YAML or JSON', file);
}

/** With some days more and some fewer; each day tells by its form where it belongs. */
function changed(body: Body, add: readonly string[], remove: readonly string[]): Body {
  const lists: Record<string, string[]> = {};
  for (const key of ['dates', 'yearly', 'weekdays'] as const) lists[key] = [...(body[key] ?? [])];
  for (const day of remove) {
    const list = lists[kindOf(day)];
    if (!list.includes(day)) throw new InvalidInput(`${day} is not a day of the calendar`, '--remove');
    list.splice(list.indexOf(day), 1);
  }
  for (const day of add) if (!lists[kindOf(day)].includes(day)) lists[kindOf(day)].push(day);
  return { ...body, ...lists, dates: lists.dates.sort(), yearly: lists.yearly.sort() } as Body;
}

function kindOf(day: string): 'dates' | 'yearly' | 'weekdays' {
  if (/^\d{4}-/.test(day)) return 'dates';
  return /^\d/.test(day) ? 'yearly' : 'weekdays';
}

function linesOf(calendar: Calendar): string[] {
  const { project, name, description, schedules } = calendar;
  const count = schedules === 1 ? 'one schedule' : `${schedules} schedules`;
  const rows = Object.entries({
    'every week': calendar.weekdays.map((day) => weekdays[day]),
    'every year': calendar.yearly,
    once: calendar.dates,
  }).flatMap(([kind, days]) => (days.length === 0 ? [] : [[kind, days.join(' ')]]));
  const head = faint([`${project}/${name}`, description, `used by ${count}`].filter(Boolean).join(', '));
  return [head, rows.length === 0 ? 'no days' : table(['LEFT OUT', 'DAYS'], rows)];
}
