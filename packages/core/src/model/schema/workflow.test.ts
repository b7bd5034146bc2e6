import { describe, expect, it } from 'vitest';
import type { TaskSpec, Workflow } from '../types.ts';
import { parseWorkflow } from '../validate.ts';

const shell = (name: string, more: object = {}) => ({ name, type: 'shell', ...more });

function accept(input: unknown): Workflow {
  const { workflow, problems } = parseWorkflow(input);
  expect(problems).toEqual([]);
  return workflow!;
}

function acceptTask(task: object): TaskSpec {
  return accept({ name: 'w', tasks: [{ name: 'a', type: 'shell', ...task }] }).tasks[0];
}

describe('the smallest workflow', () => {
  it('gets every default', () => {
    expect(accept({ name: 'hello', tasks: [{ name: 'say', type: 'shell' }] })).toEqual({
      project: 'default',
      name: 'hello',
      tags: [],
      priority: 'medium',
      mode: 'parallel',
      onFailure: 'continue',
      workerGroup: 'default',
      tenant: 'default',
      timezone: 'UTC',
      params: {},
      schedules: [],
      triggers: [],
      tasks: [
        {
          name: 'say',
          type: 'shell',
          needs: [],
          with: {},
          params: {},
          trigger: 'all-succeeded',
          retries: { limit: 0, delay: 0, backoff: 1, maxDelay: 86_400_000, on: 'any' },
          delay: 0,
          priority: 'medium',
          disabled: false,
          ignoreFailure: false,
          onLostContact: 'kill',
        },
      ],
    });
  });

  it('may say where its schema is, for editors', () => {
    expect(accept({ $schema: './workflow.schema.json', name: 'w', tasks: [shell('a')] })).not.toHaveProperty(
      '$schema',
    );
  });
});

describe('short forms', () => {
  it.each([
    [{ retries: 3 }, { retries: { limit: 3, delay: 0, backoff: 1, maxDelay: 86_400_000, on: 'any' } }],
    [
      { retries: { limit: 3, delay: '10s', backoff: 2, maxDelay: '5m', on: 'other' } },
      { retries: { limit: 3, delay: 10_000, backoff: 2, maxDelay: 300_000, on: 'other' } },
    ],
    [{ timeout: '10m' }, { timeout: { after: 600_000, action: 'fail' } }],
    [{ timeout: { after: '1h', action: 'both' } }, { timeout: { after: 3_600_000, action: 'both' } }],
    [{ group: 'warehouse' }, { group: { name: 'warehouse', priority: 0 } }],
    [{ group: { name: 'warehouse', priority: 7 } }, { group: { name: 'warehouse', priority: 7 } }],
    [{ delay: 0 }, { delay: 0 }],
    [{ params: { n: 3, on: true, list: [1, 'b'] } }, { params: { n: '3', on: 'true', list: '["1","b"]' } }],
    [
      { with: { script: 'echo ${HOME} $[1+1]', deep: [{ x: 1 }] } },
      { with: { script: 'echo ${HOME} $[1+1]', deep: [{ x: 1 }] } },
    ],
  ])('%j means %j', (task, expected) => {
    expect(acceptTask(task)).toMatchObject(expected);
  });

  it.each([
    [8, { count: 8, parameters: {}, plan: 'none', strategy: 'average' }],
    [
      '0=beijing,1=shanghai',
      { count: 2, parameters: { 0: 'beijing', 1: 'shanghai' }, plan: 'none', strategy: 'average' },
    ],
    ['2=c', { count: 3, parameters: { 2: 'c' }, plan: 'none', strategy: 'average' }],
    [
      { count: 4, params: '0=a，1=b' },
      { count: 4, parameters: { 0: 'a', 1: 'b' }, plan: 'none', strategy: 'average' },
    ],
    [
      { params: { 0: 'a,b', 1: 5 }, plan: 'static', strategy: 'rotate', instances: 2 },
      { count: 2, parameters: { 0: 'a,b', 1: '5' }, plan: 'static', strategy: 'rotate', instances: 2 },
    ],
  ])('shards %j are %j', (shards, expected) => {
    expect(acceptTask({ shards }).shards).toEqual(expected);
  });

  it('declares parameters by a value, a list or in full', () => {
    const { params } = accept({
      name: 'w',
      params: {
        day: '$[yyyyMMdd-1]',
        count: 3,
        regions: ['eu', 'us'],
        region: {
          type: 'string',
          default: 'eu',
          required: true,
          options: ['eu', 'us'],
          description: 'where',
          output: true,
        },
        limits: { type: 'list', default: [1, 2] },
        open: {},
      },
      tasks: [shell('a')],
    });
    expect(params).toEqual({
      day: { type: 'string', default: '$[yyyyMMdd-1]', required: false, output: false },
      count: { type: 'string', default: '3', required: false, output: false },
      regions: { type: 'list', default: '["eu","us"]', required: false, output: false },
      region: {
        type: 'string',
        default: 'eu',
        required: true,
        options: ['eu', 'us'],
        description: 'where',
        output: true,
      },
      limits: { type: 'list', default: '["1","2"]', required: false, output: false },
      open: { type: 'string', required: false, output: false },
    });
  });

  it('needs one task by its name alone', () => {
    expect(accept({ name: 'w', tasks: [shell('a'), shell('b', { needs: 'a' })] }).tasks[1].needs).toEqual([
      'a',
    ]);
  });
});

