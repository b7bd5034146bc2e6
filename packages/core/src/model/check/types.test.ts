import { describe, expect, it } from 'vitest';
import { formatProblem } from '../format.ts';
import { parseWorkflowFile } from '../workflow-file.ts';

const schema = {
  type: 'object',
  properties: {
    url: { type: 'string' },
    to: { type: 'string', pattern: '^https?://', description: 'An http or https address.' },
    port: { type: 'integer', maximum: 65_535 },
    headers: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
  },
  required: ['url'],
  additionalProperties: false,
};

const problems = (settings: string, types = [{ name: 'http', schema }]) =>
  parseWorkflowFile(`name: w\ntasks:\n- name: a\n  type: http\n  with: ${settings}\n`, {
    taskTypes: types,
  }).problems.map((problem) => formatProblem(problem));

describe('what a task says in `with`', () => {
  it.each([
    ['{url: x, port: 80}', []],
    ['{port: 80}', ['5:3: tasks[0].with.url: "url" is missing; expected text']],
    ['{url: 5}', ['5:10: tasks[0].with.url: expected text, got the number 5; put it in quotes']],
    ['{url: x, prot: 80}', ['5:18: tasks[0].with.prot: unknown key "prot"; did you mean "port"?']],
    ['{url: x, port: 99999}', ['5:18: tasks[0].with.port: must be at most 65535, got 99999']],
    [
      '{url: x, to: "ftp://files/x"}',
      ['5:18: tasks[0].with.to: "ftp://files/x" is not accepted here: An http or https address.'],
    ],
    [
      '{url: x, headers: [{name: 5}]}',
      ['5:29: tasks[0].with.headers[0].name: expected text, got the number 5; put it in quotes'],
    ],
  ])('is held against the schema of its type: %s', (settings, expected) => {
    expect(problems(settings)).toEqual(expected);
  });

  it('may have placeholders where another type is wanted, but no unknown key beside them', () => {
    expect(problems('{url: x, port: "${port}"}')).toEqual([]);
    expect(problems('{url: x, headers: "$[yyyy]"}')).toEqual([]);
    expect(problems('{url: x, port: "${port}", tls: 1}')).toHaveLength(1);
  });

  it('is left to the worker where the type has no schema, or one that cannot be read here', () => {
    expect(problems('{anything: 1}', [{ name: 'http' } as never])).toEqual([]);
    const unreadable = { type: 'object', unevaluatedProperties: false };
    expect(problems('{anything: 1}', [{ name: 'http', schema: unreadable } as never])).toEqual([]);
  });

  it('is not looked at where no types are given', () => {
    expect(parseWorkflowFile('name: w\ntasks: [{name: a, type: what}]').problems).toEqual([]);
  });
});
