/** Templates, time placeholders, parameters and dependencies: what a master computes for each task it starts. */
import { evaluateDependency, type RoundFact } from '@orrery/core/depend';
import { expand, resolveParameters } from '@orrery/core/params';
import { zone } from '../../packages/core/src/time/zone.ts';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';

export const title = 'parameters and dependencies of one task';

const TIMES = bySize(2_000, 1);
const DAY = 86_400_000;
const businessTime = Date.parse('2026-11-15T00:00:00Z');
const time = { businessTime, zone: zone('America/New_York') };

export async function run(): Promise<Row[]> {
  const script = `load --day $[yyyyMMdd-1] --from \${path}/\${table} --home \${HOME}\n`.repeat(20);
  const values = new Map([
    ['path', '/data'],
    ['table', 'orders'],
  ]);
  const large = `some text without placeholders, $HOME and \${HOME:-x}\n`.repeat(19_000);
  const global = Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [`p${i}`, i === 0 ? '$[yyyyMMdd]' : `\${p${i - 1}}/${i}`]),
  );
  const facts = Array.from(
    { length: 62 },
    (_, i): RoundFact => ({
      project: 'p',
      workflow: 'w',
      businessTime: businessTime - i * DAY,
      state: 'success',
      tasks: { a: 'success' },
      endedAt: businessTime - i * DAY + 1,
    }),
  );
  const month = {
    project: 'p',
    workflow: 'w',
    watch: 'all',
    window: 'lastMonth',
    onFailure: 'fail',
  } as const;
  const dependency = { relation: 'and', groups: [{ relation: 'and', items: [month] }] } as const;
  return [
    row('scripts of 60 placeholders expanded', TIMES, () =>
      expand(script, { ...time, value: (name) => values.get(name) }),
    ),
    row('texts of 1 MB without placeholders scanned', bySize(20, 1), () =>
      expand(large, { ...time, value: () => undefined }),
    ),
    row('chains of 50 parameters resolved', TIMES, () => resolveParameters({ global }, time)),
    row('dependencies on each day of last month evaluated', TIMES, () =>
      evaluateDependency(dependency, facts, { ...time, now: businessTime, since: businessTime }),
    ),
  ];
}

function row(what: string, times: number, work: () => unknown): Row {
  for (let i = 0; i < times / 10; i++) work();
  const start = performance.now();
  for (let i = 0; i < times; i++) work();
  return { what, value: times / ((performance.now() - start) / 1000), unit: '/s' };
}
