import { describe, expect, it } from 'vitest';
import { matches } from './match.ts';
import { ruleSchema } from './schema.ts';

const event = { kind: 'run-failed', project: 'sales', name: 'daily-orders', tags: ['prod'] } as const;

describe('a rule', () => {
  it.each([
    [{}, true],
    [{ kinds: ['run-failed'] }, true],
    [{ kinds: ['deadline'] }, false],
    [{ projects: ['sales'] }, true],
    [{ projects: ['sale'] }, false],
    [{ names: ['daily-*'] }, true],
    [{ names: ['*orders'] }, true],
    [{ names: ['d*y-*s'] }, true],
    [{ names: ['daily-*-x'] }, false],
    [{ names: ['daily-orders*orders'] }, false],
    [{ tags: ['test', 'prod'] }, true],
    [{ tags: ['test'] }, false],
    [{ severity: 'error' }, true],
    [{ severity: 'critical' }, false],
  ] as const)('with %j matches: %s', (match, expected) => {
    const rule = ruleSchema.parse({ name: 'r', channels: ['c'], match });
    expect(matches(rule.match, event)).toBe(expected);
  });

  it('takes no longer for a pattern with many stars', () => {
    const pattern = `${'*a'.repeat(90)}*b`;
    expect(matches({ names: [pattern] }, { ...event, name: 'a'.repeat(10_000) })).toBe(false);
  });

  it.each([
    [{ channels: ['c'] }, 'name'],
    [{ name: 'r', channels: [] }, 'channels'],
    [{ name: 'r', channels: ['c'], match: { kinds: ['odd'] } }, 'match'],
    [{ name: 'r', channels: ['c'], delay: 'soon' }, 'delay'],
    [{ name: 'r', channels: ['c'], repeat: 0 }, 'repeat'],
    [{ name: 'r', channels: ['c'], quiet: { from: '25:00', to: '07:00' } }, 'quiet'],
    [{ name: 'r', channels: ['c'], quiet: { from: '22:00', to: '07:00', timezone: 'Mars' } }, 'quiet'],
    [{ name: 'r', channels: ['c'], chanels: [] }, 'the whole'],
  ])('is refused as %j', (input, at) => {
    const read = ruleSchema.safeParse(input);
    expect(read.error?.issues[0].path[0] ?? 'the whole').toBe(at);
  });
});
