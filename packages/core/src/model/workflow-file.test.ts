import { describe, expect, it } from 'vitest';
import { parseWorkflowFile } from './workflow-file.ts';

const workflow = (name: string, more = '') => `name: ${name}\n${more}tasks: [{name: a, type: shell}]\n`;

describe('a workflow file', () => {
  it('holds one workflow or several, as YAML or JSON', () => {
    expect(parseWorkflowFile(workflow('a')).workflows).toMatchObject([{ name: 'a' }]);
    expect(parseWorkflowFile(`---\n${workflow('a')}---\n${workflow('b')}---\n`).workflows).toMatchObject([
      { name: 'a' },
      { name: 'b' },
    ]);
    const json = JSON.stringify({ name: 'c', tasks: [{ name: 'a', type: 'shell' }] }, null, '\t');
    expect(parseWorkflowFile(json)).toMatchObject({ workflows: [{ name: 'c' }], problems: [] });
  });

  it('gives the workflows that are right beside those that are wrong', () => {
    const text = [workflow('a'), workflow('b', 'priority: hot\n'), workflow('c')].join('---\n');
    const { workflows, problems } = parseWorkflowFile(text, { file: 'all.yaml' });
    expect(workflows.map(({ name }) => name)).toEqual(['a', 'c']);
    expect(problems).toMatchObject([{ path: ['priority'], line: 5, column: 1, file: 'all.yaml' }]);
  });

  it('gives the text of each workflow, which is the whole text where there is one', () => {
    const alone = `# head\n${workflow('a')}# tail\n`;
    expect(parseWorkflowFile(alone).sources).toEqual([alone]);
    const second = `# about b\n${workflow('b')}`;
    const { workflows, sources } = parseWorkflowFile(
      `${workflow('a')}---\n${second}--- # c\n${workflow('c')}`,
    );
    expect(sources.slice(0, 2)).toEqual([workflow('a'), second]);
    for (const [k, source] of sources.entries())
      expect(parseWorkflowFile(source).workflows).toEqual([workflows[k]]);
  });

  it('gives no workflow from a document that says a thing twice', () => {
    expect(parseWorkflowFile(workflow('a', 'name: b\n')).workflows).toEqual([]);
  });

  it('may be wrong in any number of places, of which the first 10,000 are told', () => {
    expect(parseWorkflowFile(`name: w\ntasks:\n${'- 1\n'.repeat(90_000)}`).problems).toHaveLength(10_000);
  });

  it('may hold the same name in two projects', () => {
    const text = `${workflow('a')}---\n${workflow('a', 'project: other\n')}`;
    expect(parseWorkflowFile(text).workflows).toHaveLength(2);
  });

  it('knows the parameters it is told of', () => {
    const text = 'name: w\ntasks: [{name: a, type: shell, params: {x: "${bucket}"}}]';
    expect(parseWorkflowFile(text).problems).toHaveLength(1);
    expect(
      parseWorkflowFile(text, { surroundings: { params: { shared: ['bucket'], projects: {} } } }).problems,
    ).toEqual([]);
  });
});
