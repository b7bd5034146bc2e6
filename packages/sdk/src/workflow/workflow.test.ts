import { readFile } from 'node:fs/promises';
import { parseWorkflow, parseWorkflowFile, type WorkflowFile, workflowJsonSchema } from '@orrery/core/model';
import { type BuiltinFacts, builtinParameters } from '@orrery/core/params';
import { zone } from '@orrery/core/time';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { conditions, dependent, dynamic, subWorkflow, switchOn } from './logic-steps.ts';
import { builtins } from './references.ts';
import { node, noop, shell, taskType } from './step.ts';
import { type AnyWorkflow, isWorkflow, workflow } from './workflow.ts';

/** The workflow that the engine would get; fails with everything that is wrong. */
function read(written: AnyWorkflow | WorkflowFile) {
  const result = parseWorkflow(JSON.parse(JSON.stringify(written)));
  expect(result.problems).toEqual([]);
  return result.workflow;
}

const orders = workflow('etl/daily-orders', {
  description: 'Loads the orders of the day before',
  timezone: 'Asia/Shanghai',
  mode: 'serial-wait',
  timeout: '4h',
  params: {
    day: '$[yyyyMMdd-1]',
    region: { default: 'eu', options: ['eu', 'us', 'cn'], description: 'Where the orders come from' },
  },
  schedule: { cron: '0 0 2 * * ?', misfire: 'fire-all', exclude: { yearly: ['01-01'] } },
})
  .task('extract', ({ params }) => shell(`./extract.sh "${params.day}" "${params.region}"`), {
    retries: { limit: 3, delay: '30s', backoff: 2 },
    timeout: '1h',
  })
  .task('load', ({ params }) => shell(`./load.sh "${params.day}"`), {
    needs: 'extract',
    shards: '0=orders,1=items,2=refunds',
    group: 'warehouse',
  })
  .task('check', conditions({ all: ['load'] }), { needs: 'load' })
  .task('publish', ({ params }) => subWorkflow('reports/orders', { day: params.day }), {
    needs: 'check:success',
  })
  .task('clean-up', ({ params }) => shell(`./clean-up.sh "${params.day}"`), { needs: ['check:failure'] });

describe('a workflow in TypeScript', () => {
  it('is the same as the file of the reference page', async () => {
    const page = await readFile(
      new URL('../../../../docs/reference/workflow-file.md', import.meta.url),
      'utf8',
    );
    const file = [...page.matchAll(/```yaml\n(.*?)```/gs)].find(([, text]) => text.includes('daily-orders'));
    const { workflows, problems } = parseWorkflowFile(file?.[1] ?? '');
    expect(problems).toEqual([]);
    expect(read(orders)).toEqual(workflows[0]);
  });

  it('reads back the same from YAML', () => {
    const { workflows, problems } = parseWorkflowFile(stringify(orders.toJSON()));
    expect(problems).toEqual([]);
    expect(workflows).toEqual([read(orders)]);
  });

  it('can say everything that a file can', () => {
    const options = {
      description: 'x',
      tags: ['a'],
      priority: 'high',
      mode: 'parallel',
      limit: 3,
      onePerPeriod: true,
      onNoRoom: 'fail',
      onFailure: 'end',
      timeout: { after: '2h', action: 'warn' },
      workerGroup: 'gpu',
      environment: 'prod',
      tenant: 'me',
      timezone: 'UTC',
      params: { n: { type: 'integer', default: 1, output: true } },
      schedules: [{ name: 'often', every: '30m', params: { n: 2 }, enabled: false }],
      triggers: [{ after: 'etl/orders', params: { n: '3' } }],
      deadline: '08:00',
    } as const;
    const taskOptions = {
      description: 'y',
      params: { m: '${n}' },
      trigger: 'all-done',
      retries: 2,
      timeout: '10m',
      queueTimeout: '5m',
      onNoWorker: { fail: '10m' },
      delay: '1s',
      priority: 'low',
      workerGroup: 'cpu',
      environment: 'test',
      group: { name: 'db', priority: 2 },
      shards: 2,
      disabled: true,
      ignoreFailure: true,
      onLostContact: 'keep',
      resources: { cores: 2 },
    } as const;
    const lists = {
      callableFrom: ['q'],
      tags: ['a'],
      schedules: [...options.schedules],
      triggers: [...options.triggers],
    };
    const made = workflow('p/w', { ...options, ...lists })
      .task('a', noop({ sleep: 5 }))
      .task('b', node({ module: 'm.ts', export: 'run', args: { x: 1 } }), { ...taskOptions, needs: 'a' });
    expect(read(made)).toEqual(
      read({
        project: 'p',
        name: 'w',
        ...options,
        ...lists,
        tasks: [
          { name: 'a', type: 'noop', with: { sleep: 5 } },
          {
            name: 'b',
            type: 'node',
            needs: 'a',
            with: { module: 'm.ts', export: 'run', args: { x: 1 } },
            ...taskOptions,
          },
        ],
      }),
    );
    const schema = workflowJsonSchema() as { properties: Record<string, { items: { properties: object } }> };
    const { $schema: _, schedule: __, ...keys } = schema.properties;
    expect(Object.keys(made.toJSON()).sort()).toEqual(Object.keys(keys).sort());
    expect(Object.keys(made.toJSON().tasks[1]).sort()).toEqual(
      Object.keys(keys.tasks.items.properties).sort(),
    );
  });

  it('is in the project default unless it names one, and is known by its mark', () => {
    const made = workflow('hello').task('say', shell('echo hello'));
    expect(made.ref).toBe('default/hello');
    for (const name of ['a/b/c', '/b', 'a/', ''])
      expect(() => workflow(name)).toThrow('write name or project/name');
    expect(read(made)).toMatchObject({ project: 'default', name: 'hello' });
    expect([made, {}, null, 'x', undefined].map(isWorkflow)).toEqual([true, false, false, false, false]);
  });

  it('can be continued in two ways from one beginning', () => {
    const begun = workflow('x').task('a', noop());
    const one = begun.task('b', noop(), { needs: 'a' });
    const two = begun.task('c', noop(), { needs: 'a' }).task('b', noop(), { needs: 'c' });
    const names = (made: { toJSON(): WorkflowFile }) => made.toJSON().tasks.map(({ name }) => name);
    expect([begun, one, two].map(names)).toEqual([['a'], ['a', 'b'], ['a', 'c', 'b']]);
    expect(two.toJSON().tasks[2].needs).toEqual(['c']);
  });

  it('can be made in a loop', () => {
    let made = workflow('chain').task('t0', noop()).loose();
    for (let i = 1; i < 5_000; i++) made = made.task(`t${i}`, noop(), { needs: `t${i - 1}` });
    expect(read(made)?.tasks).toHaveLength(5_000);
  });
});

