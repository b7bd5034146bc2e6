import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Task } from './run.ts';
import {
  type Attempt,
  extentOf,
  gapsOf,
  idleOf,
  type Span,
  spansOfAttempts,
  spansOfTask,
} from './timeline.ts';
import { axisTimes, GAP_WIDTH, panned, timeScale, zoomed } from './timeline-scale.ts';

const task = (more: Partial<Task>) =>
  ({
    state: 'pending',
    since: null,
    queuedAt: null,
    startedAt: null,
    endedAt: null,
    attempt: 1,
    ...more,
  }) as Task;
const short = (spans: readonly Span[]) => spans.map(({ kind, from, to, state }) => [kind, from, to, state]);
const run = (from: number, to: number | null): Span => ({
  kind: 'run',
  from,
  to,
  state: 'success',
  attempt: 1,
});

describe('the spans of a task run', () => {
  it('are its wait and its work', () => {
    expect(short(spansOfTask(task({ state: 'success', queuedAt: 10, startedAt: 30, endedAt: 90 })))).toEqual([
      ['wait', 10, 30, 'submitted'],
      ['run', 30, 90, 'success'],
    ]);
    expect(short(spansOfTask(task({ state: 'running', queuedAt: 10, startedAt: 30 })))).toEqual([
      ['wait', 10, 30, 'submitted'],
      ['run', 30, null, 'running'],
    ]);
  });

  it('say what it waits in while it waits, also between two tries', () => {
    expect(short(spansOfTask(task({ state: 'waiting', since: 5 })))).toEqual([['wait', 5, null, 'waiting']]);
    const retrying = task({ state: 'retrying', queuedAt: 0, startedAt: 10, since: 20 });
    expect(short(spansOfTask(retrying))).toEqual([
      ['wait', 0, 10, 'submitted'],
      ['run', 10, 20, 'failed'],
      ['wait', 20, null, 'retrying'],
    ]);
  });

  it('are none before its turn and when it was skipped', () => {
    expect(spansOfTask(task({}))).toEqual([]);
    expect(spansOfTask(task({ state: 'skipped', since: 50 }))).toEqual([]);
  });
});

describe('the spans of attempts', () => {
  const attempt = (number: number, state: string, ...times: (number | null)[]): Attempt => {
    const [queuedAt, startedAt, endedAt] = times;
    return { shard: null, number, round: 1, state, queuedAt, startedAt, endedAt };
  };

  it('stand side by side, with the wait for the next try between them', () => {
    expect(
      short(spansOfAttempts([attempt(2, 'success', 40, 41, 60), attempt(1, 'failed', 0, 5, 20)])),
    ).toEqual([
      ['wait', 0, 5, 'submitted'],
      ['run', 5, 20, 'failed'],
      ['wait', 20, 40, 'retrying'],
      ['wait', 40, 41, 'submitted'],
      ['run', 41, 60, 'success'],
    ]);
  });

  it('wait for nothing between two rounds of the run', () => {
    const again = { ...attempt(2, 'success', 40, 40, 60), round: 2 };
    expect(short(spansOfAttempts([attempt(1, 'failed', 5, 5, 20), again]))).toEqual([
      ['run', 5, 20, 'failed'],
      ['run', 40, 60, 'success'],
    ]);
  });

  it('were no time in the queue where no worker took part', () => {
    const child = { state: 'success', queuedAt: 7, startedAt: null, endedAt: 50 };
    expect(short(spansOfAttempts([attempt(1, 'success', 7, null, 50)]))).toEqual([
      ['wait', 7, 50, 'waiting'],
    ]);
    expect(short(spansOfTask(task(child)))).toEqual([['wait', 7, 50, 'waiting']]);
    expect(short(spansOfTask(task({ ...child, state: 'killed' })))).toEqual([['wait', 7, 50, 'submitted']]);
  });

  it('are open at the end while the last one is', () => {
    expect(short(spansOfAttempts([attempt(1, 'queued', 7, null, null)]))).toEqual([
      ['wait', 7, null, 'submitted'],
    ]);
    expect(short(spansOfAttempts([attempt(1, 'running', 7, 8, null)])).at(-1)).toEqual([
      'run',
      8,
      null,
      'running',
    ]);
  });
});

