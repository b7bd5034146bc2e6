import { describe, expect, it } from 'vitest';
import { type TimerHandle, TimerTable } from './timer-table.ts';

describe('the timer table', () => {
  it('finds a waiting timer by its handle and forgets it when released', () => {
    const table = new TimerTable<string>();
    const a = table.add('a');
    const handle = table.handleOf(a);
    expect(table.find(handle)).toBe(a);
    expect(table.release(a)).toBe('a');
    expect(table.find(handle)).toBeUndefined();
    expect(table.size).toBe(0);
  });

  it('never takes an old handle for a later timer of the same id', () => {
    const table = new TimerTable<number>();
    const stale: TimerHandle[] = [];
    for (let i = 0; i < 200; i++) {
      const id = table.add(i);
      expect(id).toBe(0);
      for (const handle of stale) expect(table.find(handle)).toBeUndefined();
      stale.push(table.handleOf(id));
      table.release(id);
    }
  });

  it('retires an id when its generations are used up', () => {
    const table = new TimerTable<number>();
    let uses = 0;
    let last = 0;
    for (let id = table.add(0); id === 0; id = table.add(0)) {
      uses++;
      last = table.handleOf(id);
      table.release(id);
    }
    expect(uses).toBe(2 ** 25 - 1);
    expect(last).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
    expect(table.find(last as TimerHandle)).toBeUndefined();
  });

  it('gives each waiting timer its own id, and uses freed ids again', () => {
    const table = new TimerTable<number>();
    const ids = Array.from({ length: 10_000 }, (_, i) => table.add(i));
    expect(new Set(ids).size).toBe(10_000);
    for (const id of ids) if (id % 3 === 0) table.release(id);
    for (let i = 0; i < 3_000; i++) {
      const id = table.add(-1);
      expect(id).toBeLessThan(2 ** 14);
      ids[id] = id;
    }
    expect(table.size).toBe(10_000 - 3_334 + 3_000);
    expect(table.release(1)).toBe(1);
  });

  it('finds nothing for a number that is no handle', () => {
    const table = new TimerTable<string>();
    const handle = table.handleOf(table.add('a'));
    for (const forged of [
      0,
      -1,
      Number.NaN,
      0.5,
      handle + 0.5,
      handle + 1,
      2 ** 53,
      Number.POSITIVE_INFINITY,
    ])
      expect(table.find(forged as TimerHandle)).toBeUndefined();
  });
});
