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
