/** The recorded behaviour of DolphinScheduler's parameters, case by case, and where ours differs on purpose. */
import { casesOf, notUnderstood, says, wordsOf } from '@orrery/testkit/cases/recorded';
import { type RunWorld, started } from '@orrery/testkit/run-world';
import { task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import { fields, instant, zone } from '../time/zone.ts';
import {
  bindSql,
  builtinParameters,
  expand,
  type JsonValue,
  OutputCollector,
  references,
  resolveParameters,
  timePlaceholder,
  type UpstreamOutput,
  type Values,
} from './index.ts';

const shanghai = zone('Asia/Shanghai');

function at(text: string, inZone = shanghai): number {
  return instant(fields(Date.parse(`${text.replace(' ', 'T')}Z`)), inZone);
}

const options = { businessTime: at('2022-08-26 01:02:03'), zone: shanghai };

describe('time placeholders', () => {
  interface Template {
    readonly template: string;
    readonly businessTime: string;
  }
  const suites = ['time-func', 'time-func-docs', 'time-arith', 'time-legacy'].flatMap(casesOf);
  it.each(suites.filter((one) => !says(one, 'expression')))(
    '$id: $input.template -> $expect',
    ({ input, expect: expected, timezone }) => {
      const said = wordsOf<Template>(input, ['template', 'businessTime']);
      const inZone = zone(timezone ?? 'Asia/Shanghai');
      const businessTime = at(said.businessTime, inZone);
      expect(expand(said.template, { value: () => undefined, businessTime, zone: inZone })).toBe(expected);
    },
  );

  it.each(suites.filter((one) => says(one, 'expression')))('$id: refused', (one) => {
    // It is the evaluator that is called, whatever its name there.
    const { expression } = wordsOf<{ expression: string }>(one.input, ['expression', 'businessTime', 'api']);
    const { error } = wordsOf<{ error: string }>(one.expect, ['error']);
    expect(error).toContain(expression);
    const [, inner] = /^\$\[(.*)\]$/.exec(expression) ?? [];
    if (inner === undefined) throw notUnderstood(expression);
    expect(() => timePlaceholder(inner, 0, shanghai)).toThrow(`unsupported time placeholder "${expression}"`);
  });
});

describe('templates', () => {
  interface Input {
    readonly template: string | null;
    readonly params?: Values | null;
  }
  // handleEscapes doubles slashes before % for the console of another product: no part of ours.
  const misc = casesOf('placeholder-misc').filter(({ input }) => input.fn !== 'handleEscapes');
  it.each(misc)('$id: $input.template', ({ input, expect: expected }) => {
    const { template, params: global } = wordsOf<Input>(input, ['template', 'params']);
    const params = resolveParameters({ global: global ?? {} }, options);
    // A text that is none is an empty one here.
    expect(expand(template ?? '', { value: (name) => params.get(name)?.value, ...options })).toBe(
      expected ?? '',
    );
  });

  it.each(casesOf('task-cache').filter((one) => says(one, 'script')))(
    '$id',
    ({ input, expect: expected }) => {
      const { script, ask } = wordsOf<{ script: string; ask: string }>(input, ['script', 'ask']);
      if (ask !== 'variables read') throw notUnderstood(ask);
      expect(references(script)).toEqual(expected);
    },
  );
});

describe('parameters', () => {
  interface Params {
    readonly commandParam?: Readonly<Record<string, Values>> | null;
    readonly read?: string;
    readonly taskInstanceId?: number;
    readonly executePath?: string;
    readonly workflowInstanceId?: number;
    readonly projectCode?: number;
    readonly taskCode?: number;
    readonly workflowCode?: number;
  }
  const paramsWords = [
    ...['commandParam', 'read', 'taskInstanceId', 'executePath', 'workflowInstanceId'],
    ...['projectCode', 'taskCode', 'workflowCode'],
  ];

  it.each(casesOf('params'))('$id', ({ input, expect: expected }) => {
    const { commandParam, read, executePath, ...ids } = wordsOf<Params>(input, paramsWords);
    if (read === undefined) {
      const text = (id: number | undefined) => (id === undefined ? undefined : String(id));
      const facts = {
        ...{ ...options, executePath, taskRunId: text(ids.taskInstanceId) },
        ...{ runId: text(ids.workflowInstanceId), projectCode: text(ids.projectCode) },
        ...{ taskCode: text(ids.taskCode), workflowCode: text(ids.workflowCode) },
      };
      expect(builtinParameters(facts)).toMatchObject(expected as Values);
      return;
    }
    // Only a section of a command holds parameters: those of a start, or those of a parent.
    if (read !== 'StartParams' && read !== 'fatherParams') throw notUnderstood(read);
    const resolved = resolveParameters({ startup: commandParam?.[read] ?? {} }, options);
    expect(Object.fromEntries([...resolved].map(([name, { value }]) => [name, value]))).toEqual(expected);
  });

  it.each(casesOf('builtin-params'))('$id: $input.template', ({ input, expect: expected }) => {
    const said = wordsOf<{ template: string; scheduleTime: string }>(input, ['template', 'scheduleTime']);
    const time = { businessTime: at(said.scheduleTime), zone: shanghai };
    const builtin = builtinParameters(time);
    expect(expand(said.template, { value: (name) => builtin[name], ...time })).toBe(expected);
  });

  interface Priority {
    /** Who gives a value to one name; which goes first is asked. */
    readonly sources?: 'same name everywhere' | readonly string[];
    /** What predecessors give to one name; which value counts is asked. */
    readonly upstream?: readonly { readonly value: string; readonly endTime?: string }[];
  }

  it.each(casesOf('param-priority'))('$id', ({ input, expect: expected }) => {
    const { sources, upstream } = wordsOf<Priority>(input, ['sources', 'upstream']);
    if (upstream) expect(upstreamValue(upstream)).toBe(expected);
    else if (sources) expect(orderOf(sources)).toEqual((expected as string[]).map(sourceOf));
    else throw notUnderstood(input);
  });

  /** `upstream (context)` is a source with a remark. */
  function sourceOf(said: string): string {
    const [source] = said.split(' ');
    if (!everywhere.includes(source)) throw notUnderstood(said);
    return source;
  }

  /** Asks again and again which source a name has its value from, each time without those that went before. */
  function orderOf(sources: NonNullable<Priority['sources']>): string[] {
    if (typeof sources === 'string' && sources !== 'same name everywhere') throw notUnderstood(sources);
    let left = typeof sources === 'string' ? everywhere : sources.map(sourceOf);
    const order: string[] = [];
    while (left.length > 0) {
      const given = left.map((source) => [
        source,
        source === 'upstream' ? [{ endedAt: 0, values: { name: source } }] : { name: source },
      ]);
      const { value = '', source } = resolveParameters(Object.fromEntries(given), options).get('name') ?? {};
      expect(source).toBe(value);
      order.push(value);
      left = left.filter((each) => each !== value);
    }
    return order;
  }

  /** The same in whatever order the predecessors are named. */
  function upstreamValue(said: NonNullable<Priority['upstream']>): string | undefined {
    const upstream = said.map((each): UpstreamOutput => {
      const { value, endTime = '00:00:00' } = wordsOf<typeof each>(each, ['task', 'value', 'endTime']);
      return { endedAt: Date.parse(`1970-01-01T${endTime}Z`), values: { name: value } };
    });
    const [value, other] = [upstream, upstream.toReversed()].map(
      (order) => resolveParameters({ upstream: order }, options).get('name')?.value,
    );
    expect(other).toBe(value);
    return value;
  }
});

const everywhere: readonly string[] = ['project', 'global', 'upstream', 'local', 'startup'];

describe('outputs', () => {
  it.each(casesOf('set-value'))('$id', ({ input, expect: expected }) => {
    const { lines, maxRows } = wordsOf<{ lines: string[]; maxRows?: number }>(input, ['lines', 'maxRows']);
    const collector = new OutputCollector(maxRows === undefined ? {} : { rows: maxRows });
    for (const line of lines) collector.feed(line);
    expect(collector.finish()).toEqual(expected);
  });

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

  type Given = Readonly<Record<string, string>>;

  it.each(casesOf('var-pool'))('$id', ({ input, expect: expected }) => {
    const { op, pools, pool, minus } = wordsOf<{
      op: string;
      pools: readonly Given[] | null;
      pool: Given | null;
      minus: readonly Given[] | null;
    }>(input, ['op', 'pools', 'pool', 'minus']);
    // A pool that is none is an empty one here.
    if (op === 'merge') expect(handedOn(pools ?? [])).toEqual(expected ?? {});
    else if (op === 'subtract') expect(fromChild(pool ?? {}, minus ?? [])).toEqual(expected ?? {});
    else throw notUnderstood(op);
  });

  /** What a task gets after others in a row, each with one of these outputs. */
  function handedOn(pools: readonly Given[]): Given {
    const names = [...pools.map((_, k) => `t${k}`), 'last'];
    const world = started(
      workflow(names.map((name, k) => task(name, { needs: names.slice(0, k).slice(-1) }))),
    );
    for (const [k, outputs] of pools.entries()) world.end(`t${k}`, 'success', { outputs });
    return valuesOf(world, 'last');
  }

  /** What a task gets after a child run that was given some values and has these at its end: all are its outputs. */
  function fromChild(pool: Given, given: readonly Given[]): Given {
    const declared = { type: 'string', required: false, output: true } as const;
    const inner = workflow([task('own')], {
      params: Object.fromEntries(Object.keys(pool).map((name) => [name, declared])),
    });
    const params: Given = Object.assign({}, ...given);
    const sub = { type: 'sub-workflow', with: { workflow: { name: 'w', project: 'p' }, params } };
    const world = started(workflow([task('sub', sub), task('last', { needs: ['sub'] })]), {
      child: () => inner,
    });
    const outputs = Object.fromEntries(Object.entries(pool).filter(([name]) => !(name in params)));
    world.child('sub').end('own', 'success', { outputs });
    world.deliver();
    return valuesOf(world, 'last');
  }

  function valuesOf({ run }: RunWorld, name: string): Given {
    const pool = run.tasks[run.plan.index.get(name) ?? -1].pool ?? [];
    return Object.fromEntries([...pool].map(([key, { value }]) => [key, value]));
  }
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
  it.each(['sql-params', 'sql-list'].flatMap(casesOf))('$id: $expect.prepared', (one) => {
    const { sql, params: said = {} } = wordsOf<Statement>(one.input, ['sql', 'params']);
    const expected = wordsOf<Bound>(one.expect, ['prepared', 'binds', 'bindCount']);
    const params = new Map([said].flat().flatMap((values) => Object.entries(values))) as ReadonlyMap<
      string,
      JsonValue | { type: 'LIST'; value: JsonValue[] }
    >;
    const bound = bindSql(sql, {
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
  });
});
