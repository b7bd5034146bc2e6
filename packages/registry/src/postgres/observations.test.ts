import { describe, expect, it } from 'vitest';
import { Observations } from './observations.ts';

const other = (beat: number) => [{ id: 'other', beat, timeout: 3_000 }];

describe('observing sessions', () => {
  it('expires a session after a whole timeout without a beat', () => {
    const observations = new Observations();
    const over = [0, 1_000, 2_000, 3_000, 4_000].map((at) => observations.add(other(7), at, at + 10).length);
    expect(over).toEqual([0, 0, 0, 0, 1]);
  });

  it('starts again when the beat changes', () => {
    const observations = new Observations();
    const beats = [7, 7, 8, 8, 8, 8, 8];
    expect(beats.map((beat, k) => observations.add(other(beat), k * 1_000, k * 1_000).length)).toEqual([
      0, 0, 0, 0, 0, 1, 1,
    ]);
  });

  it('starts again after a gap over half the timeout, also when two nodes were frozen together', () => {
    const observations = new Observations();
    for (const at of [0, 1_000, 2_000]) observations.add(other(7), at, at);
    expect(observations.add(other(7), 3_501, 3_501)).toEqual([]);
    for (const at of [4_501, 5_501]) expect(observations.add(other(7), at, at)).toEqual([]);
    expect(observations.add(other(7), 6_501, 6_501)).toHaveLength(1);
  });

  it('expires nobody right after a reconnect, as when the database restarted', () => {
    const observations = new Observations();
    for (const at of [0, 1_000, 2_000]) observations.add(other(7), at, at);
    observations.restart();
    expect(observations.add(other(7), 3_000, 3_000)).toEqual([]);
    expect(observations.add(other(7), 4_000, 4_000)).toEqual([]);
  });

  it('expires a crashed node within a second after its timeout, and never before', () => {
    for (const timeout of [2_000, 10_000, 60_000])
      for (let phase = 0; phase < 3_500; phase += 130) {
        const crash = 30_000 + phase;
        const every = new Observations().wait(timeout, 0);
        /** The beat of the node, which began between two looks of the observer. */
        const beatAt = (now: number) => Math.floor((Math.min(now, crash) - (phase % every)) / every);
        const lastBeat = beatAt(crash) * every + (phase % every);
        const observer = new Observations();
        let now = 0;
        while (observer.add([{ id: 'other', beat: beatAt(now), timeout }], now, now + 2).length === 0) {
          now += observer.wait(timeout, now);
          expect(now).toBeLessThan(200_000);
        }
        expect(now).toBeGreaterThanOrEqual(lastBeat + timeout);
        expect(now).toBeLessThanOrEqual(crash + timeout + 1_010);
      }
  });
});
