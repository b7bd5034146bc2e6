/** `preview cron`: the next ticks of a cron expression. */
import { cronNext, parseCron } from '@orrery/core/time';
import type { Preview } from './preview.ts';
import { localTime, readTime, readZone, utcTime } from './times.ts';

const MOST = 10_000;

export const cron: Preview = {
  fields: ['cron', 'tz', 'from', 'count'],

  answer(fields, now) {
    const expression = parseCron(fields.text('cron'));
    const zone = readZone(fields);
    const count = fields.whole('count', MOST, 5);
    const next: number[] = [];
    let tick: number | undefined = readTime(fields, 'from', zone) ?? now;
    while (next.length < count) {
      tick = cronNext(expression, tick, zone);
      if (tick === undefined) break;
      next.push(tick);
    }
    return {
      json: { next: next.map(utcTime) },
      text: () => {
        const lines = next.map((each) => localTime(each, zone));
        if (next.length < count) lines.push(next.length === 0 ? 'never fires again' : 'and never again');
        return lines.join('\n');
      },
    };
  },
};
