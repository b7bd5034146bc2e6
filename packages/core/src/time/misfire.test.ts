import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MisfirePolicy } from '../model/glossary.ts';
import { parseCalendar } from './calendar.ts';
import { HOUR, MINUTE, SECOND } from './civil.ts';
import { parseCron } from './cron-parse.ts';
import { interval } from './interval.ts';
import { type CatchUpRequest, catchUp, type Skip } from './misfire.ts';
import { type Timing, ticksBetween } from './schedule.ts';
import { zone } from './zone.ts';

const utc = zone('UTC');
const minutely: Timing = { every: interval(MINUTE, 0), zone: utc };
const ask = (request: Partial<CatchUpRequest>) =>
  catchUp({
    timing: minutely,
    policy: 'skip',
    threshold: 5 * SECOND,
    firedUntil: 0,
    now: 0,
    limit: 10,
    ...request,
  });

describe('misfires', () => {
  it('are none while ticks are fired within the threshold', () => {
    for (const policy of ['fire-once', 'fire-all', 'skip'] as const) {
      expect(ask({ policy, now: MINUTE })).toEqual({ fire: [MINUTE], firedUntil: MINUTE, more: false });
      expect(ask({ policy, now: MINUTE + 5 * SECOND })).toMatchObject({ fire: [MINUTE] });
      expect(ask({ policy, now: MINUTE - 1 })).toEqual({ fire: [], firedUntil: 0, more: false });
    }
  });

  it('are skipped as one record, and ticks within the threshold still fire', () => {
    expect(ask({ policy: 'skip', now: 3 * MINUTE + 5 * SECOND })).toEqual({
      skipped: { from: MINUTE, to: 2 * MINUTE, count: 2, reason: 'missed' },
      fire: [3 * MINUTE],
      firedUntil: 3 * MINUTE,
      more: false,
    });
    expect(ask({ policy: 'skip', now: 3 * MINUTE + 5 * SECOND + 1 })).toEqual({
      skipped: { from: MINUTE, to: 3 * MINUTE, count: 3, reason: 'missed' },
      fire: [],
      firedUntil: 3 * MINUTE,
      more: false,
    });
  });

  it('fire once under the due time of the latest, which stands for the others', () => {
    expect(ask({ policy: 'fire-once', now: 3.5 * MINUTE })).toEqual({
      skipped: { from: MINUTE, to: 2 * MINUTE, count: 2, reason: 'replaced' },
      fire: [3 * MINUTE],
      firedUntil: 3 * MINUTE,
      more: false,
    });
    expect(ask({ policy: 'fire-once', now: 1.5 * MINUTE })).toEqual({
      fire: [MINUTE],
      firedUntil: MINUTE,
      more: false,
    });
  });

  it('all fire, a page at a time', () => {
    const first = ask({ policy: 'fire-all', now: 5 * MINUTE, limit: 3 });
    expect(first).toEqual({ fire: [1, 2, 3].map((n) => n * MINUTE), firedUntil: 3 * MINUTE, more: true });
    const second = ask({ policy: 'fire-all', now: 5 * MINUTE, limit: 3, firedUntil: first.firedUntil });
    expect(second).toEqual({ fire: [4, 5].map((n) => n * MINUTE), firedUntil: 5 * MINUTE, more: false });
    expect(ask({ policy: 'fire-all', now: 3 * MINUTE, limit: 3 }).more).toBe(false);
  });

  it('are counted exactly in bounded steps that grow one record', () => {
    const timing: Timing = { cron: parseCron('* * * * * ?'), zone: utc };
    const request: CatchUpRequest = {
      timing,
      policy: 'fire-once',
      threshold: 0,
      firedUntil: 0,
      now: 7 * HOUR,
      limit: 1,
    };
    const first = catchUp(request);
    expect(first).toEqual({
      skipped: { from: SECOND, to: 10_000 * SECOND, count: 10_000, reason: 'replaced' },
      fire: [],
      firedUntil: 10_000 * SECOND,
      more: true,
    });
    const second = catchUp({ ...request, firedUntil: first.firedUntil, open: first.skipped });
    expect(second).toMatchObject({ skipped: { from: SECOND, count: 20_000 }, more: true });
    const third = catchUp({ ...request, firedUntil: second.firedUntil, open: second.skipped });
    // At the threshold of zero the tick of this very moment is not missed: one fires for the missed, and it too.
    expect(third).toEqual({
      skipped: { from: SECOND, to: 7 * HOUR - 2 * SECOND, count: 25_198, reason: 'replaced' },
      fire: [7 * HOUR - SECOND],
      firedUntil: 7 * HOUR - SECOND,
      more: true,
    });
    expect(catchUp({ ...request, firedUntil: third.firedUntil })).toEqual({
      fire: [7 * HOUR],
      firedUntil: 7 * HOUR,
      more: false,
    });
  });

  it('do not join a record of another reason or place', () => {
    const open: Skip = { from: -MINUTE, to: 0, count: 2, reason: 'missed' };
    expect(ask({ policy: 'skip', now: 1.5 * MINUTE, open }).skipped).toMatchObject({
      from: -MINUTE,
      count: 3,
    });
    expect(ask({ policy: 'fire-once', now: 2.5 * MINUTE, open }).skipped).toMatchObject({
      from: MINUTE,
      count: 1,
    });
    expect(ask({ policy: 'skip', now: 1.5 * MINUTE, open: { ...open, to: -1 } }).skipped).toMatchObject({
      count: 1,
    });
  });

  it('are none when the clock steps back', () => {
    expect(ask({ firedUntil: 10 * MINUTE, now: 3 * MINUTE })).toEqual({
      fire: [],
      firedUntil: 10 * MINUTE,
      more: false,
    });
  });

  it('refuse a page of no ticks', () => {
    expect(() => ask({ limit: 0 })).toThrow('limit 0');
  });

  it('lose no tick and double none, whenever and however often one catches up', () => {
    const newYork = zone('America/New_York');
    const start = Date.parse('2026-10-30T00:00:00Z');
    const timings = fc.constantFrom<Timing>(
      { cron: parseCron('0 0/7 * * * ?'), zone: newYork },
      { cron: parseCron('30 59 1 * * ?'), zone: newYork },
      { every: interval(17 * MINUTE + 3, start), zone: newYork },
      {
        every: interval(HOUR, 0),
        zone: newYork,
        calendar: parseCalendar({ name: 'weekend', weekdays: ['sat'] }),
        until: start + 60 * HOUR,
      },
    );
    const policies = fc.constantFrom<MisfirePolicy>('fire-once', 'fire-all', 'skip');
    const steps = fc.array(fc.integer({ min: -10 * MINUTE, max: 20 * HOUR }), {
      minLength: 1,
      maxLength: 12,
    });
    const thresholds = fc.integer({ min: 0, max: 3 * HOUR });
    const limits = fc.integer({ min: 1, max: 30 });
    fc.assert(
      fc.property(timings, policies, thresholds, steps, limits, (timing, policy, threshold, waits, limit) => {
        let now = start;
        let latest = start;
        let firedUntil = start;
        const fired: number[] = [];
        const skips: Skip[] = [];
        for (const wait of waits) {
          now += wait;
          latest = Math.max(latest, now);
          for (let more = true; more; ) {
            const page = catchUp({ timing, policy, threshold, firedUntil, now, limit });
            expect(page.fire.length).toBeLessThanOrEqual(limit);
            if (policy === 'fire-once') {
              expect(page.fire.filter((tick) => now - tick > threshold).length).toBeLessThanOrEqual(1);
            }
            if (policy === 'skip')
              for (const tick of page.fire) expect(now - tick).toBeLessThanOrEqual(threshold);
            if (page.skipped) skips.push(page.skipped);
            fired.push(...page.fire);
            ({ firedUntil, more } = page);
          }
        }
        const skipped = skips.flatMap(({ from, to, count }) => {
          const ticks = ticksBetween(timing, from - 1, to, 100_000);
          expect(ticks.length).toBe(count);
          expect([ticks[0], ticks.at(-1)]).toEqual([from, to]);
          return ticks;
        });
        const dealtWith = [...fired, ...skipped].sort((a, b) => a - b);
        expect(dealtWith).toEqual(ticksBetween(timing, start, latest, 100_000));
        expect(fired).toEqual(fired.toSorted((a, b) => a - b));
      }),
      { numRuns: 300 },
    );
  });
});
