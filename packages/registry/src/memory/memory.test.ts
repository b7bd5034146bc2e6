import { VirtualClock } from '@orrery/core/timing';
import { describe, expect, it } from 'vitest';
import type { WatchEvent } from '../registry.ts';
import { MemoryRegistry, MemoryTree } from './index.ts';

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

function stage() {
  const clock = new VirtualClock(1_000_000);
  const tree = new MemoryTree(clock);
  const open = () => new MemoryRegistry(tree, { sessionTimeout: 3_000 });
  return { clock, tree, open, pass: (ms: number) => clock.advanceAsync(ms, settle) };
}

describe('the memory registry in virtual time', () => {
  it('suspends at two thirds of the timeout and loses the session when the server has expired it', async () => {
    const { open, pass } = stage();
    const registry = open();
    const states: string[] = [];
    registry.session.onState((state) => states.push(state));
    registry.faults.cut();
    await pass(1_999);
    expect([registry.session.state, states]).toEqual(['connected', []]);
    await pass(1);
    expect([registry.session.state, states]).toEqual(['suspended', ['suspended']]);
    await pass(2_000);
    registry.faults.restore();
    await pass(1_000);
    expect(states).toEqual(['suspended', 'lost']);
    await expect(registry.get('/')).rejects.toMatchObject({ reason: 'session-lost' });
  });

  it('recovers when the cut ends before the session does, with a resync for every watch', async () => {
    const { open, pass } = stage();
    const registry = open();
    const other = open();
    const seen: WatchEvent[] = [];
    await registry.watch('/', 'subtree', (event) => seen.push(event));
    registry.faults.cut();
    await pass(2_500);
    await other.create('/a', '1');
    await pass(1);
    expect([registry.session.state, seen]).toEqual(['suspended', []]);
    registry.faults.restore();
    await pass(600);
    expect([registry.session.state, seen]).toEqual(['connected', [{ type: 'resync', path: '/' }]]);
    expect((await registry.get('/a'))?.value).toBe('1');
  });

  it('tells every watch to resync after a slow link made requests fail, although nothing was dropped', async () => {
    const { open, pass } = stage();
    const registry = open();
    const seen: WatchEvent[] = [];
    await registry.watch('/', 'subtree', (event) => seen.push(event));
    await pass(3_050);
    registry.faults.delay(1_400);
    const asked = registry.get('/').catch((error) => error);
    await pass(2_000);
    expect(await asked).toMatchObject({ reason: 'away' });
    registry.faults.restore();
    await pass(3_000);
    expect([registry.session.state, seen]).toEqual(['connected', [{ type: 'resync', path: '/' }]]);
  });

  it('is suspended in the first turn after a freeze, and a ping from before it changes nothing', async () => {
    const { clock, tree, pass } = stage();
    const held: (() => void)[] = [];
    let frozen = false;
    const deliver = (run: () => void) => (frozen ? void held.push(run) : queueMicrotask(run));
    const registry = new MemoryRegistry(tree, { sessionTimeout: 3_000, deliver });
    const states: string[] = [];
    registry.session.onState((state) => states.push(state));
    await pass(900);
    frozen = true;
    await pass(100);
    clock.advance(1_999);
    expect(registry.session.state).toBe('suspended');
    frozen = false;
    for (const run of held) run();
    await settle();
    await pass(1);
    expect(states).toEqual(['suspended', 'connected']);
  });

  it('fails what is under way at the deadline, and says that a write may have been made', async () => {
    const { open, pass } = stage();
    const registry = open();
    registry.faults.cut('answers');
    const write = registry.create('/a', '1').catch((error) => error);
    const read = registry.get('/a').catch((error) => error);
    await pass(2_000);
    expect(await write).toMatchObject({ reason: 'away', unknown: true });
    expect(await read).toMatchObject({ reason: 'away', unknown: false });
    registry.faults.restore();
    await pass(1_000);
    expect((await registry.get('/a'))?.value).toBe('1');
  });

  it('keeps the order of messages when they take time', async () => {
    const { open, pass } = stage();
    const registry = open();
    registry.faults.delay(100);
    const seen: string[] = [];
    void registry.create('/a', '').then(() => seen.push('created'));
    registry.faults.delay(10);
    void registry.delete('/a').then(() => seen.push('deleted'));
    await pass(500);
    expect(seen).toEqual(['created', 'deleted']);
  });
});
