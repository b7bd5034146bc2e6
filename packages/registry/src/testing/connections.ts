/** The cases of the contract in which a connection, a process or the server fails. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import type { SessionState } from '../registry.ts';
import { SubtreeView } from '../view.ts';
import type { Opened, TestStage } from './stage.ts';

export function connectionCases(stage: TestStage, opened: Opened): void {
  const isReal = stage.restart !== undefined;

  /** One client whose connection can be cut, one that looks on, and what the first one's view shows. */
  const pair = async (timeout?: number) => {
    const tree = stage.tree();
    const other = opened.add(await tree.open());
    const { registry, link } = await tree.openLinked(timeout);
    opened.add(registry);
    opened.add({ close: () => link.thaw() });
    await other.create('/live', '');
    await registry.create('/live/me', '', { ephemeral: true });
    const states: SessionState[] = [];
    registry.session.onState((state) => states.push(state));
    const view = await SubtreeView.open(registry, '/live');
    opened.add({ close: () => view.stop() });
    const names = () => [...view.entries.keys()];
    return { tree, other, registry, link, states, names };
  };

  it('keeps its session over a broken connection, and its watches miss nothing', async () => {
    const { other, registry, link, states, names } = await pair();
    for (let round = 0; round < 3; round++) {
      link.cut();
      await other.create(`/live/${round}`, '');
      if (round > 0) await other.delete(`/live/${round - 1}`);
      await expect.poll(names).toEqual(['/live', `/live/${round}`, '/live/me']);
    }
    expect(await other.children('/live')).toEqual(['2', 'me']);
    expect([registry.session.state, states]).toEqual(['connected', []]);
    expect((await eventually(() => registry.get('/live/me')))?.owner).toBe(registry.session.id);
  });

  it('misses nothing that changed while the connection was silent', async () => {
    const { other, registry, link, names } = await pair(stage.shortTimeout * 3);
    await other.create('/live/old', '');
    await expect.poll(names).toContain('/live/old');
    link.freeze();
    await other.delete('/live/old');
    await other.create('/live/new', '');
    link.thaw();
    await expect.poll(names).toEqual(['/live', '/live/me', '/live/new']);
    expect(registry.session.state).toBe('connected');
  });

  it('suspends itself under silent packet loss before the server ends the session', async () => {
    const { other, registry, link, states } = await pair(stage.shortTimeout);
    const { session } = registry;
    let stateAtEnd: SessionState | undefined;
    const watch = await other.watch('/live/me', 'entry', ({ type }) => {
      if (type === 'deleted') stateAtEnd ??= session.state;
    });
    link.freeze();
    const write = registry.create('/live/late', '').catch((error) => error);
    await expect.poll(() => stateAtEnd).toBe('suspended');
    expect(states[0]).toBe('suspended');
    expect(session.remaining()).toBeLessThanOrEqual(0);
    expect(['away', 'session-lost']).toContain((await write).reason);
    link.thaw();
    await expect.poll(() => session.state).toBe('lost');
    expect(states.at(-1)).toBe('lost');
    await expect(registry.set('/live', 'late')).rejects.toMatchObject({ reason: 'session-lost' });
    expect(await other.get('/live')).toMatchObject({ value: '', version: 0 });
    watch.stop();
  });

  it('agrees to a timeout and pings often enough to keep it', async () => {
    const { registry, states } = await pair(stage.shortTimeout);
    const { session } = registry;
    expect(session.timeout).toBeGreaterThanOrEqual(stage.shortTimeout);
    // Each ping moves the deadline: it has to be seen moving past the first one.
    const start = performance.now();
    await expect
      .poll(() => performance.now() - start > session.timeout && session.remaining() > 0)
      .toBe(true);
    expect([session.state, states]).toEqual(['connected', []]);
  });

  if (!isReal) return;

  it('suspends a frozen process in its first turn, and its session is over', async () => {
    const { tree, other } = await pair();
    const script = new URL('./frozen-client.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [script, tree.url as string, String(stage.shortTimeout)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines: { turn?: SessionState; told?: SessionState }[] = [];
    createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)));
    try {
      await expect.poll(() => lines.length).toBeGreaterThan(0);
      expect(await other.children('/live')).toContain('child');
      child.kill('SIGSTOP');
      await expect.poll(() => other.children('/live')).not.toContain('child');
      const before = lines.length;
      child.kill('SIGCONT');
      await expect.poll(() => lines.some(({ told }) => told === 'lost')).toBe(true);
      const after = lines.slice(before);
      expect(after.map(({ turn }) => turn)).not.toContain('connected');
      expect(after.flatMap(({ told }) => told ?? [])).toEqual(['suspended', 'lost']);
    } finally {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
  });

  it('expires nobody who is alive when the server is restarted', async () => {
    const { other, registry, names } = await pair(20_000);
    const before = await other.create('/live/before', '');
    await stage.restart?.();
    const after = await eventually(() => other.create('/live/after', ''));
    expect(after.created).toBeGreaterThan(before.created);
    await expect.poll(names).toEqual(['/live', '/live/after', '/live/before', '/live/me']);
    expect((await eventually(() => registry.get('/live/me')))?.owner).toBe(registry.session.id);
    expect([registry.session.lostBecause, other.session.lostBecause]).toEqual([undefined, undefined]);
  });
}

/** Tries until the registry answers; a create that was made although no answer came counts. */
async function eventually<T>(operation: () => Promise<T>): Promise<T> {
  let last: T | undefined;
  await expect
    .poll(() =>
      operation().then(
        (value) => {
          last = value;
          return 'answered';
        },
        (error) => error.reason,
      ),
    )
    .toBe('answered');
  return last as T;
}
