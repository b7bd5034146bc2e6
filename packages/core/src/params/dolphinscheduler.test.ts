/** The recorded behaviour of DolphinScheduler's parameters, case by case, and where ours differs on purpose. */
import { casesOf, notUnderstood, says, wordsOf } from '@orrery/testkit/cases/recorded';
import { describe, expect, it } from 'vitest';
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
  readonly id: string;
  readonly input: Input;
  readonly expect: Expected;
  readonly timezone?: string;
}

const cases = <Input, Expected>(suite: string) => casesOf(suite) as unknown as Case<Input, Expected>[];

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

  // A tag that joins a task and its key, and its reverse, are of a table of results, which is not here.
  const cached = casesOf('task-cache').filter((one) => !says(one, 'tag', 'revert'));
  it.each(cached)('$id', ({ input, expect: expected }) => {
    const { script, ask, change } = wordsOf<{ script?: string; ask?: string; change?: string }>(input, [
      ...['script', 'ask', 'change'],
    ]);
    if (script !== undefined && ask === 'variables read') expect(references(script)).toEqual(expected);
    else if (change !== undefined) {
      const { keyChanges } = wordsOf<{ keyChanges: boolean }>(expected, ['keyChanges']);
      expect(keyAfter(change) !== keyAfter('nothing')).toBe(keyChanges);
    } else throw notUnderstood(input);
  });

  /** The key of the result of a task that reads `c` and `d`, after a change. */
  function keyAfter(change: string): string {
    const changes = {
      nothing: {},
      'a parameter the task reads': { c: 'changed' },
      'a parameter the task does not read': { unread: 'changed' },
      'the version of the task': { version: 2 },
      'the task': { task: 'other' },
    } as const;
    if (!Object.hasOwn(changes, change)) throw notUnderstood(change);
    const {
      version = 1,
      task = 't',
      ...values
    } = changes[change as keyof typeof changes] as {
      readonly version?: number;
      readonly task?: string;
    };
    const given: Values = { c: '1', d: '2', unread: '3', ...values };
    const templates = ['echo ${c}\necho ${d}'];
    return cacheInputText({
      project: 'p',
      workflow: 'w',
      task,
      version,
      templates,
      value: (name) => given[name],
    });
  }
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

  it.each(casesOf('params').filter((one) => says(one, 'taskInstanceId')))(
    '$id: ids and codes are built in',
    (one) => {
      interface Ids {
        taskInstanceId: number;
        executePath: string;
        workflowInstanceId: number;
        projectCode: number;
        taskCode: number;
        workflowCode: number;
      }
      const { input, expect: expected } = one as unknown as Case<Ids, Values>;
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
    },
  );

  it.each(cases<{ template: string; scheduleTime: string }, string>('builtin-params'))(
    '$id: $input.template',
    ({ input, expect: expected }) => {
      const time = { businessTime: at(input.scheduleTime), zone: shanghai };
      const builtin = builtinParameters(time);
      expect(expand(input.template, { value: (name) => builtin[name], ...time })).toBe(expected);
    },
  );

  it('param-priority: startup, local, upstream, global, project', () => {
    const [{ expect: order }] = casesOf('param-priority').filter((one) =>
      says(one, 'sources'),
    ) as unknown as {
      expect: string[];
    }[];
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
      expect(resolveParameters(given, options).get('name')).toMatchObject({
        value: sources[i],
        source: sources[i],
      });
    }
  });

  it.each(
    cases<{ upstream?: { value: string; endTime?: string }[] }, string>('param-priority').filter(
      ({ input }) => input.upstream,
    ),
  )(
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

  it.each(casesOf('issue-derived').filter((one) => says(one, 'python')))(
    '$id',
    ({ input, expect: expected }) => {
      const said = wordsOf<{ python: string }>(input, ['python']).python;
      const [, name, part] =
        /^print\('\$\{setValue\((\w+)=%s\)\}'\) with a value that contains (\S+)$/.exec(said) ?? [];
      if (name === undefined) throw notUnderstood(said);
      expect(expected).toEqual({ [name]: 'whole value' });
      const collector = new OutputCollector();
      const value = `before${part}after`;
      collector.feed(`\${setValue(${name}=${value})}`);
      expect(collector.finish()).toEqual({ [name]: value });
    },
  );

  // A pool that is none at all cannot be given here.
  const pools = casesOf('var-pool').filter(({ input }) => input.pools !== null && input.pool !== null);
  it.each(pools)('$id', ({ input, expect: expected }) => {
    type Pool = Record<string, string>;
    const { op, ...given } = wordsOf<{ op: string; pools: Pool[]; pool: Pool; minus: Pool[] }>(input, [
      ...['op', 'pools', 'pool', 'minus'],
    ]);
    if (op === 'merge') expect(mergePools(given.pools)).toEqual(expected);
    else if (op === 'subtract') expect(subtractPools(given.pool, given.minus)).toEqual(expected);
    else throw notUnderstood(op);
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
