import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import recorded from '../../fixtures/dolphinscheduler-cases.json' with { type: 'json' };
import type { Workflow } from './types.ts';
import { parseWorkflow } from './validate.ts';

const shell = (name: string, more: object = {}) => ({ name, type: 'shell', ...more });

function accept(input: unknown): Workflow {
  const { workflow, problems } = parseWorkflow(input);
  expect(problems).toEqual([]);
  return workflow!;
}

describe('parameters that may have a value', () => {
  it.each([
    ['a declared one', { params: { n: 1, m: '${n}' }, tasks: [shell('a', { params: { x: '${m}' } })] }],
    ['a local one', { tasks: [shell('a', { params: { x: 1, y: '${x}' } })] }],
    ['a built-in one', { tasks: [shell('a', { params: { x: '${system.biz.date} ${orrery.run.id}' } })] }],
    [
      'one that a schedule gives',
      { schedule: { cron: '0 2 * * *', params: { n: 1 } }, tasks: [shell('a', { params: { x: '${n}' } })] },
    ],
    [
      'any, after another task',
      { tasks: [shell('a'), shell('b', { needs: 'a', params: { x: '${y}', z: '${z}' } })] },
    ],
    [
      'its own name, from a weaker source',
      { params: { n: 1 }, tasks: [shell('a', { params: { n: '${n}-x' } })] },
    ],
    ['what is no placeholder', { tasks: [shell('a', { params: { x: '\\${y} $[0] ${HOME:-x} $$ \\$[a' } })] }],
  ])('%s', (_, workflow) => {
    accept({ name: 'w', ...workflow });
  });

  it('one that comes from outside', () => {
    const input = { name: 'w', params: { n: '${n}' }, tasks: [shell('a', { params: { x: '${bucket}' } })] };
    expect(
      parseWorkflow(input, { surroundings: { params: { shared: ['bucket'], projects: { default: ['n'] } } } })
        .problems,
    ).toEqual([]);
  });
});

describe('anything at all', () => {
  it('gives a workflow or problems, and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { workflow, problems } = parseWorkflow(value);
        expect(workflow === undefined).toBe(problems.length > 0);
      }),
    );
  });

  it('that looks like a workflow gives a workflow or problems, and never throws', () => {
    const word = fc.constantFrom(
      'a',
      'b',
      'c',
      '${a}',
      '$[yyyy',
      '0=a',
      'x y',
      '',
      '__proto__',
      'constructor',
      'today',
      '1h',
    );
    const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        word,
        fc.constantFrom(null, true, -1, 0, 1.5, 2 ** 53, 'switch', 'conditions'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(
          fc.oneof(
            word,
            fc.constantFrom(
              'all',
              'any',
              'task',
              'is',
              'cases',
              'when',
              'to',
              'default',
              'success',
              'over',
              'workflow',
              'window',
              'count',
              'params',
              'type',
              'limit',
            ),
          ),
          tie('value'),
          { maxKeys: 4 },
        ),
      ),
    })).value;
    const record = (keys: Record<string, fc.Arbitrary<unknown>>) => fc.record(keys, { requiredKeys: [] });
    const task = record({
      name: fc.oneof(word, value),
      type: fc.oneof(
        fc.constantFrom('shell', 'switch', 'conditions', 'dependent', 'dynamic', 'sub-workflow'),
        value,
      ),
      needs: fc.oneof(word, fc.array(word), value),
      with: value,
      params: value,
      shards: value,
      retries: value,
      timeout: value,
      trigger: value,
    });
    const workflow = record({
      name: fc.oneof(word, value),
      tasks: fc.oneof(fc.array(fc.oneof(task, value)), value),
      params: value,
      schedule: value,
      schedules: value,
      timezone: value,
      mode: value,
      limit: value,
    });
    fc.assert(
      fc.property(workflow, (input) => {
        const { workflow, problems } = parseWorkflow(input);
        expect(workflow === undefined).toBe(problems.length > 0);
        for (const { message } of problems)
          expect(message).not.toMatch(/undefined|\[object|Invalid input|NaN/);
      }),
      { numRuns: 3_000 },
    );
  });

  it('with 100,000 tasks is read, and so are its mistakes', () => {
    const tasks = Array.from({ length: 100_000 }, (_, i) =>
      shell(`t${i}`, i > 0 ? { needs: [`t${i - 1}`] } : {}),
    );
    expect(accept({ name: 'w', tasks }).tasks).toHaveLength(100_000);
    tasks[0] = shell('t0', { needs: ['t99999'] });
    tasks[500] = shell('t500', { needs: ['t_499', 't499'] });
    expect(parseWorkflow({ name: 'w', tasks }).problems.map(({ code }) => code)).toEqual([
      'unknown-task',
      'cycle',
    ]);
  });
});

describe('the recorded workflow file (yaml-define)', () => {
  it('has the same edges; a schedule, its start and its on or off state are one object here', () => {
    const [{ expect: expected }] = recorded.suites.find(({ id }) => id === 'yaml-define')!
      .cases as unknown as { expect: { edges: [string, string][] } }[];
    const { tasks, schedules } = accept({
      name: 'tutorial',
      schedule: { cron: '0 0 0 * * ? *', from: '2021-01-01', enabled: false },
      tasks: [
        shell('task_parent'),
        shell('task_child_one', { needs: ['task_parent'] }),
        shell('task_child_two', { needs: ['task_parent'] }),
        shell('task_union', { needs: ['task_child_one', 'task_child_two'] }),
      ],
    });
    expect(tasks.flatMap(({ name, needs }) => needs.map((need) => [need, name]))).toEqual(expected.edges);
    expect(schedules).toMatchObject([{ cron: '0 0 0 * * ? *', from: Date.UTC(2021, 0, 1), enabled: false }]);
  });
});
