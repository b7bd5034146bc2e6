/** The next ticks of a cron expression. */
import { cronNext, parseCron } from '../time/index.ts';
import type { Preview } from './preview.ts';
import { readTime, readZone, utcTime } from './times.ts';

const MOST = 10_000;

/** Default number of ticks. */
export const CRON_COUNT = 5;

export const cron: Preview<{ next: string[] }> = {
  fields: ['cron', 'tz', 'from', 'count'],

  answer(fields, now) {
    const expression = parseCron(fields.text('cron'));
    const zone = readZone(fields);
    const count = fields.whole('count', MOST, CRON_COUNT);
    const next: number[] = [];
    let tick: number | undefined = readTime(fields, 'from', zone) ?? now;
    while (next.length < count) {
      tick = cronNext(expression, tick, zone);
      if (tick === undefined) break;
      next.push(tick);
    }
    return { next: next.map(utcTime) };
  },
};
