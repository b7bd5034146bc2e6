import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  continueElement,
  endElement,
  isExhausted,
  openNext,
  recoverUnfinished,
  restElement,
  type SeriesProgress,
  seriesOf,
} from './index.ts';

const opened = (total: number, parallelism: number) => openNext(seriesOf(total), parallelism).series;

describe('the progress of a series', () => {
  it('opens elements in order while there is room', () => {
    const first = openNext(seriesOf(5), 2);
    expect([first.started, first.resumed, first.series.open]).toEqual([[0, 1], [], [0, 1]]);
    expect(openNext(first.series, 2).started).toEqual([]);
    const second = openNext(endElement(first.series, 0, 'success'), 2);
    expect([second.started, second.series.open]).toEqual([[2], [1, 2]]);
  });

  it('counts paused elements as open', () => {
    const rested = restElement(opened(5, 2), 0, true);
    expect([rested.open, rested.paused]).toEqual([[1], [0]]);
    expect(openNext(rested, 2).started).toEqual([]);
    expect(openNext(endElement(rested, 0, 'failed'), 2).started).toEqual([2]);
    expect(restElement(rested, 0, false)).toMatchObject({ open: [1, 0], paused: [] });
  });

  it('resumes elements that have not succeeded before new ones when it is recovered', () => {
    const failed = endElement(opened(4, 2), 1, 'failed');
    const again = openNext(recoverUnfinished(failed), 2);
    expect([again.resumed, again.started]).toEqual([[1, 0], []]);
    expect(again.series).toMatchObject({ failed: [], again: [], open: [1, 0], next: 2 });
  });

  it('opens an element that has more to do again before new ones', () => {
    const more = continueElement(restElement(opened(4, 2), 1, true), 1);
    const next = openNext(more, 2);
    expect([next.resumed, next.started, next.series.open]).toEqual([[1], [], [0, 1]]);
  });

  it('hears the end and the rest of an element only while it is open', () => {
    const series = endElement(opened(3, 3), 1, 'success');
    expect(endElement(series, 1, 'failed')).toBe(series);
    expect(endElement(series, 7, 'failed')).toBe(series);
    expect(restElement(series, 1, true)).toBe(series);
    expect(restElement(series, 0, false)).toBe(series);
  });

  it('takes a stopped element for a failed one', () => {
    expect(endElement(opened(1, 1), 0, 'stopped').failed).toEqual([0]);
  });

  it('keeps what children hand back, of a series that is not too large', () => {
    expect(endElement(opened(2, 1), 0, 'success', { n: '1' }).results).toEqual({ 0: { n: '1' } });
    expect(endElement(opened(2, 1), 0, 'success', {}).results).toEqual({});
    expect(endElement(opened(1_001, 1), 0, 'success', { n: '1' }).results).toEqual({});
  });

  it('never has more open than it may, loses no element, and ends with all accounted for', () => {
    const life = fc.record({
      total: fc.nat(12),
      parallelism: fc.integer({ min: 1, max: 4 }),
      picks: fc.infiniteStream(fc.record({ which: fc.nat(), how: fc.nat(4) })),
    });
    fc.assert(
      fc.property(life, ({ total, parallelism, picks }) => {
        let series: SeriesProgress = seriesOf(total);
        const started: number[] = [];
        let recoveries = 0;
        while (!isExhausted(series) || series.failed.length > 0) {
          if (isExhausted(series) || (recoveries < 3 && series.failed.length > 1)) {
            series = recoverUnfinished(series);
            recoveries++;
          }
          const next = openNext(series, parallelism);
          series = next.series;
          started.push(...next.started);
          const busy = [...series.open, ...series.paused];
          expect(busy.length).toBeLessThanOrEqual(parallelism);
          const { which, how } = picks.next().value;
          const element = busy[which % busy.length];
          if (how === 0) series = restElement(series, element, series.open.includes(element));
          else series = endElement(series, element, how === 1 && recoveries < 5 ? 'failed' : 'success');
        }
        expect(started).toEqual([...Array(total).keys()]);
        expect(series.succeeded).toBe(total);
      }),
    );
  });
});
