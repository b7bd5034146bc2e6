import { describe, expect, it } from 'vitest';
import { editSchedule } from './edit-schedule.ts';
import { parseWorkflowFile } from './workflow-file.ts';

const file = `# The nightly load.
name: nightly
timezone: Asia/Shanghai
schedules:
  # At night.
  - {name: night, cron: 0 2 * * *, params: {full: yes}}
  - name: often # by day
    every: 1h
    misfire: skip
tasks:
  - name: a # the only one
    type: shell
`;

const edit = (text: string, name: string, change: Record<string, unknown>) => {
  const { workflows } = parseWorkflowFile(text);
  const after = editSchedule(text, workflows[0], name, change);
  return { ...after, workflow: parseWorkflowFile(after.text).workflows[0], before: workflows[0] };
};

describe('a schedule that is changed in its file', () => {
  it('is the only thing that changes, and comments stay', () => {
    const { text, path, workflow, before } = edit(file, 'night', { cron: '30 3 * * *' });
    expect(path).toEqual(['schedules', 0]);
    expect(workflow).toEqual({
      ...before,
      schedules: [{ ...before.schedules[0], cron: '30 3 * * *' }, before.schedules[1]],
    });
    for (const comment of ['# The nightly load.', '# At night.', '# by day', '# the only one'])
      expect(text).toContain(comment);
  });

  it('takes an interval in place of a cron, and leaves out what is null', () => {
    const { workflow } = edit(file, 'night', { every: '2h', params: null, timezone: 'UTC' });
    expect(workflow.schedules[0]).toMatchObject({
      name: 'night',
      every: 7_200_000,
      timezone: 'UTC',
      params: {},
    });
    expect(workflow.schedules[0].cron).toBeUndefined();
  });

  it.each([
    ['name: w\nschedule: 0 2 * * *\ntasks: [{name: a, type: shell}]\n'],
    ['name: w\nschedule: {cron: 0 2 * * *}\ntasks: [{name: a, type: shell}]\n'],
    ['{"name":"w","schedule":"0 2 * * *","tasks":[{"name":"a","type":"shell"}]}'],
  ])('is found in the short forms, in YAML and JSON: %s', (text) => {
    const { workflow, path } = edit(text, 'main', { enabled: false });
    expect(path).toEqual(['schedule']);
    expect(workflow.schedules).toMatchObject([{ cron: '0 2 * * *', enabled: false }]);
  });

  it('must be there', () => {
    expect(() => edit(file, 'nosuch', {})).toThrow('the workflow has no schedule "nosuch"');
  });
});
