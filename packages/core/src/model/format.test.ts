import { describe, expect, it } from 'vitest';
import { formatProblem } from './format.ts';
import type { Problem } from './problem.ts';

const problem: Problem = { path: ['tasks', 2, 'with', 'a b', 'x'], code: 'bad-value', message: 'is wrong' };

describe('a problem as a line', () => {
  it('has what is known of its place', () => {
    expect(formatProblem(problem)).toBe('tasks[2].with["a b"].x: is wrong');
    expect(formatProblem({ ...problem, line: 4, column: 7 })).toBe('4:7: tasks[2].with["a b"].x: is wrong');
    expect(formatProblem({ ...problem, line: 4, column: 7 }, 'w.yaml')).toBe(
      'w.yaml:4:7: tasks[2].with["a b"].x: is wrong',
    );
    expect(formatProblem({ ...problem, path: [], line: 4, column: 7, file: 'v.yaml' })).toBe(
      'v.yaml:4:7: is wrong',
    );
    expect(formatProblem({ ...problem, path: ['name'] }, 'w.yaml')).toBe('w.yaml: name: is wrong');
  });

  it('stays one line', () => {
    expect(formatProblem({ ...problem, path: ['a\nb'], message: 'two\nlines' })).toBe('["a\\nb"]: two lines');
  });
});
