/** Converts issues of the schema to problems in the words of the file's author. */
import type { z } from 'zod';
import { didYouMean } from './nearest.ts';
import type { Path, Problem, ProblemCode } from './problem.ts';
import { quote } from './schema/values.ts';

type Issue = z.core.$ZodIssue;

/** Limit of unknown keys reported for one object. */
const MOST_KEYS = 1_000;

/** The problems of a failed parse, in schema order. The parse must keep inputs (`reportInput`). */
export function problemsOf(issues: readonly Issue[], at: Path = []): Problem[] {
  return issues.flatMap((issue) => {
    const path = [...at, ...(issue.path as (string | number)[])];
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys.slice(0, MOST_KEYS).map((key) => unknownKey(key, issue.message.split(', '), path));
      case 'invalid_union':
        return unionProblems(issue, path);
      case 'invalid_key':
        return problemsOf(issue.issues, path);
      default:
        return [simpleProblem(issue, path)];
    }
  });
}

function unknownKey(key: string, known: readonly string[], path: Path): Problem {
  const hint = didYouMean(key, known) || `; accepted keys are ${known.join(', ')}`;
  return { path: [...path, key], code: 'unknown-key', message: `unknown key ${quote(key)}${hint}` };
}

/** The problems of the intended alternative, or one problem that names all alternatives. */
function unionProblems(issue: z.core.$ZodIssueInvalidUnion, path: Path): Problem[] {
  const all = alternatives(issue);
  const [meant] = all
    .filter((errors) => !errors.some(isOtherType))
    .sort((a, b) => unknownKeys(a) - unknownKeys(b));
  if (meant) return problemsOf(meant, path);
  const expected = all.flatMap((errors) => errors.filter(isOtherType).flatMap(expectations));
  return [typeProblem([...new Set(expected)], issue.input, path)];
}

/** The issues of each alternative; nested unions are flattened. */
function alternatives(issue: z.core.$ZodIssueInvalidUnion): readonly Issue[][] {
  return issue.errors.flatMap((errors) => {
    const [first] = errors;
    return first?.code === 'invalid_union' && first.path.length === 0 ? alternatives(first) : [errors];
  });
}

function unknownKeys(errors: readonly Issue[]): number {
  const found = errors.find((issue) => issue.code === 'unrecognized_keys' && issue.path.length === 0);
  return found?.code === 'unrecognized_keys' ? found.keys.length : 0;
}

/** Whether an issue says that the value is of another type than this alternative. */
function isOtherType(issue: Issue): boolean {
  if (issue.path.length > 0) return false;
  return issue.code === 'invalid_type' || (issue.code === 'invalid_value' && typeof issue.input !== 'string');
}

function expectations(issue: Issue): string[] {
  if (issue.code === 'invalid_value') return [`one of ${issue.values.join(', ')}`];
  return issue.code === 'invalid_type' ? [typeNames[issue.expected] ?? issue.expected] : [];
}

function typeProblem(expected: readonly string[], input: unknown, path: Path): Problem {
  const accepted =
    expected.length > 1 ? `${expected.slice(0, -1).join(', ')} or ${expected.at(-1)}` : expected[0];
  if (input === undefined) {
    return {
      path,
      code: 'missing-key',
      message: `${quote(path.at(-1) ?? 'the workflow')} is missing; expected ${accepted}`,
    };
  }
  const hint = typeof input === 'number' && accepted === 'text' ? '; put it in quotes' : '';
  return { path, code: 'wrong-type', message: `expected ${accepted}, got ${describe(input)}${hint}` };
}

function simpleProblem(issue: Issue, path: Path): Problem {
  const problem = (code: ProblemCode, message: string): Problem => ({ path, code, message });
  switch (issue.code) {
    case 'invalid_type':
      return typeProblem(expectations(issue), issue.input, path);
    case 'invalid_value': {
      const accepted = issue.values.map(String);
      if (typeof issue.input !== 'string') return typeProblem(expectations(issue), issue.input, path);
      const hint = didYouMean(issue.input, accepted);
      return problem('bad-value', `${quote(issue.input)} is not one of ${accepted.join(', ')}${hint}`);
    }
    case 'too_small':
      return problem('bad-value', bound(issue, 'at least', issue.minimum));
    case 'too_big':
      return problem('bad-value', bound(issue, 'at most', issue.maximum));
    case 'custom':
      return problem((issue.params?.code as ProblemCode | undefined) ?? 'bad-value', issue.message);
    default:
      return problem('bad-value', issue.message);
  }
}

function bound(issue: Issue & { origin: string }, side: string, limit: number | bigint): string {
  if (issue.origin === 'number' || issue.origin === 'int')
    return `must be ${side} ${limit}, got ${String(issue.input)}`;
  return limit === 1 ? 'must not be empty' : `must have ${side} ${limit} items`;
}

const typeNames: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function describe(input: unknown): string {
  if (input === null) return 'nothing';
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'string') return `the text ${quote(input)}`;
  if (typeof input === 'number') return `the number ${input}`;
  return typeof input === 'object' ? 'an object' : String(input);
}
