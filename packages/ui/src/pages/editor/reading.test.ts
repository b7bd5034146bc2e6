import { describe, expect, it } from 'vitest';
import { checkText, fieldsOf, sourceOf, tasksOf } from './reading.ts';

function read(text: string) {
  const { isReadable, problems } = checkText(text, []);
  return { tasks: isReadable ? tasksOf(sourceOf(text)) : null, problems };
}

describe('what is known of a text', () => {
  it('is its tasks with their places, although something is wrong with it', () => {
    const text = 'name: w\ntasks:\n  - name: a\n    typ: shell\n  - { name: b, needs: a }\n';
    const { tasks, problems } = read(text);
    expect(tasks?.map(({ name, needs, from, to }) => [name, needs, text.slice(from, to)])).toEqual([
      ['a', [], 'name: a\n    typ: shell'],
      ['b', ['a'], '{ name: b, needs: a }'],
    ]);
    expect(problems.length).toBeGreaterThan(1);
    expect(problems[0]).toMatchObject({ line: 3, doubt: false });
  });

  it('is one clear line for a file that cannot be read', () => {
    const deep = '['.repeat(200);
    const bomb = `a: &a [${'x, '.repeat(9)}x]\nb: &b [${'*a, '.repeat(9)}*a]\nc: &c [${'*b, '.repeat(9)}*b]\nd: &d [${'*c, '.repeat(9)}*c]\ne: &e [${'*d, '.repeat(9)}*d]\nf: &f [${'*e, '.repeat(9)}*e]\ng: [${'*f, '.repeat(9)}*f]\n`;
    for (const text of [
      'name: w\n\ttasks: []',
      deep,
      bomb,
      'x'.repeat(11 * 1024 * 1024),
      '\u0000\u0001',
      '<<<<<<< mine\na\n=======\n',
    ]) {
      const { tasks, problems } = read(text);
      expect(tasks).toBeNull();
      expect(problems[0].message.length).toBeLessThan(400);
    }
  });

  it('is nothing to draw for an empty text, or for several workflows', () => {
    expect(read('').tasks).toBeNull();
    expect(read('name: a\ntasks: []\n---\nname: b\ntasks: []\n').tasks).toBeNull();
  });

  it('is the values of a task, and each as it is written', () => {
    const source = sourceOf(
      "name: w\nschedules:\n  - cron: '0 2 * * *' # nightly\ntasks:\n  - name: a\n    type: shell\n    with: { script: ls }\n",
    );
    expect(source && fieldsOf(source, ['a'])).toEqual({
      names: ['a'],
      value: { name: 'a', type: 'shell', with: { script: 'ls' } },
      written: { name: 'a', type: 'shell', with: '{ script: ls }', 'with.script': 'ls' },
    });
    expect(source && fieldsOf(source, [])?.written.schedules).toBe("- cron: '0 2 * * *' # nightly");
    expect(source && fieldsOf(source, ['z'])).toBeNull();
  });

  it('is what several tasks have alike', () => {
    const task = (name: string, script: string, more = '') =>
      `  - { name: ${name}, type: shell, with: { script: ${script}, shell: bash }${more} }\n`;
    const source = sourceOf(
      `name: w\ntasks:\n${task('a', 'ls', ', retries: 2')}${task('b', 'pwd', ', retries: 2')}`,
    );
    expect(source && fieldsOf(source, ['a', 'b'])).toEqual({
      names: ['a', 'b'],
      value: { type: 'shell', retries: 2, with: { shell: 'bash' } },
      written: { type: 'shell', retries: '2', 'with.shell': 'bash' },
    });
    expect(source && fieldsOf(source, ['a', 'z'])).toBeNull();
  });

  it('is how a test run of it is started, where nothing is wrong', () => {
    const text = 'name: w\nparams: { day: today }\ntasks: [{ name: a, type: noop }]\n';
    expect(checkText(text, []).start).toMatchObject({
      params: { day: { default: 'today' } },
      priority: 'medium',
    });
    expect(checkText(`${text}x: 1\n`, []).start).toBeNull();
  });
});
