/** A business time to the minute, which suffices to distinguish runs; hover shows the full time. */
import { usePreferences } from '../data/preferences.ts';
import { absoluteTime, timeParts, zoneOf } from '../model/time.ts';

export function BusinessTime({ at }: { at: string }) {
  const zone = zoneOf(usePreferences().zone);
  const { date, time } = timeParts(Date.parse(at), zone);
  return (
    <span data-hint={absoluteTime(Date.parse(at), zone)}>
      {date} {time.slice(0, 5)}
    </span>
  );
}
