import { execFileSync } from 'node:child_process';
import { parseWorkflowFile } from '@orrery/core/model';
import { OutputCollector } from '@orrery/core/params';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { importDolphinScheduler } from './dolphinscheduler.ts';

const taskBase = {
  version: 1,
  description: '',
  flag: 'YES',
  isCache: 'NO',
  taskPriority: 'MEDIUM',
  workerGroup: 'default',
  environmentCode: -1,
  failRetryTimes: 0,
  failRetryInterval: 1,
  timeoutFlag: 'CLOSE',
  timeoutNotifyStrategy: null,
  timeout: 0,
  delayTime: 0,
  taskGroupId: 0,
  taskGroupPriority: 0,
  cpuQuota: -1,
  memoryMax: -1,
};

function task(code: number, name: string, taskType: string, taskParams: unknown, more: object = {}) {
  return { ...taskBase, code, name, taskType, taskParams, ...more };
}

const shell = (code: number, name: string, more: object = {}) =>
  task(code, name, 'SHELL', { localParams: [], rawScript: `echo ${name}`, resourceList: [] }, more);

interface Parts {
  definition?: object;
  edges?: readonly (readonly [number, number])[];
  schedule?: object;
}

/** One workflow as versions from 3.3 on write it. */
function exported(code: number, name: string, tasks: readonly object[], parts: Parts = {}) {
  return {
    workflowDefinition: {
      code,
      name,
      globalParams: '[]',
      timeout: 0,
      executionType: 'PARALLEL',
      ...parts.definition,
    },
    workflowTaskRelationList: (parts.edges ?? []).map(([preTaskCode, postTaskCode]) => ({
      preTaskCode,
      postTaskCode,
    })),
    taskDefinitionList: tasks,
    schedule: parts.schedule ?? null,
  };
}

const read = (...workflows: object[]) => importDolphinScheduler(JSON.stringify(workflows));

