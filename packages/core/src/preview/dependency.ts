/** The intervals of business time covered by a dependency window. */
import { windowIntervals } from '../depend/index.ts';
import { parseWindow } from '../model/index.ts';
import { formatDate, versionOffsets } from '../params/index.ts';
import { nextTick, parseCron, previousTick, SECOND, type Zone } from '../time/index.ts';
import type { Fields } from './fields.ts';
import type { Preview } from './preview.ts';
import { readTime, readZone } from './times.ts';

/** `versions`: for a window of versions, their numbers counted from the newest at the requested time. */
interface Answer {
  intervals: [from: string, to: string][];
  versions?: number[];
}

export const dependency: Preview<Answer> = {
  fields: ['window', 'at', 'tz', 'cron'],

  answer(fields, now) {
    const zone = readZone(fields);
    const at = readTime(fields, 'at', zone) ?? now;
    const show = (instant: number) => formatDate('yyyy-MM-dd HH:mm:ss', instant, zone);
    const window = fields.parsed('window', parseWindow) ?? parseWindow(fields.text('window'));
    const cadence = readCadence(fields, zone);
    if (typeof window === 'object') {
      const ticks = cadence ? windowIntervals(window, at, zone, cadence) : [];
      return { intervals: ticks.map(([tick]) => [show(tick), show(tick)]), versions: versionOffsets(window) };
    }
    // Shown with the last second inside, as in DolphinScheduler.
    const intervals = windowIntervals(window, at, zone);
    return { intervals: intervals.map(([from, to]) => [show(from), show(to - SECOND)]) };
  },
};

/** The ticks of the other workflow's schedule, if one is given. */
function readCadence(fields: Fields, zone: Zone) {
  const cron = fields.parsed('cron', (text) => parseCron(text));
  if (!cron) return undefined;
  const schedule = { cron, zone };
  return {
    before: (instant: number) => previousTick(schedule, instant),
    after: (instant: number) => nextTick(schedule, instant),
  };
}
