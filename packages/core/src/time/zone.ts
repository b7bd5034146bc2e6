/**
 * Time zones: converts instants (epoch milliseconds) to wall-clock fields and back, by the rules of the IANA
 * zone. A zone is resolved once by name; after that a conversion is a look-up among its spans.
 */
import { DAY, fields, localMillis, type Wall, type WallFields } from './civil.ts';
import { type Span, spansOf } from './zone-spans.ts';

export {
  DAY,
  daysInMonth,
  epochDay,
  fields,
  HOUR,
  localMillis,
  MINUTE,
  SECOND,
  type Wall,
  type WallFields,
  weekdayOf,
} from './civil.ts';

/** A zone, resolved by `zone()`. */
export interface Zone {
  readonly name: string;
  /** UTC offset in milliseconds at an instant. */
  offsetAt(instant: number): number;
  /** The span that contains an instant. */
  spanAt(instant: number): Span;
}

/** Limit of cached zones. There are some 600 names, but unlimited spellings of one. */
const KEPT_ZONES = 1_000;

const zones = new Map<string, Zone>();

/** The zone of an IANA name (`Asia/Shanghai`, `UTC`) or a fixed offset (`+08:00`). */
export function zone(name: string): Zone {
  let found = zones.get(name);
  if (!found) {
    const spanAt = spansOf(name);
    found = { name, spanAt, offsetAt: (instant) => spanAt(instant).offset };
    if (zones.size >= KEPT_ZONES) zones.clear();
    zones.set(name, found);
  }
  return found;
}

/** The wall-clock fields of an instant. */
export function wall(instant: number, at: Zone): Wall {
  return fields(instant + at.offsetAt(instant));
}

/**
 * The instant of a wall-clock time. A time inside a gap (clocks forward) is shifted by the length of the gap;
 * a time that occurs twice (clocks back) means the second one, standard time. Both follow Java's calendar.
 */
export function instant(time: WallFields, at: Zone): number {
  const local = localMillis(time);
  return local - spanShowing(local, at).offset;
}

/**
 * The span of a local time. For a time inside a gap it is the span before the gap, so `local >= span.localTo`
 * detects a gap.
 */
export function spanShowing(local: number, at: Zone): Span {
  // Offsets are below a day, so this span holds the local time or precedes the one that does.
  let span = at.spanAt(local - DAY);
  while (local >= span.localTo) {
    const next = at.spanAt(span.to);
    if (local < next.localFrom) return span;
    span = next;
  }
  return span;
}
