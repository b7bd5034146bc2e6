/** `preview dependency`: the intervals of business time that a dependency window asks about. */
import { type DateValue, windowIntervals } from '@orrery/core/depend';
import { formatDate } from '@orrery/core/params';
import { SECOND } from '@orrery/core/time';
import type { Preview } from './preview.ts';
import { readTime, readZone } from './times.ts';

export const dependency: Preview = {
  fields: ['window', 'at', 'tz'],

  answer(fields, now) {
    const zone = readZone(fields);
    const at = readTime(fields, 'at', zone) ?? now;
    const show = (instant: number) => formatDate('yyyy-MM-dd HH:mm:ss', instant, zone);
    // Shown with the last second that is still inside, as DolphinScheduler shows them.
    const intervals = windowIntervals(fields.text('window') as DateValue, at, zone).map(([from, to]) => [
      show(from),
      show(to - SECOND),
    ]);
    return {
      json: { intervals },
      text: () => intervals.map(([from, to]) => `${from} to ${to}`).join('\n'),
    };
  },
};