describe('an export of DolphinScheduler', () => {
  it('keeps tasks, edges, retries, limits, delays and groups', () => {
    const { workflows, notes } = read(
      exported(
        1,
        'etl',
        [
          shell(10, 'a'),
          shell(11, 'b', {
            failRetryTimes: 3,
            failRetryInterval: 2,
            timeoutFlag: 'OPEN',
            timeoutNotifyStrategy: 'WARNFAILED',
            timeout: 30,
            delayTime: 5,
            taskPriority: 'HIGHEST',
            workerGroup: 'gpu',
            flag: 'NO',
            taskGroupId: 4,
            taskGroupPriority: 2,
          }),
        ],
        {
          edges: [
            [0, 10],
            [10, 11],
          ],
        },
      ),
    );
    expect(workflows[0].tasks).toEqual([
      { name: 'a', type: 'shell', with: { script: 'echo a', shell: '/bin/bash' } },
      {
        name: 'b',
        type: 'shell',
        with: { script: 'echo b', shell: '/bin/bash' },
        needs: ['a'],
        retries: { limit: 3, delay: '2m' },
        timeout: { after: '30m', action: 'both' },
        delay: '5m',
        priority: 'highest',
        workerGroup: 'gpu',
        group: { name: 'group-4', priority: 2 },
        disabled: true,
      },
    ]);
    expect(notes).toEqual([expect.objectContaining({ workflow: 'etl', task: 'b', kind: 'changed' })]);
  });

  it('keeps parameters, mode, limit of time and schedule', () => {
    const globalParams = [
      { prop: 'day', direct: 'IN', type: 'VARCHAR', value: '$[yyyyMMdd-1]' },
      { prop: 'rows', direct: 'OUT', type: 'INTEGER', value: '0' },
    ];
    const { workflows, notes } = read(
      exported(1, 'etl', [shell(10, 'a')], {
        definition: {
          globalParams: JSON.stringify(globalParams),
          timeout: 90,
          executionType: 'SERIAL_WAIT',
          description: 'Orders',
        },
        schedule: {
          crontab: '0 0 2 * * ? *',
          timezoneId: 'Asia/Shanghai',
          startTime: '2026-01-01 00:00:00',
          endTime: '2126-01-01 00:00:00',
          failureStrategy: 'END',
          warningType: 'FAILURE',
          releaseState: 'ONLINE',
          workflowInstancePriority: 'HIGH',
          workerGroup: 'default',
          tenantCode: 'default',
        },
      }),
    );
    expect(workflows[0]).toMatchObject({
      description: 'Orders',
      mode: 'serial-wait',
      onFailure: 'end',
      timeout: { after: '90m', action: 'warn' },
      params: { day: '$[yyyyMMdd-1]', rows: { type: 'integer', default: '0', output: true } },
      schedule: {
        cron: '0 0 2 * * ? *',
        timezone: 'Asia/Shanghai',
        from: '2026-01-01 00:00:00',
        priority: 'high',
        enabled: true,
      },
    });
    expect(notes.map(({ message }) => message)).toEqual([
      'sent alerts when it ended (FAILURE); give the lists of alert groups too, or set up an alert rule',
    ]);
  });

  it('keeps every logic task, under the new names of what it refers to', () => {
    const when = [{ relation: 'OR', dependItemList: [{ depTaskCode: 10, status: 'FAILURE' }] }];
    const { workflows, notes } = read(
      exported(
        1,
        'main',
        [
          shell(10, 'first step'),
          task(11, 'sub', 'SUB_WORKFLOW', { workflowDefinitionCode: 2 }),
          task(12, 'wait', 'DEPENDENT', {
            dependence: {
              relation: 'AND',
              failurePolicy: 'DEPENDENT_FAILURE_WAITING',
              failureWaitingTime: 30,
              dependTaskList: [
                {
                  relation: 'OR',
                  dependItemList: [
                    {
                      projectCode: 9,
                      definitionCode: 2,
                      depTaskCode: 0,
                      cycle: 'day',
                      dateValue: 'last1Days',
                    },
                    { projectCode: 9, definitionCode: 2, depTaskCode: 20, cycle: 'day', dateValue: 'today' },
                  ],
                },
              ],
            },
          }),
          task(13, 'if', 'CONDITIONS', {
            dependence: { relation: 'AND', dependTaskList: when },
            conditionResult: { successNode: [14], failedNode: [15] },
          }),
          task(14, 'choose', 'SWITCH', {
            switchResult: {
              dependTaskList: [{ condition: '"${region}" == "eu" && ${rows} > 3', nextNode: 15 }],
              nextNode: 16,
            },
          }),
          shell(15, 'x'),
          task(16, 'each', 'DYNAMIC', {
            workflowDefinitionCode: 2,
            maxNumOfSubWorkflowInstances: 100,
            degreeOfParallelism: 4,
            filterCondition: 'b',
            listParameters: [{ name: 'letter', value: 'a, b, c', separator: ',' }],
          }),
        ],
        {
          definition: {
            globalParams: [
              { prop: 'region', type: 'VARCHAR', value: 'eu' },
              { prop: 'rows', type: 'INTEGER', value: '1' },
            ],
          },
          edges: [
            [10, 13],
            [13, 14],
            [13, 15],
            [14, 15],
            [14, 16],
          ],
        },
      ),
      exported(2, 'child', [shell(20, 'y')]),
    );
    const settings = Object.fromEntries(workflows[0].tasks.map(({ name, with: given }) => [name, given]));
    expect(settings).toMatchObject({
      sub: { workflow: 'child' },
      wait: {
        all: [
          {
            any: [
              { workflow: 'child', window: 'last1Days', onFailure: 'wait', for: '30m' },
              { workflow: 'child', task: 'y', window: 'today', onFailure: 'wait', for: '30m' },
            ],
          },
        ],
      },
      if: { all: [{ any: [{ task: 'first-step', is: 'failed' }] }], success: ['choose'], failure: ['x'] },
      choose: { cases: [{ when: '${region} == "eu" && ${rows} > 3', to: ['x'] }], default: ['each'] },
      each: {
        workflow: 'child',
        over: { letter: ['a', 'b', 'c'] },
        without: ['b'],
        parallelism: 4,
        maxElements: 100,
      },
    });
    expect(notes).toEqual([
      { workflow: 'main', task: 'first-step', kind: 'changed', message: 'was called "first step"' },
      {
        workflow: 'child',
        kind: 'changed',
        message:
          'is given "region", "rows", "letter" by the workflows that start it; declared without a value',
      },
    ]);
    for (const workflow of workflows) expect(parseWorkflowFile(stringify(workflow)).problems).toEqual([]);
  });

  it('keeps requests, and says where more than the status decided', () => {
    const { workflows, notes } = read(
      exported(1, 'w', [
        task(10, 'ask', 'HTTP', {
          url: 'https://example.org/${day}',
          httpMethod: 'POST',
          httpParams: [
            { prop: 'page', httpParametersType: 'PARAMETER', value: '1' },
            { prop: 'accept', httpParametersType: 'HEADERS', value: 'text/plain' },
          ],
          httpBody: '{}',
          httpCheckCondition: 'STATUS_CODE_CUSTOM',
          condition: '201',
          connectTimeout: 3000,
        }),
        task(11, 'look', 'HTTP', {
          url: 'https://example.org',
          httpMethod: 'GET',
          httpParams: [],
          httpCheckCondition: 'BODY_CONTAINS',
          condition: 'ok',
        }),
      ]),
    );
    expect(workflows[0].tasks.map(({ type, with: given }) => ({ type, given }))).toEqual([
      {
        type: 'http',
        given: {
          url: 'https://example.org/${day}',
          method: 'POST',
          headers: { accept: 'text/plain' },
          query: { page: '1' },
          body: '{}',
          status: 201,
          connectTimeout: 3000,
        },
      },
      { type: 'http', given: { url: 'https://example.org' } },
    ]);
    expect(notes).toMatchObject([{ task: 'look', kind: 'left-out' }]);
  });

  it('reads the names of versions before 3.3, and settings written as text', () => {
    const { workflows } = read({
      processDefinition: { code: 1, name: 'old', globalParams: '[]', timeout: 0 },
      processTaskRelationList: [{ preTaskCode: 10, postTaskCode: 11 }],
      taskDefinitionList: [
        task(
          10,
          'a',
          'SHELL',
          JSON.stringify({ rawScript: 'true', localParams: [{ prop: 'k', direct: 'IN', value: 'v' }] }),
        ),
        task(11, 'b', 'SUB_PROCESS', { processDefinitionCode: 1 }),
      ],
      schedule: null,
    });
    expect(workflows[0].tasks).toMatchObject([
      { name: 'a', params: { k: 'v' } },
      { name: 'b', needs: ['a'], type: 'sub-workflow', with: { workflow: 'old' } },
    ]);
  });

  it('puts a failing task where there is no such type, with what it said', () => {
    const { workflows, notes } = read(
      exported(1, 'w', [task(10, 'q', 'SQL', { type: 'MYSQL', sql: 'select 1' }, { description: 'Counts' })]),
    );
    const [{ type, with: given, description }] = workflows[0].tasks;
    expect({ type, given, description }).toEqual({
      type: 'shell',
      given: { script: "echo 'this was a task of type SQL, which has to be replaced' >&2\nexit 1\n" },
      description: 'Counts\n\nWas a task of type SQL: {"type":"MYSQL","sql":"select 1"}',
    });
    expect(notes).toMatchObject([{ task: 'q', kind: 'left-out' }]);
  });

  it('says everything that is left out', () => {
    const params = { rawScript: 'true', resourceList: [{ resourceName: 'lib.jar' }] };
    const { notes } = read(
      exported(1, 'w', [
        task(10, 'a', 'SHELL', params, { isCache: 'YES', environmentCode: 7, cpuQuota: 50 }),
        task(11, 'b', 'SUB_WORKFLOW', { workflowDefinitionCode: 99 }),
        task(12, 'c', 'SWITCH', {
          switchResult: { dependTaskList: [{ condition: 'new Date() > 3', nextNode: 10 }] },
        }),
      ]),
    );
    expect(notes.map(({ task, kind }) => [task, kind])).toEqual([
      ['a', 'left-out'],
      ['a', 'left-out'],
      ['a', 'left-out'],
      ['a', 'left-out'],
      ['b', 'left-out'],
      ['c', 'left-out'],
    ]);
  });

  const local = (prop: string, direct: string, value = '') => ({ prop, direct, type: 'VARCHAR', value });
  const script = (code: number, name: string, rawScript: string, ...localParams: object[]) =>
    task(code, name, 'SHELL', { rawScript, localParams, resourceList: [] });
  const messages = (notes: readonly { task?: string; message: string }[]) =>
    notes.map(({ task, message }) => `${task ?? ''}: ${message}`);

  it('leaves an empty parameter to the output of its name, where a task before it has one', () => {
    const { workflows, notes } = read(
      exported(
        1,
        'w',
        [
          script(10, 'make', "echo '${setValue(rows=7)}'", local('rows', 'OUT')),
          script(11, 'between', 'true'),
          script(12, 'use', 'echo ${rows} ${other}', local('rows', 'IN'), local('other', 'IN')),
        ],
        {
          edges: [
            [10, 11],
            [11, 12],
          ],
        },
      ),
    );
    expect(workflows[0].tasks[2].params).toEqual({ other: '' });
    expect(workflows[0].tasks[0].with).toMatchObject({
      script: "echo '#{setValue(rows=)}'\necho '${setValue(rows=7)}'",
    });
    expect(messages(notes)).toEqual([
      'make: hands on "rows" as "" unless its script prints another value',
      'use: "rows" is empty there and filled by "make"; here it is the output of that name',
    ]);
  });

  it('pastes values only where no variable can take their place, and says so', () => {
    const { workflows, notes } = read(
      exported(1, 'w', [
        script(10, 'a', `echo "\${day}" '\${day} \${HOME}'`, local('day', 'IN', '1')),
        task(11, 'b', 'PYTHON', { rawScript: 'print("${n}")', localParams: [local('n', 'IN', '3')] }),
      ]),
    );
    const scripts = workflows[0].tasks.map(({ with: given }) => (given as { script: string }).script);
    expect(scripts).toEqual([`echo "\${day}" '\${day:raw} \${HOME}'`, 'print("${n:raw}")']);
    expect(messages(notes).filter((message) => message.includes(':raw'))).toEqual([
      expect.stringMatching(/^a: pastes \$\{day:raw\} into its script/),
      expect.stringMatching(/^b: pastes \$\{n:raw\} into its script/),
    ]);
  });

  it('hands on the value beside an output, unless the script prints another', () => {
    const { workflows, notes } = read(
      exported(1, 'w', [
        script(10, 'a', 'true', local('place', 'OUT', "it's here"), local('time', 'OUT', '$[yyyy]')),
        task(11, 'b', 'PYTHON', { rawScript: 'pass', localParams: [local('n', 'OUT', '3')] }),
        script(12, 'c', 'true', local('unread', 'OUT')),
      ]),
    );
    const scripts = workflows[0].tasks.map(({ with: given }) => (given as { script: string }).script);
    expect(scripts).toEqual(["echo '#{setValue(place=it'\\''s here)}'\ntrue", 'pass', 'true']);
    expect(messages(notes)).toEqual([
      'a: hands on "place" as "it\'s here" unless its script prints another value',
      'a: handed on "time" as "$[yyyy]" unless it printed another value; here it has to print it',
      'b: is a shell task that runs python3',
      'b: handed on "n" as "3" unless it printed another value; here it has to print it',
    ]);
    const collector = new OutputCollector();
    for (const line of execFileSync('bash', ['-c', scripts[0]], { encoding: 'utf8' }).split('\n'))
      collector.feed(line);
    expect(collector.finish()).toEqual({ place: "it's here" });
  });

  it('gives children the parameters and outputs of their parent, at any depth', () => {
    const { workflows, notes } = read(
      exported(
        1,
        'top',
        [
          script(10, 'make', "echo '${setValue(rows=7)}'", local('rows', 'OUT')),
          task(11, 'sub', 'SUB_WORKFLOW', { workflowDefinitionCode: 2 }),
          task(12, 'each', 'DYNAMIC', {
            workflowDefinitionCode: 3,
            listParameters: [{ name: 'day', value: 'a,b' }],
          }),
        ],
        {
          definition: { globalParams: [local('day', 'IN', '$[yyyyMMdd]'), local('empty', 'IN')] },
          edges: [[10, 11]],
        },
      ),
      exported(2, 'middle', [task(20, 'sub', 'SUB_WORKFLOW', { workflowDefinitionCode: 3 })], {
        definition: { globalParams: [local('own', 'IN', '1'), local('day', 'IN', 'never')] },
      }),
      exported(3, 'bottom', [script(30, 'use', 'echo ${rows}', local('x', 'IN', '${rows} ${own}'))]),
    );
    const passed = (name: string) => `\${${name}}`;
    const top = workflows[0].tasks.map(({ with: given }) => (given as { params?: object }).params);
    expect(top.slice(1)).toEqual([
      { day: passed('day'), empty: passed('empty'), rows: passed('rows') },
      { empty: passed('empty') },
    ]);
    expect(workflows[0].params).toEqual({ day: '$[yyyyMMdd]', empty: '' });
    expect(workflows[1].params).toEqual({ own: '1', day: 'never', empty: {}, rows: {} });
    expect(workflows[1].tasks[0].with).toEqual({
      workflow: 'bottom',
      params: { own: passed('own'), day: passed('day'), empty: passed('empty'), rows: passed('rows') },
    });
    expect(Object.keys(workflows[2].params ?? {}).toSorted()).toEqual(['day', 'empty', 'own', 'rows']);
    expect(messages(notes)).toContain(
      ': is given "empty", "rows" by the workflows that start it; declared without a value',
    );
    for (const workflow of workflows) expect(parseWorkflowFile(stringify(workflow)).problems).toEqual([]);
  });

  it('gives each task and workflow a name of its own', () => {
    const { workflows } = read(
      exported(1, '日报 (每天)', [shell(10, 'a b'), shell(11, 'a/b'), shell(12, 'a-b')]),
      exported(2, '日报-每天', [shell(20, 'a')]),
    );
    expect(workflows.map(({ name }) => name)).toEqual(['日报-每天', '日报-每天-2']);
    expect(workflows[0].tasks.map(({ name }) => name)).toEqual(['a-b', 'a-b-2', 'a-b-3']);
  });

  it.each([
    ['not json', 'this is not JSON'],
    ['[1]', 'this is not a workflow export of DolphinScheduler: 0: '],
    ['{"name":"w"}', '0: has neither "workflowDefinition" nor "processDefinition"'],
    [
      JSON.stringify([exported(1, 'w', [task(10, 'a', 'SHELL', {})])]),
      'task "a" has no settings of a SHELL task: rawScript',
    ],
    [JSON.stringify([exported(1, 'w', [task(10, 'a', 'SHELL', 'x')])]), 'is neither JSON nor text with JSON'],
  ])('refuses %s', (text, message) => {
    expect(() => importDolphinScheduler(text)).toThrow(message);
  });
});
