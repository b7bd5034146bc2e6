/** The recorded behaviour of DolphinScheduler's parameters, case by case, and where ours differs on purpose. */
import { describe, expect, it } from 'vitest';
import recorded from '../../fixtures/dolphinscheduler-cases.json' with { type: 'json' };
import { fields, instant, zone } from '../time/zone.ts';
import {
  bindSql,
  builtinParameters,
  cacheInputText,
  expand,
  type JsonValue,
  mergePools,
  OutputCollector,
  references,
  resolveParameters,
  subtractPools,
  timePlaceholder,
  type UpstreamOutput,
  type Values,
} from './index.ts';

interface Case<Input, Expected> {
  id: string;
  input: Input;
  expect: Expected;
  timezone?: string;
}

function cases<Input, Expected>(suite: string): Case<Input, Expected>[] {
  const found = recorded.suites.find(({ id }) => id === suite);
  if (!found) throw new Error(`no suite ${suite}`);
  return found.cases as unknown as Case<Input, Expected>[];
}

const shanghai = zone('Asia/Shanghai');

function at(text: string, inZone = shanghai): number {
  return instant(fields(Date.parse(`${text.replace(' ', 'T')}Z`)), inZone);
}

const options = { businessTime: at('2022-08-26 01:02:03'), zone: shanghai };

describe('time placeholders', () => {
  interface Template {
    template: string;
    businessTime: string;
  }
  const suites = ['time-func', 'time-func-docs', 'time-arith', 'time-legacy'];
  it.each(
    suites.flatMap((suite) => cases<Template, string>(suite)).filter(({ input }) => 'template' in input),
  )('$id: $input.template -> $expect', ({ input, expect: expected, timezone }) => {
    const inZone = zone(timezone ?? 'Asia/Shanghai');
    const businessTime = at(input.businessTime, inZone);
    expect(expand(input.template, { value: () => undefined, businessTime, zone: inZone })).toBe(expected);
  });

  it('refuses an offset after a function', () => {
    expect(() => timePlaceholder('week_last_day(yyyy-MM-dd,0) - 1', 0, shanghai)).toThrow(
      'unsupported time placeholder "$[week_last_day(yyyy-MM-dd,0) - 1]"',
    );
  });
});

describe('templates', () => {
  interface Input {
    template?: string;
    params?: Values;
  }
  // handleEscapes doubles slashes before % for the console of another product: no part of ours.
  it.each(cases<Input, string>('placeholder-misc').filter(({ input }) => input.template !== undefined))(
    '$id: $input.template',
    ({ input, expect: expected }) => {
      const params = resolveParameters({ global: input.params }, options);
      expect(expand(input.template!, { value: (name) => params.get(name)?.value, ...options })).toBe(
        expected,
      );
    },
  );

  it('lists the variables that a script reads', () => {
    const found = cases<{ script?: string }, string[]>('task-cache').find(({ input }) => input.script)!;
    expect(references(found.input.script!)).toEqual(found.expect);
  });

  it('changes the key of a cached result when a parameter that the task reads changes', () => {
    const key = (c: string, unread: string) =>
      cacheInputText({
        project: 'p',
        workflow: 'w',
        task: 't',
        version: 1,
        templates: ['echo ${c}\necho ${d}'],
        value: (name) => ({ c, unread })[name],
      });
    expect(key('1', 'x')).toBe(key('1', 'y'));
    expect(key('1', 'x')).not.toBe(key('2', 'x'));
  });
});

