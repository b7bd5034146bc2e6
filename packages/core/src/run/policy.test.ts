import { retries } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import { retryDelay } from './policy.ts';

describe('the wait before a retry', () => {
  it('grows by the back-off and stops at the longest', () => {
    const policy = retries(10, { delay: 1_000, backoff: 3, maxDelay: 20_000 });
    expect([1, 2, 3, 4, 5].map((failures) => retryDelay(policy, failures))).toEqual([
      1_000, 3_000, 9_000, 20_000, 20_000,
    ]);
  });

  it('is whole milliseconds', () => {
    expect(retryDelay(retries(3, { delay: 1_001, backoff: 1.5 }), 2)).toBe(1_502);
  });

  it('is a number after however many failures', () => {
    expect(retryDelay(retries(9_999, { delay: 1, backoff: 10, maxDelay: 500 }), 5_000)).toBe(500);
    expect(retryDelay(retries(9_999, { delay: 0, backoff: 10 }), 5_000)).toBe(0);
  });
});
