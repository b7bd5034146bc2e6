import { describe, expect, it } from 'vitest';
import { startAll } from './started.ts';

describe('what was started', () => {
  it('is stopped in the reverse order, also what comes after something that cannot be stopped', async () => {
    const stopped: number[] = [];
    const { stop } = await startAll(async (started) => {
      for (const k of [1, 2, 3])
        started.push(async () => {
          if (k === 2) throw new Error('the database is away');
          stopped.push(k);
        });
      return {};
    });
    await expect(stop()).rejects.toThrow('the database is away');
    expect(stopped).toEqual([3, 1]);
    await stop();
    expect(stopped).toEqual([3, 1]);
  });

  it('is stopped again when the rest cannot be started, and that is what is told', async () => {
    const stopped: number[] = [];
    const starting = startAll(async (started) => {
      started.push(async () => {
        stopped.push(1);
        throw new Error('nor stopped');
      });
      throw new Error('the port is taken');
    });
    await expect(starting).rejects.toThrow('the port is taken');
    expect(stopped).toEqual([1]);
  });
});
