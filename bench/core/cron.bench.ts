/**
 * The next tick of typical expressions, in America/New_York: ours, croner and cron-parser in one process. Each
 * walks forward from tick to tick, as a scheduler does, starting again from the beginning when ticks run out.
 */
import { cronNext, cronPrevious, nextTick, parseCalendar, parseCron, zone } from '@orrery/core/time';
import { CronExpressionParser } from 'cron-parser';
import { Cron as Croner } from 'croner';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';

export const title = 'next ticks a second, America/New_York';

/** Quartz and the same for the peers, who count seconds first too but weekdays from Sunday = 0. */
const expressions: readonly [what: string, ours: string, theirs: string][] = [
  ['every 5 s', '0/5 * * * * ?', '*/5 * * * * *'],
  ['daily 02:30', '0 30 2 * * ?', '0 30 2 * * *'],
  ['weekdays 9-17 every 15 min', '0 0/15 9-17 ? * MON-FRI', '0 */15 9-17 * * 1-5'],
  ['last Friday of the month', '0 0 18 ? * 6L', '0 0 18 * * 5L'],
  ['29 February', '0 0 0 29 2 ?', '0 0 0 29 2 *'],
];

const TZ = 'America/New_York';
const START = Date.UTC(2026, 0, 1);
const MEASURED_MS = bySize(300, 1);
/** Steps between two looks at the clock. */
const STEPS_A_LOOK = 20;

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  const newYork = zone(TZ);
  for (const [what, text, theirs] of expressions) {
    const cron = parseCron(text);
    const ours = rate((at) => cronNext(cron, at, newYork));
    const croner = new Croner(theirs, { timezone: TZ });
    const byCroner = rate((at) => croner.nextRun(new Date(at))?.getTime());
    const parser = CronExpressionParser.parse(theirs, { tz: TZ, currentDate: new Date(START) });
    const byParser = rate((at) => {
      if (at === START) parser.reset(new Date(START));
      return parser.next().getTime();
    });
    rows.push({ what: `${what}: ours`, value: ours, unit: 'next/s' });
    rows.push({
      what: `${what}: croner`,
      value: byCroner,
      unit: 'next/s',
      note: `ours is ${times(ours, byCroner)}`,
    });
    rows.push({
      what: `${what}: cron-parser`,
      value: byParser,
      unit: 'next/s',
      note: `ours is ${times(ours, byParser)}`,
    });
  }
  const weekdays = parseCron('0 0/15 9-17 ? * MON-FRI');
  const backwards = rate((at) => cronPrevious(weekdays, at, newYork));
  rows.push({ what: 'weekdays 9-17, backwards: ours', value: backwards, unit: 'previous/s' });
  const calendar = parseCalendar({ name: 'holidays', yearly: ['12-25', '01-01'], weekdays: ['sat', 'sun'] });
  const daily = { cron: parseCron('0 30 2 * * ?'), zone: newYork, calendar };
  const workingDays = rate((at) => nextTick(daily, at));
  rows.push({ what: 'daily 02:30 with a calendar: ours', value: workingDays, unit: 'next/s' });
  const never = parseCron('0 0 0 30 2 ?');
  const searches = rate((at) => cronNext(never, at, newYork));
  rows.push({ what: 'never (30 February): ours', value: searches, unit: 'next/s' });
  const parses = rate(() => parseCron('0 0/15 9-17 ? * MON-FRI').text.length);
  rows.push({ what: 'reading an expression: ours', value: parses, unit: 'parse/s' });
  return rows;
}

/** Steps a second, measured after a warm-up of the same length. */
function rate(step: (at: number) => number | undefined): number {
  measure(step);
  return measure(step);
}

function measure(step: (at: number) => number | undefined): number {
  const begin = performance.now();
  let at = START;
  let steps = 0;
  let elapsed = 0;
  while (elapsed < MEASURED_MS) {
    for (let i = 0; i < STEPS_A_LOOK; i++) at = step(at) ?? START;
    steps += STEPS_A_LOOK;
    elapsed = performance.now() - begin;
  }
  return (steps / elapsed) * 1_000;
}

function times(ours: number, theirs: number): string {
  return `${(ours / theirs).toFixed(0)} x`;
}