describe('references', () => {
  it('are the texts that the engine replaces', () => {
    const made = workflow('x', { params: { day: '1' } })
      .task('count', noop({ outputs: { rows: 1 } }), { outputs: ['rows', 'path'] })
      .task('between', noop(), { needs: 'count' })
      .task(
        'use',
        ({ params, outputs }) =>
          shell(`${params.day} ${params.target} ${params['orrery.run.id']} ${outputs.count.rows}`),
        { needs: 'between', params: { target: 'x' } },
      );
    expect(read(made)?.tasks[2].with).toEqual({ script: '${day} ${target} ${orrery.run.id} ${rows}' });
  });

  it('to nothing are refused also where no compiler looked', () => {
    const made = workflow('x', { params: { day: '1' } }).task('count', noop(), { outputs: ['rows'] });
    const loose = made.loose();
    expect(() => loose.task('b', ({ params }) => shell(params.dya))).toThrow(
      'there is no parameter "dya"; there is day, system.biz.date',
    );
    expect(() => loose.task('b', ({ outputs }) => shell(outputs.count.rows))).toThrow(
      'no task before b is called "count"; there is none',
    );
    expect(() => loose.task('b', ({ outputs }) => shell(outputs.count.row), { needs: 'count' })).toThrow(
      'count has no output "row"; there is rows',
    );
    expect(() => loose.task('b', noop(), { needs: 'cuont' })).toThrow('task b needs "cuont"');
    expect(() => loose.task('count', noop())).toThrow('there is a task "count" already');
    expect(() => loose.task('b', noop(), { needs: 'count:success' })).toThrow(
      'task b needs the branch "success" of count; it has none',
    );
    const branching = loose.task('s', switchOn({ big: '1 > 0' }));
    expect(() => branching.task('b', noop(), { needs: 's:bgi' })).toThrow('of s; there is big, default');
  });

  it('to an output that two tasks hand on, or that a parameter hides, are refused', () => {
    const made = workflow('x')
      .task('a', noop(), { outputs: ['rows'] })
      .task('b', noop(), { outputs: ['rows'] })
      .task('after', noop(), { needs: 'a', outputs: ['rows'] });
    expect(() => made.task('c', ({ outputs }) => shell(outputs.a.rows), { needs: ['a', 'b'] })).toThrow(
      'task c sees an output "rows" of a and of b; give them different names',
    );
    expect(() =>
      made.task('c', ({ outputs }) => shell(outputs.a.rows), { needs: 'a', params: { rows: '1' } }),
    ).toThrow('task c has a parameter "rows", which hides the output of a');
    // Along one path the later task wins, and the earlier one cannot be asked any more.
    expect(made.task('c', ({ outputs }) => shell(outputs.after.rows), { needs: 'after' }).ref).toBe(
      'default/x',
    );
    expect(() => made.task('c', ({ outputs }) => shell(outputs.a.rows), { needs: 'after' })).toThrow(
      'of a and of after',
    );
  });

  it('include every built-in parameter', () => {
    const names =
      'projectName projectCode workflowName workflowCode runId taskName taskCode taskRunId executePath';
    const facts = Object.fromEntries(names.split(' ').map((name) => [name, 'x']));
    const all = builtinParameters({ businessTime: 0, zone: zone('UTC'), ...facts } as BuiltinFacts);
    expect([...builtins].sort()).toEqual(Object.keys(all).sort());
  });
});

