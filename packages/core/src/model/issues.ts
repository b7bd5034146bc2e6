/** Converts issues of the schema to problems in the words of the file's author. */
import type { z } from 'zod';
import { type Said, said, type Words } from '../texts/index.ts';
import { hintFor } from './nearest.ts';
import { type Path, type Problem, type ProblemCode, worded } from './problem.ts';
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
  const hint = hintFor(key, known) || said('hint.keys', { keys: known });
  return {
    path: [...path, key],
    code: 'unknown-key',
    ...worded(said('file.unknownKey', { key: quote(key), hint })),
  };
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

function expectations(issue: Issue): (Said | string)[] {
  if (issue.code === 'invalid_value') return [said('type.oneOf', { values: issue.values.map(String) })];
  return issue.code === 'invalid_type' ? [typeNames[issue.expected] ?? issue.expected] : [];
}

function typeProblem(expected: readonly (Said | string)[], input: unknown, path: Path): Problem {
  const [first, ...others] = expected;
  const last = others.pop();
  const accepted = last === undefined ? first : said('type.or', { types: [first, ...others], last });
  if (input === undefined) {
    const key = quote(path.at(-1) ?? 'the workflow');
    return { path, code: 'missing-key', ...worded(said('file.missing', { key, accepted })) };
  }
  const hint = typeof input === 'number' && accepted === typeNames.string ? said('hint.quote') : '';
  const found = describe(input);
  return { path, code: 'wrong-type', ...worded(said('file.wrongType', { accepted, found, hint })) };
}

function simpleProblem(issue: Issue, path: Path): Problem {
  const problem = (code: ProblemCode, words: Words): Problem => ({ path, code, ...worded(words) });
  switch (issue.code) {
    case 'invalid_type':
      return typeProblem(expectations(issue), issue.input, path);
    case 'invalid_value': {
      const accepted = issue.values.map(String);
      if (typeof issue.input !== 'string') return typeProblem(expectations(issue), issue.input, path);
      const hint = hintFor(issue.input, accepted);
      return problem('bad-value', said('file.notOneOf', { text: quote(issue.input), accepted, hint }));
    }
    case 'too_small':
      return problem('bad-value', bound(issue, 'least', issue.minimum));
    case 'too_big':
      return problem('bad-value', bound(issue, 'most', issue.maximum));
    case 'custom':
      return problem(
        (issue.params?.code as ProblemCode | undefined) ?? 'bad-value',
        (issue.params?.said as Said | undefined) ?? issue.message,
      );
    default:
      return problem('bad-value', issue.message);
  }
}

function bound(issue: Issue & { origin: string }, side: 'least' | 'most', bound: number | bigint): Said {
  const limit = String(bound);
  if (issue.origin === 'number' || issue.origin === 'int')
    return said('file.bound', { side, limit, found: String(issue.input) });
  return limit === '1' ? said('file.empty') : said('file.items', { side, limit });
}

const typeNames: Readonly<Record<string, Said>> = {
  string: said('type.string'),
  number: said('type.number'),
  int: said('type.whole'),
  boolean: said('type.trueOrFalse'),
  array: said('type.list'),
  object: said('type.object'),
  record: said('type.object'),
};

function describe(input: unknown): Said | string {
  if (input === null) return said('type.nothing');
  if (Array.isArray(input)) return said('type.list');
  if (typeof input === 'string') return said('type.theText', { text: quote(input) });
  if (typeof input === 'number') return said('type.theNumber', { number: input });
  return typeof input === 'object' ? said('type.object') : String(input);
}
