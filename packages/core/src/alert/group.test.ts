import { describe, expect, it } from 'vitest';
import { type AlertGroup, decideGroup } from './group.ts';
import { type AlertRuleFile, ruleSchema } from './schema.ts';

const MINUTE = 60_000;

function ruleOf(rule: Partial<AlertRuleFile> = {}) {
  return ruleSchema.parse({ name: 'r', channels: ['mail'], ...rule });
}

const fresh: AlertGroup = {
  state: 'pending',
  firstAt: 0,
  count: 1,
  told: 0,
  toldAt: null,
  escalated: false,
  acknowledged: false,
};
const told: AlertGroup = { ...fresh, state: 'firing', told: 1, toldAt: 0 };
const open = (now: number) => ({ now, trouble: 'open', mutedUntil: undefined }) as const;
const ended = (now: number) => ({ now, trouble: 'ended', mutedUntil: undefined }) as const;

describe('a group of alerts', () => {
  it('is told at once without a delay', () => {
    expect(decideGroup(fresh, ruleOf(), open(0))).toMatchObject({
      state: 'firing',
      send: { reason: 'new', channels: ['mail'] },
    });
  });

  it('is told after its delay if it is still so, and never if it is not', () => {
    const rule = ruleOf({ delay: '5m' });
    expect(decideGroup(fresh, rule, open(MINUTE))).toEqual({ state: 'pending', due: 5 * MINUTE });
    expect(decideGroup(fresh, rule, open(5 * MINUTE)).send?.reason).toBe('new');
    expect(decideGroup(fresh, rule, ended(5 * MINUTE))).toEqual({ state: 'over', due: null });
  });

  it('that grows is told again, but not more often than the rule says', () => {
    const grown = { ...told, count: 100_000 };
    expect(decideGroup(grown, ruleOf(), open(4 * MINUTE)).send).toBeUndefined();
    expect(decideGroup(grown, ruleOf(), open(5 * MINUTE)).send?.reason).toBe('more');
  });

  it('is repeated while it lasts, unless somebody has acknowledged it', () => {
    const later = open(4 * 60 * MINUTE);
    expect(decideGroup(told, ruleOf(), later).send?.reason).toBe('repeat');
    expect(decideGroup({ ...told, acknowledged: true, count: 9 }, ruleOf(), later).send).toBeUndefined();
  });

  it('that nobody acknowledges is told to others, once', () => {
    const rule = ruleOf({ escalate: { after: '30m', channels: ['pager'] } });
    const later = open(30 * MINUTE);
    expect(decideGroup(told, rule, later).send).toEqual({ reason: 'escalate', channels: ['pager'] });
    expect(decideGroup({ ...told, escalated: true, toldAt: 30 * MINUTE }, rule, later).send).toBeUndefined();
    expect(decideGroup({ ...told, acknowledged: true }, rule, later).send).toBeUndefined();
  });

  it('tells all who were told when it is over, unless the rule wants no such message', () => {
    const rule = ruleOf({ escalate: { after: '30m', channels: ['pager', 'mail'] } });
    expect(decideGroup({ ...told, escalated: true }, rule, ended(5 * MINUTE)).send).toEqual({
      reason: 'resolve',
      channels: ['mail', 'pager'],
    });
    const silent = ruleOf({ resolve: false });
    expect(decideGroup(told, silent, ended(5 * MINUTE))).toEqual({ state: 'over', due: null });
  });

  it('stays open until the rule allows another message, so that trouble that comes back joins it', () => {
    const held = { state: 'firing', due: 5 * MINUTE };
    expect(decideGroup(told, ruleOf(), ended(MINUTE))).toEqual(held);
    expect(decideGroup(told, ruleOf({ resolve: false }), ended(MINUTE))).toEqual(held);
    const moment = { ...ended(MINUTE), trouble: 'moment' } as const;
    expect(decideGroup(told, ruleOf(), moment)).toEqual(held);
  });

  it('that is muted or in quiet hours is looked at when that ends', () => {
    expect(decideGroup(fresh, ruleOf(), { ...open(0), mutedUntil: 7 })).toEqual({ state: 'pending', due: 7 });
    const rule = ruleOf({ quiet: { from: '00:00', to: '07:00' } });
    expect(decideGroup(told, rule, open(0))).toEqual({ state: 'firing', due: 7 * 60 * MINUTE });
  });

  it('of things that do not last is over when all were told', () => {
    const moment = (now: number) => ({ now, trouble: 'moment', mutedUntil: undefined }) as const;
    expect(decideGroup(fresh, ruleOf(), moment(0)).send?.reason).toBe('new');
    expect(decideGroup({ ...told, count: 2 }, ruleOf(), moment(5 * MINUTE)).send?.reason).toBe('more');
    expect(decideGroup(told, ruleOf(), moment(5 * MINUTE))).toEqual({ state: 'over', due: null });
  });
});
