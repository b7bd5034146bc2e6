import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TriggerRule } from '../model/glossary.ts';
import { type Counters, type Ending, judge, type Verdict } from './trigger-rule.ts';

const RULES: TriggerRule[] = ['all-succeeded', 'all-done', 'one-failed', 'one-succeeded', 'none-failed'];
const ENDINGS: Ending[] = ['succeeded', 'failed', 'skipped'];

const counters = (some: Partial<Counters>): Counters => ({
  open: 0,
  succeeded: 0,
  failed: 0,
  skipped: 0,
  ...some,
});

describe('judge', () => {
  const w: Verdict = 'wait';
  const r: Verdict = 'ready';
  const s: Verdict = 'skip';
  it.each([
    // counters                                     all-ok, done, 1-fail, 1-ok, no-fail
    ['no predecessors', {}, [r, r, s, r, r]],
    ['all open', { open: 2 }, [w, w, w, w, w]],
    ['one open, one succeeded', { open: 1, succeeded: 1 }, [w, w, w, r, w]],
    ['one open, one failed', { open: 1, failed: 1 }, [s, w, r, w, s]],
    ['one open, one skipped', { open: 1, skipped: 1 }, [w, w, w, w, w]],
    ['all succeeded', { succeeded: 2 }, [r, r, s, r, r]],
    ['all failed', { failed: 2 }, [s, r, r, s, s]],
    ['all skipped', { skipped: 2 }, [s, r, s, s, r]],
    ['succeeded and skipped', { succeeded: 1, skipped: 1 }, [r, r, s, r, r]],
    ['succeeded and failed', { succeeded: 1, failed: 1 }, [s, r, r, r, s]],
    ['skipped and failed', { skipped: 1, failed: 1 }, [s, r, r, s, s]],
  ] as [string, Partial<Counters>, Verdict[]][])('%s', (_, some, expected) => {
    expect(RULES.map((rule) => judge(rule, counters(some)))).toEqual(expected);
  });

  it('never takes a verdict back when more predecessors end', () => {
    const few = fc.nat(3);
    fc.assert(
      fc.property(
        fc.constantFrom(...RULES),
        fc.record({ open: fc.integer({ min: 1, max: 3 }), succeeded: few, failed: few, skipped: few }),
        fc.constantFrom(...ENDINGS),
        (rule, before, ending) => {
          const verdict = judge(rule, before);
          fc.pre(verdict !== 'wait');
          expect(judge(rule, { ...before, open: before.open - 1, [ending]: before[ending] + 1 })).toBe(
            verdict,
          );
        },
      ),
    );
  });
});
