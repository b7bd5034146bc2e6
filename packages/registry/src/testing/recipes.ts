/** The recipes, on every implementation. */
import { expect, it, vi } from 'vitest';
import {
  acquireLock,
  Candidate,
  enterBarrier,
  leaderOf,
  type MemberChange,
  Membership,
} from '../recipes/index.ts';
import type { Registry } from '../registry.ts';
import type { Opened, TestStage } from './stage.ts';

export function recipeCases(stage: TestStage, opened: Opened): void {
  const clients = async (count: number): Promise<Registry[]> => {
    const tree = stage.tree();
    return Promise.all(Array.from({ length: count }, async () => opened.add(await tree.open())));
  };

  it('elects the candidates in the order in which they stood, and refuses what an old leader writes', async () => {
    const registries = await clients(3);
    await registries[0].create('/plan', '');
    const candidates: Candidate[] = [];
    for (const [k, registry] of registries.entries())
      candidates.push(await Candidate.stand(registry, '/c/election', `node${k}`));
    const leading = () => candidates.map(({ isLeading }) => isLeading);
    const write = (k: number) =>
      registries[k].transaction([candidates[k].check, { op: 'set', path: '/plan', value: `by ${k}` }]);
    expect(leading()).toEqual([true, false, false]);
    expect((await leaderOf(registries[2], '/c/election'))?.value).toBe('node0');
    await write(0);
    // Somebody else ends its candidacy, as its expiry would.
    await registries[2].delete(candidates[0].path);
    await expect.poll(leading).toEqual([false, true, false]);
    await expect(write(0)).rejects.toMatchObject({ reason: 'no-entry', step: 0 });
    await write(1);
    await registries[1].close();
    await expect.poll(leading).toEqual([false, false, true]);
    expect([candidates[0].state, candidates[1].state]).toEqual(['out', 'out']);
    await write(2);
    await candidates[2].resign();
    expect(await leaderOf(registries[2], '/c/election')).toBeUndefined();
    expect((await registries[2].get('/plan'))?.value).toBe('by 2');
  });

  it('has no two leaders that may act when the old one is cut off', async () => {
    const tree = stage.tree();
    const { registry, link } = await tree.openLinked(stage.shortTimeout);
    opened.add(registry);
    opened.add({ close: () => link.thaw() });
    const other = opened.add(await tree.open());
    const old = await Candidate.stand(registry, '/election', 'old');
    let wasLeading: boolean | undefined;
    const next = await Candidate.stand(other, '/election', 'next', () => {
      wasLeading = old.isLeading;
    });
    expect([old.isLeading, next.isLeading]).toEqual([true, false]);
    link.freeze();
    await expect.poll(() => next.isLeading).toBe(true);
    expect(wasLeading).toBe(false);
    link.thaw();
    await expect.poll(() => old.state).toBe('out');
    await expect(
      registry.transaction([old.check, { op: 'set', path: '/election', value: 'late' }]),
    ).rejects.toMatchObject({ reason: 'session-lost' });
  });

  it('gives a lock in the order in which it was asked for, also past a dead holder and one that gave up', async () => {
    const registries = await clients(5);
    const watched = registries.map((registry) => vi.spyOn(registry, 'watch'));
    const order: number[] = [];
    const release: (() => Promise<void>)[] = [];
    const waiting: Promise<unknown>[] = [];
    const giveUp = new AbortController();
    for (const [k, registry] of registries.entries()) {
      const signal = k === 2 ? giveUp.signal : undefined;
      const lock = acquireLock(registry, '/lock', { signal }).then(
        (held) => {
          expect(held.isHeld).toBe(true);
          order.push(k);
          release[k] = () => held.release();
        },
        (error) => order.push(error.name === 'AbortError' ? -k : Number.NaN),
      );
      waiting.push(lock);
      await expect.poll(async () => (await registries[0].children('/lock')).length).toBe(k + 1);
    }
    const queue = (await registries[0].children('/lock')).map((name) => `/lock/${name}`);
    // Each watches itself and the one before it, and nobody else.
    for (const [k, spy] of watched.entries()) {
      const line = () => new Set(spy.mock.calls.map(([path]) => path).filter((path) => queue.includes(path)));
      await expect.poll(() => line().size).toBe(k === 0 ? 1 : 2);
    }
    giveUp.abort();
    await expect.poll(() => order).toEqual([0, -2]);
    await registries[0].close();
    await expect.poll(() => order).toEqual([0, -2, 1]);
    await release[1]();
    await expect.poll(() => order).toEqual([0, -2, 1, 3]);
    await release[3]();
    await Promise.all(waiting);
    expect(order).toEqual([0, -2, 1, 3, 4]);
  });

  it('shows everyone who is a member, and lets the later of two with one name win', async () => {
    const [a, b, again] = await clients(3);
    const seen: MemberChange[] = [];
    const watching = await Membership.watch(a, '/c/live', (changes) => seen.push(...changes));
    const joining = await Membership.watch(b, '/c/live');
    const rejoining = await Membership.watch(again, '/c/live');
    await watching.join('a', '1');
    await joining.join('b', '2');
    const shown = (membership: Membership) =>
      [...membership.members].map(([name, { value }]) => `${name}=${value}`);
    for (const membership of [watching, joining, rejoining])
      await expect.poll(() => shown(membership)).toEqual(['a=1', 'b=2']);
    await rejoining.join('b', '3');
    await expect.poll(() => shown(watching)).toEqual(['a=1', 'b=3']);
    await joining.leave('b');
    await b.close();
    await again.set('/c/live/b', '4');
    await expect.poll(() => shown(watching)).toEqual(['a=1', 'b=4']);
    await again.close();
    await expect.poll(() => shown(watching)).toEqual(['a=1']);
    expect(seen.at(-1)).toMatchObject({ type: 'removed', name: 'b' });
    for (const membership of [watching, joining, rejoining]) membership.stop();
  });

  it('lets all pass a barrier when the last one has come', async () => {
    const registries = await clients(3);
    const passed: string[] = [];
    const enter = (k: number) =>
      enterBarrier(registries[k], '/c/round1', `n${k}`, 3).then(async ({ leave }) => {
        passed.push(`in ${k}`);
        await leave();
        passed.push('out');
      });
    const early = [enter(0), enter(1)];
    await expect.poll(() => registries[2].children('/c/round1/in')).toHaveLength(2);
    expect(passed).toEqual([]);
    await Promise.all([...early, enter(2)]);
    expect(passed.filter((line) => line !== 'out').sort()).toEqual(['in 0', 'in 1', 'in 2']);
    expect(passed.filter((line) => line === 'out')).toHaveLength(3);
  });

  it('ends those who wait when their session is lost', async () => {
    const [holder, waiter] = await clients(2);
    await acquireLock(holder, '/lock');
    const waiting = acquireLock(waiter, '/lock').catch((error) => error);
    const behind = enterBarrier(waiter, '/round', 'n', 2).catch((error) => error);
    await expect.poll(() => holder.children('/lock')).toHaveLength(2);
    await expect.poll(() => holder.children('/round/in')).toHaveLength(1);
    await waiter.close();
    expect((await waiting).reason).toBe('session-lost');
    expect((await behind).reason).toBe('session-lost');
  });
}
