import { ApiProblem } from '@orrery/sdk/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Persistence } from './persistence.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function begin() {
  const control = new AbortController();
  const told: (string | undefined)[] = [];
  const requests = new Persistence(control.signal, (error) => told.push(error?.message));
  return { control, told, requests };
}

/** Fails so often, then answers. */
function failing(times: number, error: Error) {
  const at: number[] = [];
  const request = async () => {
    at.push(Date.now());
    if (at.length <= times) throw error;
    return 'answer';
  };
  return { at, request };
}

const problem = (status: number) =>
  new ApiProblem({ type: 'about:blank', title: 'no', status, detail: 'no', requestId: 'r' } as never);

describe('a request that outlives faults', () => {
  it('is made again after 0.5 s to 15 s until it is answered, and the fault is told meanwhile', async () => {
    const { told, requests } = begin();
    const { at, request } = failing(7, new Error('away'));
    const answer = requests.ask(request);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await answer).toBe('answer');
    expect(at.slice(1).map((time, i) => time - at[i])).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000,
    ]);
    expect(told).toEqual([...Array(7).fill('away'), undefined]);
  });

  it('is a fault no more when another is answered first: that one is asked for at once', async () => {
    const { told, requests } = begin();
    const slow = requests.ask(failing(6, new Error('away')).request);
    await vi.advanceTimersByTimeAsync(15_600);
    await requests.ask(failing(0, new Error()).request);
    expect(await slow).toBe('answer');
    expect(told.at(-1)).toBeUndefined();
  });

  it.each([400, 403, 404])('is not made again when it was refused with %i', async (status) => {
    const { told, requests } = begin();
    const { at, request } = failing(1, problem(status));
    await expect(requests.ask(request)).rejects.toThrow();
    expect(at).toHaveLength(1);
    expect(told).toEqual([]);
  });

  it.each([401, 429, 500, 503])('is made again after %i', async (status) => {
    const { requests } = begin();
    const answer = requests.ask(failing(1, problem(status)).request);
    await vi.advanceTimersByTimeAsync(500);
    expect(await answer).toBe('answer');
  });

  it('ends with its reader', async () => {
    const { control, requests } = begin();
    const answer = requests.ask(failing(9, new Error('away')).request);
    const ended = expect(answer).rejects.toThrow('away');
    await vi.advanceTimersByTimeAsync(100);
    control.abort();
    await ended;
  });
});
