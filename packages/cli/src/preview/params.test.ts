import { describe, expect, it } from 'vitest';
import { orrery, previewBatch } from '../run-binary.ts';

const preview = (...args: string[]) => orrery(['preview', 'params', ...args]);

describe('preview params', () => {
  const time = ['--at', '2026-03-01T00:30:00+08:00', '--tz', 'Asia/Shanghai'];

  it('prints the value alone, and in JSON', async () => {
    expect(await preview('$[yyyyMMdd-1]', ...time)).toEqual({ code: 0, out: '20260228\n', err: '' });
    expect((await preview('$[yyyyMMdd-1]', ...time, '--json')).out).toBe('{"value":"20260228"}\n');
  });

  it('reads the business time in UTC when no zone is given', async () => {
    expect((await preview('$[yyyyMMdd-1]', '--at', '2026-03-01T00:30:00+08:00')).out).toBe('20260227\n');
  });

  it('knows given and built-in parameters, also inside each other, and keeps unknown ones', async () => {
    const { out } = await preview(
      ...['${day}: ${system.biz.date} ${HOME}', ...time, '--param', 'day=$[yyyy]-${k}', '--param', 'k=a=b'],
    );
    expect(out).toBe('2026-a=b: 20260228 ${HOME}\n');
  });

  it('answers a batch in order', async () => {
    const at = '2022-08-26 00:00:00';
    expect(
      await previewBatch('params', [
        { template: '$[month_first_day(yyyy-MM-dd,-1)]', at },
        { template: '${a}${b}', at, params: { a: 'x', b: 2 } },
        { template: '$[nonsense]', at },
        { template: '${a}', params: ['x'] },
        { at },
      ]),
    ).toEqual([
      { value: '2022-07-01' },
      { value: 'x2' },
      { error: expect.stringMatching(/^unsupported time placeholder "\$\[nonsense\]"/) },
      { error: 'params: ["x"] is not an object of texts' },
      { error: 'template: missing' },
    ]);
  });

  it.each([
    [['x', '--param', 'novalue'], '--param: "novalue" is not a key, "=" and a value'],
    [['${a}', '--param', 'a=${b}', '--param', 'b=${a}'], 'parameters refer to each other in a circle'],
    [['x', '--at', '2026-02-30'], '--at: time "2026-02-30" is on no calendar'],
    [[], '<template>: missing'],
  ])('refuses %j in one line', async (args, message) => {
    const { code, out, err } = await preview(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^orrery: .*\n$/);
    expect(err).toContain(message);
  });
});
