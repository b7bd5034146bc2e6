/** Formats a problem as one line, in the form that editors and terminals turn into a link. */
import type { Path, Problem } from './problem.ts';

/** `file:line:column: tasks[2].timeout: message`, without unknown parts. */
export function formatProblem(problem: Omit<Problem, 'code' | 'said'>, file = problem.file): string {
  const { line, column, path, message } = problem;
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  const parts = [place, formatPath(path), message.replace(/\s*\n\s*/g, ' ')];
  return parts.filter((part) => part !== '').join(': ');
}

/** `tasks[2].with.cases[0].to`; keys that are not plain words are quoted. */
function formatPath(path: Path): string {
  return path
    .map((key, i) => {
      if (typeof key === 'number') return `[${key}]`;
      if (!/^[\p{L}\p{N}_$-]+$/u.test(key)) return `[${JSON.stringify(key)}]`;
      return i === 0 ? key : `.${key}`;
    })
    .join('');
}
