import { expect, it } from 'vitest';
import { type PastAlert, previewRule } from './preview.ts';
import { ruleSchema } from './schema.ts';

const MINUTE = 60_000;
const rule = (more: object = {}) => ruleSchema.parse({ name: 'r', channels: ['ops'], ...more });
const failed = (at: number, endedAt: number | null, name = 'orders'): PastAlert => ({
  kind: 'run-failed',
  project: 'sales',
  name,
  tags: ['daily'],
  at: at * MINUTE,
  endedAt: endedAt === null ? null : endedAt * MINUTE,
});
const late = (at: number): PastAlert => ({ ...failed(at, at), kind: 'tick-late' });
/** Of the first of January 1970, until its 120th minute. */
const night = { from: '00:00', to: '02:00' };

it.each([
  ['nothing', {}, [], { matched: 0, fired: 0, last: null }],
  [
    'one problem with many alerts',
    {},
    [failed(1, 60), failed(10, 60), failed(50, 60)],
    { matched: 3, fired: 1 },
  ],
  ['one that came back', {}, [failed(1, 10), failed(30, null)], { matched: 2, fired: 2, last: 30 * MINUTE }],
  ['a storm', {}, Array.from({ length: 100 }, (_, k) => failed(k / 100, 2)), { matched: 100, fired: 1 }],
  [
    'one that flaps each two minutes for half an hour',
    {},
    Array.from({ length: 15 }, (_, k) => failed(2 * k, 2 * k + 1)),
    { matched: 15, fired: 1 },
  ],
  [
    'one that flaps after a delay',
    { delay: '5m' },
    [failed(0, 6), failed(8, 9), failed(30, 36)],
    { fired: 2 },
  ],
  ['two workflows', {}, [failed(1, 9), failed(2, 9, 'b')], { fired: 2 }],
  ['two workflows in one group', { groupBy: ['kind'] }, [failed(1, 9), failed(2, 9, 'b')], { fired: 1 }],
  ['one that was mended in time', { delay: '5m' }, [failed(1, 3), failed(20, 40)], { matched: 2, fired: 1 }],
  [
    'one that was mended before the delay and came back within it',
    { delay: '5m' },
    [failed(1, 3), failed(4, 10)],
    { fired: 1, last: 6 * MINUTE },
  ],
  ['things that do not last, after a delay', { delay: '5m' }, [late(1)], { fired: 1, last: 6 * MINUTE }],
  ['a night that was over before its end', { quiet: night }, [failed(10, 70)], { matched: 1, fired: 0 }],
  [
    'two of one night, of which one lasts',
    { quiet: night },
    [failed(10, 70), failed(90, 200)],
    { fired: 1, last: 120 * MINUTE },
  ],
  ['a late start at night', { quiet: night }, [late(10)], { fired: 1, last: 120 * MINUTE }],
  ['others', { match: { kinds: ['deadline'] } }, [failed(1, null)], { matched: 0, fired: 0 }],
  ['a tag', { match: { tags: ['daily'] } }, [failed(1, null)], { matched: 1, fired: 1 }],
])('%s: a rule would have fired that often', (_, more, alerts, expected) => {
  expect(previewRule(rule(more), alerts)).toMatchObject(expected);
});
