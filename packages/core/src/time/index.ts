export { type Calendar, type CalendarRules, excludes, parseCalendar } from './calendar.ts';
export { type Cron, type CronDialect, type CronFields, cronNext, cronPrevious } from './cron.ts';
export { parseCron } from './cron-parse.ts';
export { formatDuration, formatIso } from './format-time.ts';
export { type Interval, interval, intervalNext, intervalPrevious } from './interval.ts';
export { type CronLevel, cronLevel, type Level } from './level.ts';
export { type CatchUp, type CatchUpRequest, catchUp, type Skip } from './misfire.ts';
export { lastInstantOf, parseTime, readTime, type WrittenTime } from './parse-time.ts';
export { leftOutTicks, nextTick, previousTick, type Timing, ticksBetween } from './schedule.ts';
export {
  DAY,
  daysInMonth,
  epochDay,
  fields,
  HOUR,
  instant,
  localMillis,
  MINUTE,
  SECOND,
  type Wall,
  type WallFields,
  wall,
  weekdayOf,
  type Zone,
  zone,
} from './zone.ts';
export type { Span } from './zone-spans.ts';
