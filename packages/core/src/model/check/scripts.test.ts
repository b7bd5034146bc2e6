import { describe, expect, it } from 'vitest';
import { parseWorkflow } from '../validate.ts';

const warnings = (script: string, more: object = {}) =>
  parseWorkflow({
    name: 'w',
    params: { day: '1', pattern: { pattern: '[a-z]+', default: 'a' } },
    tasks: [
      { name: 'make', type: 'shell', with: { script: "echo '${setValue(rows=1)}'" } },
      { name: 'use', type: 'shell', needs: 'make', with: { script, ...more } },
    ],
  }).warnings.map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('a script with a value', () => {
  it.each([
    ['load ${day}', /^tasks\.1\.with\.script: \$\{day\} is outside double quotes/],
    ["load '${day}'", /is in single quotes.*an attempt fails/],
    ["cat <<'E'\n${rows}\nE", /\$\{rows\} is in a here-document with a quoted end/],
    ['echo $((${rows}))', /must be a whole number/],
    ['ssh host "${rows}"', /another machine or user/],
    ['load "${other:raw}"', /\$\{other:raw\} pastes the value.*can run commands/],
  ])('%j is published with a warning', (script, message) => {
    expect(warnings(script)).toEqual([expect.stringMatching(message)]);
  });

  it('is warned of once, and not of what is no parameter or simply put in', () => {
    expect(warnings('a ${day} ${day}; b ${day}')).toHaveLength(1);
    expect(warnings('echo "${day}" ${HOME} ${system.biz.date}; x=${rows} # ${day}')).toEqual([]);
  });

  it.each([
    [
      'container',
      { image: 'a', command: ['sh', '-c', 'echo ${day}'] },
      /command\.2: an attempt fails.*a shell/,
    ],
    ['hive', { connection: 'h', sql: "select '${day}'" }, /sql: an attempt fails.*another program/],
    ['hive', { connection: 'h', sql: "select '${day:raw}'" }, /sql: \$\{day:raw\} pastes the value/],
    ['container', { image: 'a', command: ['cat', '${day}'] }, undefined],
  ])('in a setting of %s that is parsed is warned of: %j', (type, settings, message) => {
    const { warnings: found } = parseWorkflow({
      name: 'w',
      params: { day: '1' },
      tasks: [{ name: 'use', type, with: settings }],
    });
    const texts = found.map((one) => `${one.path.join('.')}: ${one.message}`);
    expect(texts).toEqual(message ? [expect.stringMatching(message)] : []);
  });

  it('for another program is warned of', () => {
    expect(warnings('print("${day}")', { shell: 'python3' })).toEqual([
      expect.stringContaining('in a program for python3'),
    ]);
  });

  it('is refused a pattern that cannot be read', () => {
    const { problems } = parseWorkflow({
      name: 'w',
      params: { a: { pattern: '(' } },
      tasks: [{ name: 't', type: 'noop' }],
    });
    expect(problems).toMatchObject([{ path: ['params', 'a', 'pattern'], code: 'bad-value' }]);
  });
});
