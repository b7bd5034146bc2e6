/** Parsing workflows: from a value as in an API request, and from the text of a file. */
import { parseWorkflow, parseWorkflowFile } from '@orrery/core/model';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';

export const title = 'read a workflow: schema, graph, parameters, every check';

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of bySize([1_000, 10_000, 100_000], [10])) {
    const input = workflowOf(size);
    const took = median(bySize(size < 100_000 ? 9 : 3, 1), () => parseWorkflow(input).problems.length);
    rows.push({ what: `value with ${size} tasks`, value: took, unit: 'ms', note: perTask(took, size) });
  }
  for (const size of bySize([1_000, 10_000], [10])) {
    const yaml = yamlOf(size);
    const took = median(bySize(5, 1), () => parseWorkflowFile(yaml).problems.length);
    const note = `${(yaml.length / 1_000).toFixed(0)} kB, ${perTask(took, size)}`;
    rows.push({ what: `YAML file with ${size} tasks`, value: took, unit: 'ms', note });
  }
  return rows;
}

function workflowOf(size: number) {
  const tasks = Array.from({ length: size }, (_, i) => ({
    name: `t${i}`,
    type: 'shell',
    needs: i === 0 ? [] : [`t${i - 1}`],
    with: { script: `echo ${i}` },
    retries: 2,
    timeout: '10m',
    params: { target: `/data/$${'{day}'}` },
  }));
  return { name: 'large', params: { day: '$[yyyyMMdd-1]' }, tasks };
}

function yamlOf(size: number): string {
  const tasks = workflowOf(size).tasks.map(
    ({ name, needs, with: { script } }) =>
      `  - name: ${name}\n    type: shell\n    needs: [${needs}]\n    retries: 2\n    with:\n      script: ${script}\n`,
  );
  return `name: large\ntasks:\n${tasks.join('')}`;
}

function perTask(took: number, size: number): string {
  return `${((took / size) * 1_000).toFixed(1)} µs a task`;
}

function median(times: number, work: () => number): number {
  const taken = Array.from({ length: times }, () => {
    const start = performance.now();
    if (work() > 0) throw new Error('the workflow has problems');
    return performance.now() - start;
  });
  return taken.sort((a, b) => a - b)[Math.floor(times / 2)];
}
