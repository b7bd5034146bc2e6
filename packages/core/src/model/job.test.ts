import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatProblem } from './format.ts';
import { parseJob } from './job.ts';

const problems = (input: unknown) => parseJob(input).problems.map((problem) => formatProblem(problem));

describe('a job', () => {
  it('gets every default', () => {
    expect(parseJob({ name: 'sync', shards: 3 })).toEqual({
      problems: [],
      job: {
        namespace: 'default',
        name: 'sync',
        timezone: 'UTC',
        shards: 3,
        shardParameters: {},
        strategy: 'average',
        failover: false,
        misfire: true,
        monitorExecution: true,
        staticSharding: false,
        reconcileInterval: 600_000,
        disabled: false,
        overwrite: false,
        props: {},
      },
    });
  });

  it('says when it fires and how it is split', () => {
    const { job } = parseJob({
      namespace: 'shop',
      name: 'sync',
      description: 'all cities',
      cron: '0/5 * * * * ?',
      timezone: 'Asia/Shanghai',
      shards: 3,
      shardParameters: '0=北京，1=上海',
      parameter: 'x',
      strategy: 'my-own',
      failover: true,
      misfire: false,
      maxTimeDiff: '30s',
      reconcileInterval: 0,
      props: { 'streaming.process': true, size: 10 },
    });
    expect(job).toMatchObject({
      cron: '0/5 * * * * ?',
      shardParameters: { 0: '北京', 1: '上海' },
      strategy: 'my-own',
      failover: true,
      misfire: false,
      maxTimeDiff: 30_000,
      reconcileInterval: 0,
      props: { 'streaming.process': 'true', size: '10' },
    });
    expect(parseJob({ name: 'a', shards: 2, shardParameters: { 1: 'b' } }).job?.shardParameters).toEqual({
      1: 'b',
    });
  });

  it('is refused with all that is wrong', () => {
    expect(problems({ name: 'a b', shards: 0, fail_over: true, misfire: 'no' })).toEqual([
      'name: "a b" is not a name; use at most 100 letters, digits, "_", "-" and ".", starting with a letter, a digit or "_"',
      'shards: must be at least 1, got 0',
      'misfire: expected true or false, got the text "no"',
      'fail_over: unknown key "fail_over"; did you mean "failover"?',
    ]);
  });

  it('is refused with a cron that cannot be read', () => {
    const { problems } = parseJob({ name: 'a', shards: 1, cron: '0/5 * *' });
    expect(problems).toMatchObject([{ path: ['cron'], code: 'bad-cron' }]);
  });

  it('is refused with parameters of shards it does not have', () => {
    expect(problems({ name: 'a', shards: 2, shardParameters: '0=x,2=y' })).toEqual([
      'shardParameters: item parameters, character 5: item 2 does not exist; there are 2, counted from 0',
    ]);
  });

  it('is refused if failover cannot know what is running', () => {
    expect(problems({ name: 'a', shards: 1, failover: true, monitorExecution: false })).toEqual([
      'failover: "failover" needs "monitorExecution: true"',
    ]);
  });

  it('or problems come out of anything', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { job, problems } = parseJob(value);
        expect(job === undefined).toBe(problems.length > 0);
      }),
    );
  });
});
