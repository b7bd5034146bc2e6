/** What the compiler must refuse, and what it must not: `tsc` checks it, most of it is never called. */
import { definePlugin } from '@orrery/worker/plugin';
import { expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { httpSettings } from '../../../worker/src/tasks/http-settings.ts';
import type { Client } from '../client/client.ts';
import { conditions, subWorkflow, switchOn } from './logic-steps.ts';
import type { ValuesOf } from './parameters.ts';
import { startWorkflow } from './start.ts';
import { type HttpSettings, http, noop, type Step, shell, taskType } from './step.ts';
import { workflow } from './workflow.ts';

const begun = () =>
  workflow('x', { params: { day: '$[yyyyMMdd]', region: { options: ['eu', 'us'] } } })
    .task('extract', shell('./extract.sh'), { outputs: ['rows', 'path'] })
    .task('check', conditions({ all: ['extract'] }), { needs: 'extract' })
    .task('size', switchOn({ big: 'rows > 9', small: 'rows > 0' }), { needs: 'extract' });

it('knows the tasks and branches that can be needed', () => {
  const all = () =>
    begun()
      .task('a', noop(), { needs: ['extract', 'check:success', 'size:big', 'size:default'] })
      // @ts-expect-error no task of this name
      .task('b', noop(), { needs: 'extarct' })
      // @ts-expect-error one of the list is wrong
      .task('c', noop(), { needs: ['extract', 'chekc'] })
      // @ts-expect-error no such branch
      .task('d', noop(), { needs: 'check:sucess' })
      // @ts-expect-error a shell task has no branches
      .task('e', noop(), { needs: 'extract:success' })
      // @ts-expect-error a task does not need itself
      .task('f', noop(), { needs: 'f' })
      // @ts-expect-error the name is taken
      .task('extract', noop());
  expect(all).toThrow('which is not defined before it');
});

it('knows the parameters and outputs that can be referred to', () => {
  const all = () => {
    begun().task('a', ({ params, outputs }) => {
      expectTypeOf(params.day).toEqualTypeOf<string>();
      expectTypeOf(params['orrery.run.id']).toEqualTypeOf<string>();
      // @ts-expect-error no such parameter
      params.dya;
      // @ts-expect-error it needs nothing, so it sees no output
      outputs.extract;
      return noop();
    });
    begun().task(
      'b',
      ({ params, outputs }) => {
        expectTypeOf(params.local).toEqualTypeOf<string>();
        // Through a task between them, and by a branch.
        expectTypeOf(outputs.extract).toEqualTypeOf<Readonly<Record<'rows' | 'path', string>>>();
        // @ts-expect-error no such output
        outputs.extract.row;
        // @ts-expect-error a task that does not come before
        outputs.size;
        return noop();
      },
      { needs: 'check:success', params: { local: 1 } },
    );
  };
  expect(all).toThrow();
});

it('knows which tasks a condition may ask about', () => {
  const all = () =>
    begun()
      .task('a', conditions({ all: [{ task: 'extract', is: 'failed' }, { any: ['check'] }] }), {
        needs: ['extract', 'check'],
      })
      // @ts-expect-error it does not come directly before
      .task('b', conditions({ all: ['extract'] }), { needs: 'check' });
  expect(all).not.toThrow();
});

it('knows the values that another workflow takes', () => {
  type Values = ValuesOf<{
    readonly must: { readonly required: true };
    readonly region: { readonly options: readonly ['eu', 'us'] };
    readonly n: { readonly type: 'integer' };
    readonly text: 'x';
  }>;
  expectTypeOf<{ must: string }>().toExtend<Values>();
  expectTypeOf<{ must: string; region: 'eu'; n: 3; text: 'y' }>().toExtend<Values>();
  expectTypeOf<{ must: string; region: '${where}'; n: '$[dd]' }>().toExtend<Values>();
  expectTypeOf<{ region: 'eu' }>().not.toExtend<Values>();
  expectTypeOf<{ must: string; region: 'asia' }>().not.toExtend<Values>();
  expectTypeOf<{ must: string; n: 'many' }>().not.toExtend<Values>();

  const child = workflow('child', { params: { table: { required: true }, mode: { options: ['full'] } } });
  const all = () => [
    subWorkflow(child, { table: 'a', mode: 'full' }),
    subWorkflow('by/name', { whatever: 1 }),
    // @ts-expect-error a required one is missing
    subWorkflow(child),
    // @ts-expect-error not among its options
    subWorkflow(child, { table: 'a', mode: 'ful' }),
    // @ts-expect-error it declares no such parameter
    subWorkflow(child, { table: 'a', moed: 'full' }),
  ];
  expect(all()).toHaveLength(5);
});

it('knows the values that a run of a workflow can be started with', () => {
  const flow = begun();
  const all = (client: Client) => [
    startWorkflow(client, flow, {}),
    startWorkflow(client, flow, { region: 'eu', day: '20260301' }, { priority: 'high' }),
    // @ts-expect-error not among its options
    startWorkflow(client, flow, { region: 'asia' }),
    // @ts-expect-error it declares no such parameter
    startWorkflow(client, flow, { dya: 1 }),
  ];
  const asked: unknown[] = [];
  const startRun: Client['startRun'] = async ({ body }) => {
    asked.push(body);
    return { id: 1, state: 'queued', repeated: false, counts: true };
  };
  all({ startRun } as Client);
  expect(asked[1]).toEqual({
    workflow: 'default/x',
    params: { region: 'eu', day: '20260301' },
    priority: 'high',
  });
});

it('knows the settings of a plugin by its type alone', () => {
  const plugin = definePlugin({
    name: 'count-lines',
    title: '',
    description: '',
    schema: z.strictObject({ file: z.string(), atLeast: z.number().default(0) }),
    run() {},
  });
  const countLines = taskType<typeof plugin>('count-lines');
  expectTypeOf(countLines).parameter(0).toEqualTypeOf<{ file: string; atLeast?: number | undefined }>();
  expectTypeOf(countLines).returns.toEqualTypeOf<Step>();
  const wrong = () =>
    // @ts-expect-error no such setting
    countLines({ file: 'x', atLaest: 1 });
  expect(wrong().type).toBe('count-lines');
});

it('forgets what it knows where it is told to', () => {
  let any = begun().loose();
  for (const name of ['a', 'b']) any = any.task(name, noop(), { needs: 'extract' });
  expect(any.toJSON().tasks).toHaveLength(5);
});

it('has the settings of an http task as the worker takes them', () => {
  type Taken = z.input<typeof httpSettings>;
  expectTypeOf<keyof HttpSettings>().toEqualTypeOf<keyof Taken>();
  expectTypeOf<HttpSettings['method']>().toEqualTypeOf<Taken['method']>();
  const ask = http({ url: 'https://shop.example/orders', json: { day: 1 }, status: [201, '400-409'] });
  for (const step of [ask, http('https://shop.example/orders')])
    expect(httpSettings.safeParse(step.with)).toMatchObject({ success: true });
  // @ts-expect-error no such method
  http({ url: 'https://shop.example', method: 'SEND' });
});
