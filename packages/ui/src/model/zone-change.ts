/** When clocks of a zone are next put forward or back. Pure: the browser's own tables of zones are asked. */

/** A change of a zone's offset. */
export interface ZoneChange {
  /** The first moment with the new offset, in epoch milliseconds. */
  readonly at: number;
  /** Minutes that the clocks go forward; back where it is negative. */
  readonly by: number;
}

const DAY = 86_400_000;
const MINUTE = 60_000;

/** Minutes that a zone is ahead of UTC at a moment. */
export function offsetOf(zone: string, at: number): number {
  const format = formatOf(zone);
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of format.formatToParts(at)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Math.round(
    (Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000) / MINUTE,
  );
}

/** The clock changes in this many days after a moment; none if the zone is unknown. */
export function zoneChanges(zone: string, from: number, days: number): readonly ZoneChange[] {
  const found: ZoneChange[] = [];
  try {
    let before = offsetOf(zone, from);
    for (let day = 1; day <= days; day++) {
      const at = from + day * DAY;
      const after = offsetOf(zone, at);
      if (after === before) continue;
      found.push({ at: between(zone, at - DAY, at, before), by: after - before });
      before = after;
    }
  } catch {
    return [];
  }
  return found;
}

/** The first minute within a day at which the offset is no longer what it was. */
function between(zone: string, from: number, to: number, before: number): number {
  let [low, high] = [from, to];
  while (high - low > MINUTE) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE) * MINUTE;
    if (offsetOf(zone, middle) === before) low = middle;
    else high = middle;
  }
  return Math.floor(high / MINUTE) * MINUTE;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  formats.set(zone, made);
  return made;
}