describe('parameters', () => {
  it.each(
    cases<{ commandParam?: { StartParams?: Values } }, Values>('params').filter(
      ({ input }) => input.commandParam,
    ),
  )('$id: only the startup section of a command holds parameters', ({ input, expect: expected }) => {
    const resolved = resolveParameters({ startup: input.commandParam?.StartParams }, options);
    expect(Object.fromEntries([...resolved].map(([name, { value }]) => [name, value]))).toEqual(expected);
  });

  it('params-05: ids and codes are built in', () => {
    interface Ids {
      taskInstanceId: number;
      executePath: string;
      workflowInstanceId: number;
      projectCode: number;
      taskCode: number;
      workflowCode: number;
    }
    const { input, expect: expected } = cases<Ids, Values>('params').find(({ id }) => id === 'params-05')!;
    expect(
      builtinParameters({
        ...options,
        taskRunId: String(input.taskInstanceId),
        executePath: input.executePath,
        runId: String(input.workflowInstanceId),
        projectCode: String(input.projectCode),
        taskCode: String(input.taskCode),
        workflowCode: String(input.workflowCode),
      }),
    ).toMatchObject(expected);
  });

  it.each(cases<{ template: string; scheduleTime: string }, string>('builtin-params'))(
    '$id: $input.template',
    ({ input, expect: expected }) => {
      const time = { businessTime: at(input.scheduleTime), zone: shanghai };
      const builtin = builtinParameters(time);
      expect(expand(input.template, { value: (name) => builtin[name], ...time })).toBe(expected);
    },
  );

  it('param-priority-01: startup, local, upstream, global, project', () => {
    const order = cases<unknown, string[]>('param-priority')[0].expect;
    const sources = ['startup', 'local', 'upstream', 'global', 'project'];
    expect(order.map((name) => name.split(' ')[0])).toEqual(sources);
    for (let i = 0; i < sources.length; i++) {
      const given = Object.fromEntries(
        sources
          .slice(i)
          .map((source) => [
            source,
            source === 'upstream' ? [{ endedAt: 0, values: { name: source } }] : { name: source },
          ]),
      );
      expect(resolveParameters(given, options).get('name')).toEqual({
        value: sources[i],
        source: sources[i],
      });
    }
  });

  it.each(cases<{ upstream?: { value: string; endTime?: string }[] }, string>('param-priority').slice(1))(
    '$id: among predecessors a value that is not empty, then the first to finish',
    ({ input, expect: expected }) => {
      const upstream = input.upstream!.map(
        ({ value, endTime = '00:00:00' }): UpstreamOutput => ({
          endedAt: Date.parse(`1970-01-01T${endTime}Z`),
          values: { name: value },
        }),
      );
      for (const order of [upstream, upstream.toReversed()]) {
        expect(resolveParameters({ upstream: order }, options).get('name')?.value).toBe(expected);
      }
    },
  );
});

describe('outputs', () => {
  it.each(cases<{ lines: string[]; maxRows?: number }, Values>('set-value'))(
    '$id',
    ({ input, expect: expected }) => {
      const collector = new OutputCollector(input.maxRows === undefined ? {} : { rows: input.maxRows });
      for (const line of input.lines) collector.feed(line);
      expect(collector.finish()).toEqual(expected);
    },
  );

  it('var-pool: merges pools, later ones override', () => {
    const { input, expect: expected } = cases<{ pools: Record<string, string>[] }, Values>('var-pool')[1];
    expect(mergePools(input.pools)).toEqual(expected);
  });

  it('var-pool: subtracts pools by name', () => {
    interface Subtraction {
      pool: Record<string, string>;
      minus: Record<string, string>[];
    }
    const { input, expect: expected } = cases<Subtraction, Values>('var-pool')[3];
    expect(subtractPools(input.pool, input.minus)).toEqual(expected);
  });
});

describe('SQL', () => {
  interface Statement {
    sql: string;
    params?: Record<string, unknown> | Record<string, unknown>[];
  }
  interface Bound {
    prepared: string;
    binds?: unknown[];
    bindCount?: number;
  }
  it.each([...cases<Statement, Bound>('sql-params'), ...cases<Statement, Bound>('sql-list')])(
    '$id: $expect.prepared',
    ({ input, expect: expected }) => {
      const params = new Map(
        [input.params ?? {}].flat().flatMap((values) => Object.entries(values)),
      ) as ReadonlyMap<string, JsonValue | { type: 'LIST'; value: JsonValue[] }>;
      const bound = bindSql(input.sql, {
        ...options,
        value: (name) => {
          const value = params.get(name);
          const list = value !== null && typeof value === 'object' && 'value' in value;
          return (list ? value.value : value) as JsonValue | undefined;
        },
      });
      expect(bound.text).toBe(expected.prepared);
      if (expected.binds) expect(bound.values).toEqual(expected.binds);
      if (expected.bindCount) expect(bound.values).toHaveLength(expected.bindCount);
    },
  );
});
