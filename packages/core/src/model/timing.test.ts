import { describe, expect, it } from 'vitest';
import { nextTick, ticksBetween } from '../time/index.ts';
import { timingOf } from './timing.ts';
import { parseWorkflow } from './validate.ts';

function timing(schedule: unknown) {
  const { workflow } = parseWorkflow({ name: 'w', schedule, tasks: [{ name: 'a', type: 'shell' }] });
  return timingOf(workflow!.schedules[0]);
}

const day = (text: string) => Date.parse(text);

describe('the timing of a schedule', () => {
  it('is that of its cron, in its zone and window, without its excluded days', () => {
    const spec = {
      cron: '0 2 * * *',
      timezone: 'Asia/Shanghai',
      from: '2026-01-01',
      until: '2026-01-07 02:00',
      exclude: { dates: ['2026-01-02'], yearly: ['01-03'], weekdays: ['monday'] },
    };
    const ticks = ticksBetween(timing(spec), 0, day('2027-01-01'), 10);
    expect(ticks.map((tick) => new Date(tick).toISOString())).toEqual([
      '2025-12-31T18:00:00.000Z',
      '2026-01-03T18:00:00.000Z',
      '2026-01-05T18:00:00.000Z',
      '2026-01-06T18:00:00.000Z',
    ]);
  });

  it('counts an interval from its first moment, or so that it comes at round times', () => {
    expect(nextTick(timing({ every: '1h', from: '2026-01-01T00:10:00Z' }), day('2026-01-01T05:00:00Z'))).toBe(
      day('2026-01-01T05:10:00Z'),
    );
    expect(nextTick(timing({ every: '30m' }), day('2026-01-01T05:10:00Z'))).toBe(day('2026-01-01T05:30:00Z'));
  });
});
