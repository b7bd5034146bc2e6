import { describe, expect, it } from 'vitest';
import quartz from '../../../core/fixtures/quartz-cron.json' with { type: 'json' };
import { orrery, previewBatch } from '../run-binary.ts';

const preview = (...args: string[]) => orrery(['preview', 'cron', ...args]);

describe('preview cron', () => {
  const example = ['0 0 12 ? * 2', '--tz', 'Asia/Shanghai', '--from', '2026-01-01T00:00:00Z', '--count', '2'];

  it('answers in JSON with times in UTC', async () => {
    const { code, out } = await preview(...example, '--json');
    expect(code).toBe(0);
    expect(out).toBe('{"next":["2026-01-05T04:00:00Z","2026-01-12T04:00:00Z"]}\n');
  });

  it('answers a person with weekday, local time and offset', async () => {
    const { out } = await preview(...example);
    expect(out).toBe('Mon 2026-01-05 12:00:00+08:00\nMon 2026-01-12 12:00:00+08:00\n');
  });

  it('reads a time without offset in the zone', async () => {
    const { out } = await preview(
      ...['0 0 12 * * ?', '--tz', 'Asia/Shanghai', '--from', '2026-01-01 12:00:00', '--count', '1', '--json'],
    );
    expect(out).toBe('{"next":["2026-01-02T04:00:00Z"]}\n');
  });

  it('gives five times after now, in UTC, when only the expression is given', async () => {
    const before = Date.now();
    const { next } = JSON.parse((await preview('* * * * * ?', '--json')).out) as { next: string[] };
    expect(next).toHaveLength(5);
    expect(Date.parse(next[0])).toBeGreaterThan(before);
    expect(Date.parse(next[0])).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  it('says when an expression ends', async () => {
    expect((await preview('0 0 0 1 1 ? 2020', '--from', '2021-01-01')).out).toBe('never fires again\n');
    expect((await preview('0 0 0 1 1 ? 2020', '--from', '2021-01-01', '--json')).out).toBe('{"next":[]}\n');
    expect((await preview('0 0 0 1 1 ? 2022', '--from', '2021-01-01')).out).toBe(
      'Sat 2022-01-01 00:00:00Z\nand never again\n',
    );
  });

  it('fires when Quartz fires', async () => {
    const lines = quartz.map(({ cron, tz, after }) => ({ cron, tz, from: after, count: 5 }));
    expect(await previewBatch('cron', lines)).toEqual(quartz.map(({ next }) => ({ next })));
  });

  it.each([
    [['* * x * * ?'], 'cron "* * x * * ?": hour "x"'],
    [['0 0 12 * * ?', '--tz', 'Mars/Base'], '--tz: unknown time zone "Mars/Base"'],
    [['0 0 12 * * ?', '--from', 'soon'], '--from: time "soon" cannot be read'],
    [['0 0 12 * * ?', '--count', '-1'], '--count: "-1" is not a whole number from 0 to 10000'],
    [[], '<cron>: missing'],
    [['0 0 12 * * ?', '--batch'], '<cron>: not with --batch'],
  ])('refuses %j in one line', async (args, message) => {
    const { code, out, err } = await preview(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^orrery: .*\n$/);
    expect(err).toContain(message);
  });

  it('answers each bad line of a batch by its error', async () => {
    const good = { cron: '0 0 0 * * ?', from: '2026-01-01', count: 1 };
    expect(await previewBatch('cron', [{ ...good, tz: 'Nowhere' }, { cron: 7 }, good])).toEqual([
      { error: expect.stringMatching(/^tz: unknown time zone "Nowhere"/) },
      { error: 'cron: 7 is not a text' },
      { next: ['2026-01-02T00:00:00Z'] },
    ]);
  });
});
