import { describe, expect, it } from 'vitest';
import { renameText, renameWorkflow } from './rename.ts';
import { parseWorkflowFile } from './workflow-file.ts';

const read = (text: string) => {
  const { workflows, problems } = parseWorkflowFile(text);
  expect(problems).toEqual([]);
  return workflows[0];
};
const plain = `# Loads the orders
name: orders # of the day
tasks:
  - {name: load, type: shell, with: {script: ./load.sh}} # slow
`;
const linked = `project: etl
name: orders
tasks:
  - name: wait
    type: dependent
    with:
      all:
        - {workflow: orders, window: last1Days}
        - {workflow: stock, window: today}
        - {workflow: ops/backup, window: today}
  - {name: report, type: sub-workflow, needs: wait, with: {workflow: report}}
`;

describe('a renamed workflow', () => {
  it('keeps its text with the comments, and reads as what it is', () => {
    const before = read(plain);
    const to = { project: 'etl', name: 'daily-orders' };
    const text = renameText(plain, before, to);
    expect(text).toContain('# Loads the orders\nname: daily-orders # of the day\n');
    expect(text).toContain('# slow');
    expect(read(text)).toEqual(renameWorkflow(before, to));
    expect(read(text)).toEqual({ ...before, ...to });
  });

  it('still means the same workflows, and itself where it did', () => {
    const before = read(linked);
    const uses = (to: { project: string; name: string }) => {
      const after = read(renameText(linked, before, to));
      expect(after).toEqual(renameWorkflow(before, to));
      return JSON.stringify(after.tasks.map((task) => task.with)).match(/"workflow":\{[^}]*\}/g);
    };
    expect(uses({ project: 'etl', name: 'all-orders' })).toEqual([
      '"workflow":{"name":"all-orders"}',
      '"workflow":{"name":"stock"}',
      '"workflow":{"project":"ops","name":"backup"}',
      '"workflow":{"name":"report"}',
    ]);
    expect(uses({ project: 'sales', name: 'orders' })).toEqual([
      '"workflow":{"name":"orders"}',
      '"workflow":{"project":"etl","name":"stock"}',
      '"workflow":{"project":"ops","name":"backup"}',
      '"workflow":{"project":"etl","name":"report"}',
    ]);
  });
});
