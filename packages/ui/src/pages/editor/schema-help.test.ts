import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { helpAt, offersAt, placeAt, type Schema } from './schema-help.ts';

const file = new URL('../../../../../docs/reference/workflow.schema.json', import.meta.url);
const schema = JSON.parse(readFileSync(file, 'utf8')) as Schema;

/** Lines with a caret `|`. */
function at(...lines: string[]) {
  const line = lines.findIndex((one) => one.includes('|'));
  const column = lines[line].indexOf('|');
  return placeAt(lines.with(line, lines[line].replace('|', '')), line, column);
}
const offers = (...lines: string[]) =>
  offersAt(schema, at(...lines), { tasks: ['a', 'b'] }).map(({ label }) => label);

describe('what can be written at a place', () => {
  it('knows the keys of the workflow, without those that are there', () => {
    const found = offers('name: x', '|');
    expect(found).toContain('schedules');
    expect(found).not.toContain('name');
    expect(found).not.toContain('with');
  });

  it('knows the keys of a task, wherever it is begun', () => {
    for (const lines of [
      ['tasks:', '  - name: a', '    |'],
      ['tasks:', '  - |'],
      ['tasks:', '- name: a', '  |'],
      ['tasks:', '  - name: z', '    type: shell', '  - name: a', '    with:', '      x: 1', '    ret|'],
    ]) {
      expect(offers(...lines)).toContain('retries');
      expect(offers(...lines)).not.toContain('schedules');
    }
    expect(offers('tasks:', '  - name: a', '    |')).not.toContain('name');
    expect(offers('tasks:', '  - |', '    name: a')).not.toContain('name');
  });

  it('knows values: choices, types, names of tasks', () => {
    expect(offers('onFailure: |')).toEqual(['continue', 'end']);
    expect(offers('tasks:', '  - name: c', '    type: |')).toContain('conditions');
    expect(offers('tasks:', '  - name: c', '    needs: |')).toEqual(['a', 'b']);
    expect(offers('tasks:', '  - name: c', '    needs:', '      - |')).toEqual(['a', 'b']);
    expect(offers('tasks:', '  - name: c', '    disabled: |')).toEqual(['true', 'false']);
  });

  it('knows the settings of a task by its type, above or below', () => {
    expect(offers('tasks:', '  - name: c', '    type: switch', '    with:', '      |')).toEqual([
      'cases',
      'default',
    ]);
    expect(offers('tasks:', '  - name: c', '    with:', '      |', '    type: switch')).toEqual([
      'cases',
      'default',
    ]);
    expect(
      offers('tasks:', '  - name: c', '    type: switch', '    with:', '      cases:', '        - |'),
    ).toEqual(['when', 'to']);
    expect(offers('tasks:', '  - name: c', '    type: shell', '    with:', '      |')).toEqual([]);
  });

  it('helps on a key', () => {
    expect(helpAt(schema, at('onFailure|: end'))).toMatch(/failed task ends the run[\s\S]*continue · end/);
    expect(helpAt(schema, at('tasks:', '  - name: c', '    retries:', '      back|off: 2'))).toMatch(
      /times the one before/,
    );
    expect(helpAt(schema, at('nothing|: 1'))).toBeUndefined();
  });
});
