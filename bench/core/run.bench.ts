/** The life of a run: what happened in, what changes out, without a store or a queue. */
import { compile, type Plan } from '@orrery/core/run';
import { runThrough } from '@orrery/testkit/run-through';
import { edges, task, workflow } from '@orrery/testkit/workflows';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';

export const title = 'decide and apply every event of a run of no-op tasks';

const SIZE = bySize(10_000, 10);

export async function run(): Promise<Row[]> {
  const names = Array.from({ length: SIZE }, (_, i) => `t${i}`);
  const chain = compile(
    workflow(names.map((name, i) => task(name, { needs: i === 0 ? [] : [names[i - 1]] }))),
  );
  const fan = compile(workflow([task('root'), ...names.map((name) => task(name, { needs: ['root'] }))]));
  const small = compile(
    edges([
      ['a', 'b'],
      ['b', 'c'],
    ]),
  );
  return [
    row(`a chain of ${SIZE.toLocaleString('en-US')} tasks`, chain, bySize(20, 1)),
    row(`a fan-out of ${SIZE.toLocaleString('en-US')} tasks`, fan, bySize(20, 1)),
    row('three tasks in a row, run after run', small, bySize(30_000, 1)),
  ];
}

function row(what: string, plan: Plan, times: number): Row {
  for (let i = 0; i < times; i++) runThrough(plan);
  const begin = performance.now();
  let events = 0;
  for (let i = 0; i < times; i++) events += runThrough(plan).decisions + 1;
  const took = performance.now() - begin;
  return {
    what,
    value: events / (took / 1_000),
    unit: 'events/s',
    note: `${((1_000 * took) / events).toFixed(2)} µs an event`,
  };
}
