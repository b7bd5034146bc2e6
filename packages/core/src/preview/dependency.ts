/** The intervals of business time that a dependency window asks about. */
import { type DateValue, windowIntervals } from '../depend/index.ts';
import { formatDate } from '../params/index.ts';
import { SECOND } from '../time/index.ts';
import type { Preview } from './preview.ts';
import { readTime, readZone } from './times.ts';

export const dependency: Preview<{ intervals: [string, string][] }> = {
  fields: ['window', 'at', 'tz'],

  answer(fields, now) {
    const zone = readZone(fields);
    const at = readTime(fields, 'at', zone) ?? now;
    const show = (instant: number) => formatDate('yyyy-MM-dd HH:mm:ss', instant, zone);
    // Shown with the last second that is still inside, as DolphinScheduler shows them.
    const intervals = windowIntervals(fields.text('window') as DateValue, at, zone);
    return { intervals: intervals.map(([from, to]) => [show(from), show(to - SECOND)]) };
  },
};
