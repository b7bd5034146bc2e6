import { describe, expect, it } from 'vitest';
import { Outgoing } from './outgoing.ts';
import type { Pending } from './pending.ts';

interface Commit {
  readonly runs: readonly number[];
  done(): void;
  fail(error: Error): void;
}

/** Commits that end when the test says so. */
function stage() {
  const commits: Commit[] = [];
  const discarded: { readonly runs: readonly number[]; readonly under: number }[] = [];
  let under = 0;
  let settled = 0;
  const runsOf = (batch: readonly Pending[]) => batch.map(({ run }) => run);
  const outgoing = new Outgoing({
    commit(batch) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      under++;
      commits.push({ runs: runsOf(batch), done: resolve, fail: reject });
      return promise.finally(() => {
        under--;
      });
    },
    async discard(batch) {
      discarded.push({ runs: runsOf(batch), under });
    },
    settled() {
      settled++;
    },
  });
  const change = (...runs: number[]) => {
    for (const run of runs) {
      outgoing.of(run);
      outgoing.send();
    }
  };
  return { outgoing, commits, discarded, change, settled: () => settled };
}

/** What a worker has reported of a run. */
function outcomeOf(run: number): Pending['outcomes'][number] {
  const attempt = { run, task: 0, shard: 0, number: 1 };
  const times = { startedAt: 0, endedAt: 0 };
  const nothing = { exitCode: null, cpuTime: null, peakMemory: null, error: null, logTail: null };
  return { ...attempt, ...times, ...nothing, worker: 'w', workerEpoch: 1, state: 'success', late: false };
}

/** Lets all that can go on do so. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, k) => from + k);

describe('changes on their way to the store', () => {
  it('go at once, and what comes meanwhile goes next, together', async () => {
    const { commits, change, settled } = stage();
    change(1);
    await turn();
    change(2, 3, 2);
    await turn();
    expect(commits.map(({ runs }) => runs)).toEqual([[1]]);
    commits[0].done();
    await turn();
    expect(commits.map(({ runs }) => runs)).toEqual([[1], [2, 3]]);
    expect(settled()).toBe(0);
    commits[1].done();
    await turn();
    expect(settled()).toBe(1);
  });

  it('that make a whole batch go beside the first, and no more than that', async () => {
    const { commits, change } = stage();
    change(0);
    await turn();
    change(...range(1, 2_000));
    await turn();
    expect(commits.map(({ runs }) => runs)).toEqual([[0], range(1, 401)]);
    commits[1].done();
    await turn();
    expect(commits.at(-1)?.runs).toEqual(range(401, 801));
    expect(commits).toHaveLength(3);
  });

  it('go in the order they came, but outcomes before them in half of a batch', async () => {
    const { outgoing, commits, change } = stage();
    change(0);
    await turn();
    change(...range(1, 600));
    for (const run of range(600, 900)) outgoing.of(run).outcomes.push(outcomeOf(run));
    commits[0].done();
    await turn();
    expect(commits[1].runs).toEqual([...range(600, 700), ...range(1, 201)]);
    expect(commits[2].runs).toEqual([...range(700, 800), ...range(201, 401)]);
  });

  it('of a run that is being committed wait for that', async () => {
    const { commits, change } = stage();
    change(...range(0, 400));
    await turn();
    change(...range(0, 400));
    await turn();
    expect(commits).toHaveLength(1);
    change(...range(400, 800));
    await turn();
    expect(commits.map(({ runs }) => runs)).toEqual([range(0, 400), range(400, 800)]);
    commits[1].done();
    await turn();
    expect(commits).toHaveLength(2);
    commits[0].done();
    await turn();
    expect(commits[2].runs).toEqual(range(0, 400));
  });

  it('that could not be committed are given up when nothing else is under way', async () => {
    const { outgoing, commits, discarded, change } = stage();
    change(...range(0, 400));
    await turn();
    change(...range(400, 800));
    await turn();
    commits[0].fail(new Error('away'));
    await turn();
    change(1);
    await turn();
    expect(discarded).toEqual([]);
    expect(commits).toHaveLength(2);
    commits[1].done();
    await turn();
    expect(discarded).toEqual([{ runs: range(0, 400), under: 0 }]);
    expect(commits[2].runs).toEqual([1]);
    const stopped = outgoing.stop();
    change(5);
    commits[2].done();
    await stopped;
    await turn();
    expect(commits).toHaveLength(3);
  });
});
