import { casesOf, notUnderstood, wordsOf } from '@orrery/testkit/cases/recorded';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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

/** A schedule, its start and whether it is on are one object here. */
describe('the recorded workflow files (yaml-define)', () => {
  it.each(casesOf('yaml-define'))('$id has the same edges', ({ input, expect: expected }) => {
    const { yaml } = wordsOf<{ yaml: string }>(input, ['yaml']);
    const { file, schedule } = fileOf(yaml);
    const { tasks, schedules } = accept(file);
    expect({ edges: tasks.flatMap(({ name, needs }) => needs.map((need) => [need, name])) }).toEqual(
      expected,
    );
    expect(schedules).toMatchObject(schedule);
  });

  /** `workflow: {name: a, schedule: …}; tasks: b; c deps [b]; all Shell` in the keys of a file of ours. */
  function fileOf(yaml: string) {
    const [, head, list] = /^workflow: \{(.*)\}; tasks: (.*); all Shell$/.exec(yaml) ?? [];
    if (head === undefined || list === undefined) throw notUnderstood(yaml);
    const words = Object.fromEntries(
      [...head.matchAll(/(\w+): (?:'([^']*)'|([^,]*))/g)].map(([, key, quoted, bare]) => [
        key,
        quoted ?? bare,
      ]),
    );
    interface Head {
      readonly name: string;
      readonly schedule?: string;
      readonly start_time?: string;
      readonly release_state?: string;
      readonly run?: string;
    }
    const known = ['name', 'schedule', 'start_time', 'release_state', 'run'];
    const {
      name,
      schedule: cron,
      start_time: from,
      release_state: state = 'online',
    } = wordsOf<Head>(words, known);
    if (state !== 'online' && state !== 'offline') throw notUnderstood(state);
    const enabled = state === 'online';
    const tasks = list.split('; ').map((task) => {
      const [, of, deps] = /^(\w+)(?: deps \[(.*)\])?$/.exec(task) ?? [];
      if (of === undefined) throw notUnderstood(task);
      return shell(of, deps === undefined ? {} : { needs: deps.split(', ') });
    });
    return {
      file: { name, tasks, ...(cron !== undefined && { schedule: { cron, from, enabled } }) },
      schedule:
        cron === undefined ? [] : [{ cron, enabled, ...(from && { from: Date.parse(`${from}T00:00:00Z`) }) }],
    };
  }
});