describe('the extent and the gaps of a timeline', () => {
  it('reach to now while something is open', () => {
    expect(extentOf([[run(10, 20)], [run(15, null)]], 100)).toEqual({ from: 10, to: 100 });
    expect(extentOf([[]], 100)).toBeUndefined();
  });

  it('name long stretches in which nothing was done', () => {
    const rows = [[run(0, 10)], [run(90, 100)], [run(5, 12)]];
    expect(idleOf(rows)).toEqual([[12, 90]]);
    expect(gapsOf(idleOf(rows), { from: 0, to: 100 })).toEqual([[12, 90]]);
    expect(idleOf([[run(0, 100)], [run(40, 50)]])).toEqual([]);
    expect(gapsOf([[12, 15]], { from: 0, to: 100 })).toEqual([]);
  });

  it('are none while something is open, nor after the last end', () => {
    expect(idleOf([[run(0, 10)], [run(50, null)], [run(90, 95)]])).toEqual([[10, 50]]);
  });

  it('are what is seen of them, but never everything that is looked at', () => {
    expect(gapsOf([[10, 90]], { from: 50, to: 100 })).toEqual([[50, 90]]);
    expect(gapsOf([[10, 90]], { from: 20, to: 80 })).toEqual([]);
  });
});

describe('the scale of a timeline', () => {
  it('gives a folded gap a fixed width and the rest what its time asks for', () => {
    const scale = timeScale({ from: 0, to: 100 }, 100 + GAP_WIDTH, [[20, 80]]);
    expect(scale.toX(20)).toBeCloseTo(50);
    expect(scale.toX(80)).toBeCloseTo(50 + GAP_WIDTH);
    expect(scale.toX(100)).toBeCloseTo(100 + GAP_WIDTH);
  });

  it('leads from time to pixels and back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000 }), fc.boolean(), (time, folded) => {
        const scale = timeScale({ from: 0, to: 1_000 }, 500, folded ? [[300, 700]] : []);
        expect(scale.toTime(scale.toX(time))).toBeCloseTo(time, 6);
      }),
    );
  });

  it('marks round times that leave room for their labels, and none in a gap', () => {
    const times = axisTimes(timeScale({ from: 1_234, to: 61_234 }, 900), 90);
    expect(times).toEqual([10_000, 20_000, 30_000, 40_000, 50_000, 60_000]);
    const day = 86_400_000;
    const broken = axisTimes(timeScale({ from: 0, to: day + 20_000 }, 500, [[10_000, day + 10_000]]), 90);
    expect(broken.length).toBeLessThan(12);
    for (const time of broken) expect(time <= 10_000 || time >= day + 10_000).toBe(true);
  });
});

describe('what is seen of a timeline', () => {
  const extent = { from: 0, to: 1_000 };

  it('is half as much when zoomed in, and everything when zoomed out far enough', () => {
    const half = zoomed(timeScale(extent, 500), 0.5, extent);
    expect(half).toEqual({ from: 250, to: 750 });
    expect(zoomed(timeScale({ from: 250, to: 750 }, 500), 2, extent)).toBeNull();
    expect(zoomed(timeScale({ from: 0, to: 200 }, 500), 2, extent)).toEqual({ from: 0, to: 300 });
  });

  it('goes in on what is drawn, not on a folded gap', () => {
    const scale = timeScale(extent, 500 + GAP_WIDTH, [[100, 900]]);
    expect(zoomed(scale, 0.5, extent)?.from).toBeLessThan(100);
    expect(zoomed(scale, 0.5, extent)?.to).toBeGreaterThan(900);
  });

  it('never shrinks to nothing', () => {
    expect(zoomed(timeScale({ from: 5, to: 6 }, 500), 0.5, extent)).toEqual({ from: 5, to: 6 });
  });

  it('moves sideways up to the ends', () => {
    const scale = timeScale({ from: 400, to: 600 }, 500);
    expect(panned(scale, 0.25, extent)).toEqual({ from: 450, to: 650 });
    expect(panned(scale, -5, extent)).toEqual({ from: 0, to: 200 });
    expect(panned(scale, 5, extent)).toEqual({ from: 800, to: 1_000 });
  });
});
