import { describe, expect, it } from 'vitest';
import { leftOutTicks, nextTick, ticksBetween } from '../time/index.ts';
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

  it('leaves out the days of its calendar beside its own, and can say which ticks those are', () => {
    const { workflow } = parseWorkflow({
      name: 'w',
      schedule: { cron: '0 9 * * *', exclude: { weekdays: ['sunday'] }, calendar: 'holidays' },
      tasks: [{ name: 'a', type: 'shell' }],
    });
    const spec = workflow!.schedules[0];
    expect(() => timingOf(spec)).toThrow('there is no calendar "holidays"');
    const holidays = { dates: ['2026-05-01'], yearly: ['05-04'], weekdays: [6] };
    const timing = timingOf({ ...spec, holidays });
    const [from, to] = [day('2026-04-30T00:00:00Z'), day('2026-05-06T00:00:00Z')];
    const dates = (ticks: readonly number[]) =>
      ticks.map((tick) => new Date(tick).toISOString().slice(5, 10));
    expect(dates(ticksBetween(timing, from, to, 10))).toEqual(['04-30', '05-05']);
    expect(dates(leftOutTicks(timing, from, to, 10))).toEqual(['05-01', '05-02', '05-03', '05-04']);
    expect(dates(leftOutTicks(timing, from, to, 1))).toEqual(['05-01']);
    expect(leftOutTicks(timingOf({ ...spec, exclude: undefined, calendar: undefined }), from, to, 9)).toEqual(
      [],
    );
  });
});