describe('schedules', () => {
  const schedulesOf = (more: object) => accept({ name: 'w', tasks: [shell('a')], ...more }).schedules;
  const defaults = { misfire: { policy: 'fire-once', threshold: 60_000 }, params: {} };

  it('may be one cron expression', () => {
    expect(schedulesOf({ schedule: '0 2 * * *' })).toEqual([
      { name: 'main', cron: '0 2 * * *', timezone: 'UTC', ...defaults },
    ]);
  });

  it('read local times in their own zone, else in that of the workflow', () => {
    const window = { from: '2026-01-01', until: '2026-02-01 08:30:15.5' };
    expect(
      schedulesOf({
        timezone: 'Asia/Shanghai',
        schedules: [
          { name: 'a', every: '90m', ...window },
          { name: 'b', cron: '0 0 2 * * ?', timezone: 'America/New_York', ...window },
          { name: 'c', every: '1d', from: '2026-01-01T00:00:00Z', until: '2026-01-01T12:00+09:00' },
        ],
      }),
    ).toEqual([
      {
        name: 'a',
        every: 5_400_000,
        timezone: 'Asia/Shanghai',
        from: Date.UTC(2025, 11, 31, 16),
        until: Date.UTC(2026, 1, 1, 0, 30, 15, 500),
        ...defaults,
      },
      {
        name: 'b',
        cron: '0 0 2 * * ?',
        timezone: 'America/New_York',
        from: Date.UTC(2026, 0, 1, 5),
        until: Date.UTC(2026, 1, 1, 13, 30, 15, 500),
        ...defaults,
      },
      {
        name: 'c',
        every: 86_400_000,
        timezone: 'Asia/Shanghai',
        from: Date.UTC(2026, 0, 1),
        until: Date.UTC(2026, 0, 1, 3),
        ...defaults,
      },
    ]);
  });

  it('have a misfire policy, exclusions, parameters and a priority', () => {
    expect(
      schedulesOf({
        schedules: [
          {
            cron: '0 2 * * *',
            misfire: 'skip',
            exclude: { dates: ['2026-05-01'], yearly: ['12-25', '02-29'], weekdays: ['saturday', 'sunday'] },
            params: { n: 1 },
            priority: 'low',
            enabled: false,
          },
          { name: 'b', cron: '0 2 * * *', misfire: { threshold: '5m' }, exclude: {} },
        ],
      }),
    ).toMatchObject([
      {
        misfire: { policy: 'skip', threshold: 60_000 },
        exclude: { dates: ['2026-05-01'], yearly: ['12-25', '02-29'], weekdays: [6, 0] },
        params: { n: '1' },
        priority: 'low',
        enabled: false,
      },
      {
        misfire: { policy: 'fire-once', threshold: 300_000 },
        exclude: { dates: [], yearly: [], weekdays: [] },
      },
    ]);
  });
});

