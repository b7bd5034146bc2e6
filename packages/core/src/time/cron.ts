/**
 * Cron: the ticks of a parsed expression, forwards and backwards. A tick is a local time that the expression
 * accepts, at one-second resolution, in the years 1970-2099. As in Quartz, a time skipped by the clocks
 * (forward) is not a tick, and a time shown twice (back) is one tick, at the second showing; even an
 * every-second cron does not fire during the first. So ticks have the order of their local times, without
 * duplicates.
 */
import type { Bits } from './bits.ts';
import { DAY, SECOND } from './civil.ts';
import type { CronDays } from './cron-days.ts';
import { FIRST_DAY, LAST_DAY, NONE, nextLocal, previousLocal } from './cron-search.ts';
import { spanShowing, type Zone } from './zone.ts';

/** `quartz`: 6 or 7 fields, seconds first, Sunday = 1. `unix`: 5 fields, minutes first, Sunday = 0 or 7. */
export type CronDialect = 'quartz' | 'unix';

/** Fields of an expression as written; fields missing from a dialect are `0` (second) and `*` (year). */
export interface CronFields {
  readonly second: string;
  readonly minute: string;
  readonly hour: string;
  readonly dayOfMonth: string;
  readonly month: string;
  readonly dayOfWeek: string;
  readonly year: string;
}

/** A parsed expression. Made only by `parseCron`, immutable, shared freely. */
export interface Cron {
  readonly text: string;
  readonly dialect: CronDialect;
  readonly fields: CronFields;
  readonly seconds: Bits;
  readonly minutes: Bits;
  readonly hours: Bits;
  readonly days: CronDays;
  readonly months: Bits;
  /** Years, counted from 1970. */
  readonly years: Bits;
  /** Accepts every day of every year: no calendar look-up is needed. */
  readonly everyDay: boolean;
}

/** Before this instant, no clock shows a year of a cron. */
const FIRST_INSTANT = (FIRST_DAY - 1) * DAY;
/** The end of time for all schedules: after it, no clock shows the year 2099 or an earlier one. */
export const LAST_INSTANT = (LAST_DAY + 2) * DAY;

/** The first tick strictly after an instant; undefined if there is none before the end of 2099. */
export function cronNext(cron: Cron, after: number, zone: Zone): number | undefined {
  const from = Math.max(Math.floor(after / SECOND + 1) * SECOND, FIRST_INSTANT);
  if (!(from <= LAST_INSTANT)) return undefined;
  let span = zone.spanAt(from);
  let local = from + span.offset;
  if (local >= span.localTo) {
    // The first showing of repeated times: their ticks are all still to come.
    span = zone.spanAt(span.to);
    local = span.localFrom;
  }
  for (;;) {
    local = nextLocal(cron, local);
    if (local === NONE) return undefined;
    if (local < span.localTo) return local - span.offset;
    span = spanShowing(local, zone);
    if (local < span.localTo) return local - span.offset;
    // In a gap: continue after it.
    span = zone.spanAt(span.to);
    local = span.localFrom;
  }
}

/** The last tick strictly before an instant; undefined if there is none since 1970. */
export function cronPrevious(cron: Cron, before: number, zone: Zone): number | undefined {
  const from = Math.min(Math.ceil(before / SECOND - 1) * SECOND, LAST_INSTANT);
  if (!(from >= FIRST_INSTANT)) return undefined;
  let span = zone.spanAt(from);
  let local = Math.min(from + span.offset, span.localTo - SECOND);
  for (;;) {
    local = previousLocal(cron, local);
    if (local === NONE) return undefined;
    if (local >= span.localFrom) return local - span.offset;
    span = spanShowing(local, zone);
    if (local < span.localTo) return local - span.offset;
    // In a gap: continue before it.
    local = span.localTo - SECOND;
  }
}