describe('steps of the master', () => {
  it('branch to the tasks that follow by each way', () => {
    const made = workflow('branches', { params: { size: 10 } })
      .task('count', shell('./count.sh'), { outputs: ['rows'] })
      .task('how-many', switchOn({ many: 'rows > 1000000', some: 'rows > 0' }), { needs: 'count' })
      .task('in-parts', shell('./parts.sh'), { needs: 'how-many:many' })
      .task('at-once', shell('./once.sh'), { needs: 'how-many:some' })
      .task('note', shell('./note.sh'), { needs: ['how-many:some', 'how-many:default'] })
      .task('judge', conditions({ any: [{ task: 'in-parts', is: 'failed' }, { all: ['at-once'] }] }), {
        needs: ['in-parts', 'at-once'],
      })
      .task('repair', shell('./repair.sh'), { needs: 'judge:success' });
    expect(
      read(made)
        ?.tasks.map(({ needs, with: settings }) => [needs, settings])
        .slice(1, 6),
    ).toMatchObject([
      [
        ['count'],
        {
          cases: [
            { when: 'rows > 1000000', to: ['in-parts'] },
            { when: 'rows > 0', to: ['at-once', 'note'] },
          ],
          default: ['note'],
        },
      ],
      [['how-many'], {}],
      [['how-many'], {}],
      [['how-many'], {}],
      [['in-parts', 'at-once'], { relation: 'any', success: ['repair'], failure: [] }],
    ]);
  });

  it('fail or go nowhere where no case is true, as asked', () => {
    const made = (step: ReturnType<typeof switchOn<'a'>>) =>
      workflow('x').task('s', step).task('t', noop(), { needs: 's:a' });
    expect(read(made(switchOn({ a: '1 > 0' })))?.tasks[0].with).not.toHaveProperty('default');
    expect(read(made(switchOn({ a: '1 > 0' }, { otherwise: 'nothing' })))?.tasks[0].with).toMatchObject({
      default: [],
    });
    expect(() => switchOn({ default: '1 > 0' })).toThrow('a case cannot be called "default"');
    expect(() => switchOn({ 1: '1 > 0' })).toThrow('a case cannot be called "1"');
  });

  it('wait for, start and fan out other workflows', () => {
    const child = workflow('etl/copy-table', {
      params: { table: { required: true }, region: 'eu', target: { options: ['archive', 'live'] } },
    }).task('copy', noop());
    const made = workflow('x')
      .task('wait', dependent({ all: [{ workflow: 'etl/orders', window: 'today' }] }))
      .task('one', subWorkflow(child, { table: 'orders', target: 'archive' }), { needs: 'wait' })
      .task('bare', subWorkflow('other'), { needs: 'wait' })
      .task('each', dynamic(child, { over: { region: ['eu', 'us'], table: '${tables}' }, parallelism: 4 }), {
        needs: 'one',
      });
    expect(read(made)?.tasks.map(({ with: settings }) => settings)).toMatchObject([
      { relation: 'all' },
      { workflow: { project: 'etl', name: 'copy-table' }, params: { table: 'orders', target: 'archive' } },
      { workflow: { name: 'other' }, params: {} },
      { workflow: { project: 'etl', name: 'copy-table' }, over: [{ name: 'region' }, { name: 'table' }] },
    ]);
  });

  it('of a plugin are declared by name', () => {
    const countLines = taskType<{ file: string; containing?: string }>('count-lines');
    const made = workflow('x').task('count', countLines({ file: 'a.csv' }));
    expect(made.toJSON().tasks).toEqual([{ name: 'count', type: 'count-lines', with: { file: 'a.csv' } }]);
  });
});