describe('logic tasks', () => {
  const withOf = (tasks: object[], i = 1) => accept({ name: 'w', tasks }).tasks[i].with;

  it('sub-workflow names its child in three ways', () => {
    const child = (workflow: unknown) =>
      withOf([{ name: 'a', type: 'sub-workflow', with: { workflow, params: { n: 1 } } }], 0);
    expect(child('daily')).toEqual({ workflow: { name: 'daily' }, params: { n: '1' } });
    expect(child('etl/daily')).toEqual({ workflow: { project: 'etl', name: 'daily' }, params: { n: '1' } });
    expect(child({ project: 'etl', name: 'daily' })).toEqual(child('etl/daily'));
  });

  it('dependent says how long it waits for a better run, where it waits', () => {
    const depend = (item: object) => [
      { name: 'a', type: 'dependent', with: { all: [{ workflow: 'x', window: 'today', ...item }] } },
    ];
    expect(withOf(depend({ onFailure: 'wait', for: '2h' }), 0)).toMatchObject({
      groups: [{ items: [{ onFailure: 'wait', for: 7_200_000 }] }],
    });
    for (const bad of [{ for: '2h' }, { onFailure: 'fail', for: '2h' }, { onFailure: 'wait', for: '0s' }])
      expect(() => withOf(depend(bad), 0)).toThrow();
  });

  it('dependent has a flat list, or groups in a list', () => {
    const item = (workflow: string, window: string) => ({ workflow, window });
    const read = (workflow: string, window: string) => ({
      workflow: { name: workflow },
      window,
      onFailure: 'fail',
    });
    const depend = (spec: object) => withOf([{ name: 'a', type: 'dependent', with: spec }], 0);
    expect(
      depend({
        all: [item('x', 'today'), { workflow: 'y', task: 't', window: 'previous', onFailure: 'wait' }],
      }),
    ).toEqual({
      relation: 'all',
      groups: [
        {
          relation: 'all',
          items: [
            read('x', 'today'),
            { workflow: { name: 'y' }, task: 't', window: 'previous', onFailure: 'wait' },
          ],
        },
      ],
    });
    expect(
      depend({
        any: [
          { all: [item('x', 'today')] },
          item('y', 'last1Days'),
          { any: [item('z', '(-2,2)')] },
          item('v', 'lastMonth'),
        ],
      }),
    ).toEqual({
      relation: 'any',
      groups: [
        { relation: 'any', items: [read('y', 'last1Days'), read('v', 'lastMonth')] },
        { relation: 'all', items: [read('x', 'today')] },
        { relation: 'any', items: [read('z', '(-2,2)')] },
      ],
    });
  });

  it('conditions ask how tasks ended, success unless said otherwise', () => {
    const tasks = [
      shell('a'),
      shell('b'),
      {
        name: 'c',
        type: 'conditions',
        needs: ['a', 'b'],
        with: { all: ['a', { any: [{ task: 'b', is: 'failed' }, 'b'] }], success: 'd', failure: ['e'] },
      },
      shell('d', { needs: 'c' }),
      shell('e', { needs: 'c' }),
    ];
    expect(withOf(tasks, 2)).toEqual({
      relation: 'all',
      groups: [
        { relation: 'all', items: [{ task: 'a', is: 'success' }] },
        {
          relation: 'any',
          items: [
            { task: 'b', is: 'failed' },
            { task: 'b', is: 'success' },
          ],
        },
      ],
      success: ['d'],
      failure: ['e'],
    });
    expect(accept({ name: 'w', tasks }).tasks[2].trigger).toBe('all-done');
  });

  it('switch leads to one task or several', () => {
    const tasks = [
      shell('a'),
      {
        name: 'b',
        type: 'switch',
        needs: 'a',
        with: {
          cases: [
            { when: '${n} > 3', to: 'c' },
            { when: "n == 'x'", to: ['c', 'd'] },
          ],
          default: 'd',
        },
      },
      shell('c', { needs: 'b' }),
      shell('d', { needs: 'b' }),
    ];
    expect(withOf(tasks)).toEqual({
      cases: [
        { when: '${n} > 3', to: ['c'] },
        { when: "n == 'x'", to: ['c', 'd'] },
      ],
      default: ['d'],
    });
  });

  it('dynamic combines lists in the order they are written', () => {
    const tasks = [
      shell('a'),
      {
        name: 'b',
        type: 'dynamic',
        needs: 'a',
        with: {
          workflow: 'etl/load',
          over: { region: ['eu', 'us'], day: '${days}', n: '1,2' },
          without: ['eu', 1],
        },
      },
    ];
    expect(withOf(tasks)).toEqual({
      workflow: { project: 'etl', name: 'load' },
      params: {},
      over: [
        { name: 'region', values: '["eu","us"]' },
        { name: 'day', values: '${days}' },
        { name: 'n', values: '1,2' },
      ],
      without: ['eu', '1'],
      parallelism: 10,
      maxElements: 1_000,
      onFailure: 'continue',
    });
  });
});
