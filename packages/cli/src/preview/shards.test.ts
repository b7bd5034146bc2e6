import { describe, expect, it } from 'vitest';
import elasticjob from '../../../core/fixtures/elasticjob-sharding.json' with { type: 'json' };
import { orrery, previewBatch } from '../run-binary.ts';

const example = 'preview shards --strategy average --items 10 --servers a,b,c --job name'.split(' ');

describe('preview shards', () => {
  it('answers in JSON', async () => {
    const { code, out } = await orrery([...example, '--json']);
    expect(code).toBe(0);
    expect(out).toBe('{"servers":{"a":[0,1,2,9],"b":[3,4,5],"c":[6,7,8]}}\n');
  });

  it('answers a person with a line for each server', async () => {
    expect((await orrery(example)).out).toBe('a  0 1 2 9\nb  3 4 5\nc  6 7 8\n');
  });

  it('divides by weight', async () => {
    const args = 'preview shards --strategy weighted --items 9 --servers a,b --weight a=2 --json'.split(' ');
    expect((await orrery(args)).out).toBe('{"servers":{"a":[0,1,2,3,4,5],"b":[6,7,8]}}\n');
  });

  it('divides as ElasticJob does', async () => {
    const strategies: Record<string, string> = {
      AVG_ALLOCATION: 'average',
      ODEVITY: 'odevity',
      ROUND_ROBIN: 'rotate',
    };
    const lines = elasticjob.map(({ strategy, jobName, instances, count }) => ({
      strategy: strategies[strategy],
      items: count,
      servers: instances,
      job: jobName,
    }));
    const answers = (await previewBatch('shards', lines)) as { servers: Record<string, number[]> }[];
    elasticjob.forEach(({ result, count }, i) => {
      const { servers } = answers[i];
      // Where Java fails, on a name whose hash has no absolute value there, every item still finds a server.
      if (result) expect(servers).toEqual(result);
      else
        expect(
          Object.values(servers)
            .flat()
            .sort((a, b) => a - b),
        ).toEqual([...Array(count).keys()]);
    });
    expect(answers).toHaveLength(elasticjob.length);
  });

  it.each([
    [
      ['--strategy', 'best', '--items', '1', '--servers', 'a'],
      'unknown strategy "best"; there are: average, ',
    ],
    [['--items', '3'], '--servers: missing'],
    [['--servers', 'a'], '--items: missing'],
    [['--servers', 'a', '--items', 'x'], '--items: "x" is not a whole number from 0 to 1000000'],
    [['--servers', 'a,,b', '--items', '1'], '--servers: "a,,b" is not a list of names'],
    [['--servers', 'a,a', '--items', '1'], 'node "a" is listed twice'],
    [['--servers', 'a', '--items', '1', '--strategy', 'odevity'], '--job: missing'],
    [['--servers', 'a', '--items', '1', '--weight', 'b=1'], 'a weight is given for "b"'],
    [['--servers', 'a', '--items', '1', '--weight', 'b'], '--weight: "b" is not a key, "=" and a value'],
    [['--items', '1', '--batch'], '--items: not with --batch'],
  ])('refuses %j in one line', async (args, message) => {
    const { code, out, err } = await orrery(['preview', 'shards', ...args]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^orrery: .*\n$/);
    expect(err).toContain(message);
  });

  it('answers a bad line of a batch with its error and goes on', async () => {
    const input = [
      '{"items": 2, "servers": ["a"]}',
      '',
      '{"items": 2, "servers": ["a"]',
      '[1]',
      '{"items": 2, "servers": ["a"], "itms": 3}',
      '{"items": 2.5, "servers": ["a"]}',
      '{"items": 1, "servers": "a, b"}',
    ].join('\r\n');
    const { code, out } = await orrery(['preview', 'shards', '--batch'], input);
    expect(code).toBe(0);
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { servers: { a: [0, 1] } },
      { error: expect.stringMatching(/^the line is not JSON: /) },
      { error: 'the line is not a JSON object' },
      { error: 'itms: unknown; a line may have strategy, items, servers, job, weights' },
      { error: 'items: 2.5 is not a whole number from 0 to 1000000' },
      { servers: { a: [0], b: [] } },
    ]);
  });
});
