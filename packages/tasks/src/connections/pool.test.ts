/** The pool of sessions, with sessions that only count and a clock of the test. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Pool } from './pool.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function sessions() {
  const opened: { usable: boolean; closed: boolean; isReset: boolean; close(): Promise<void> }[] = [];
  const open = async () => {
    const session = {
      usable: true,
      closed: false,
      isReset: true,
      reset: async () => session.isReset,
      close: async () => {
        session.closed = true;
      },
    };
    opened.push(session);
    return session;
  };
  return { opened, open, closed: () => opened.filter(({ closed }) => closed).length };
}

it('lends an idle session of the same settings again, and closes it after 30 s without use', async () => {
  const { opened, open, closed } = sessions();
  const pool = new Pool();
  const first = await pool.acquire('a', open);
  await pool.release('a', first);
  await vi.advanceTimersByTimeAsync(29_999);
  expect(await pool.acquire('a', open)).toBe(first);
  // In use it is not closed, however long that is.
  await vi.advanceTimersByTimeAsync(60_000);
  expect(closed()).toBe(0);
  await pool.release('a', first);
  // Another user or password is another key.
  expect(await pool.acquire('b', open)).not.toBe(first);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(first).toMatchObject({ closed: true });
  expect(await pool.acquire('a', open)).not.toBe(first);
  expect(opened).toHaveLength(3);
});

it('keeps at most four idle sessions, and none that is lost or cannot be reset', async () => {
  const { opened, open, closed } = sessions();
  const pool = new Pool();
  const lent = await Promise.all(Array.from({ length: 6 }, () => pool.acquire('a', open)));
  for (const session of lent) await pool.release('a', session);
  expect(closed()).toBe(2);
  for (const session of opened) session.usable = false;
  const fresh = await pool.acquire('a', open);
  expect(opened).toHaveLength(7);
  opened[6].isReset = false;
  await pool.release('a', fresh);
  expect(opened[6].closed).toBe(true);
});
