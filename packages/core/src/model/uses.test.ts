import { describe, expect, it } from 'vitest';
import { needsOf, usesOf } from './uses.ts';
import { parseWorkflowFile } from './workflow-file.ts';

const uses = (text: string) => {
  const { workflows, problems } = parseWorkflowFile(text);
  expect(problems).toEqual([]);
  return usesOf(workflows[0]);
};

describe('the uses of a workflow', () => {
  it('are the workflows that it starts or awaits, each once, in their projects', () => {
    expect(
      uses(`
project: etl
name: parent
tasks:
  - {name: a, type: sub-workflow, with: {workflow: child}}
  - {name: b, type: sub-workflow, with: {workflow: child}}
  - {name: c, type: sub-workflow, with: {workflow: other/child}}
  - {name: d, type: dynamic, with: {workflow: child, over: {day: [1, 2]}}}
  - name: e
    type: dependent
    with: {all: [{workflow: up, window: today}, {any: [{workflow: other/up, window: today}]}]}
`),
    ).toEqual([
      { project: 'etl', name: 'child', as: 'sub-workflow' },
      { project: 'other', name: 'child', as: 'sub-workflow' },
      { project: 'etl', name: 'child', as: 'dynamic' },
      { project: 'etl', name: 'up', as: 'dependent' },
      { project: 'other', name: 'up', as: 'dependent' },
    ]);
  });

  it('do not count tasks that run here, or that only choose', () => {
    expect(
      uses(`
name: alone
tasks:
  - {name: a, type: shell, with: {workflow: child}}
  - {name: b, type: switch, needs: [a], with: {cases: [{when: '1 > 0', to: [c]}]}}
  - {name: c, type: shell, needs: [b]}
`),
    ).toEqual([]);
  });
});

it('needs the secrets that it names, each once', () => {
  const { workflows } = parseWorkflowFile(`
project: etl
name: sender
params: {region: eu, key: '\${secret.shared}'}
tasks:
  - {name: a, type: shell, with: {script: 'send \${secret.api-key} \${secret.shared} \${region}'}}
`);
  expect(needsOf(workflows[0])).toEqual([
    { kind: 'secret', project: 'etl', name: 'shared' },
    { kind: 'secret', project: 'etl', name: 'api-key' },
  ]);
});
