/**
 * Messages for invalid values that name the accepted ones, for all schemas without a message of their own.
 */
import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

/** The words; undefined where there are none, and those of the library stand. */
export function wordsFor(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : types[issue.expected];
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
      return `must ${measured(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`;
    case 'too_big':
      return `must ${measured(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`;
    case 'invalid_union':
      return unionWords(issue.errors);
    default:
      return undefined;
  }
}

const types: Readonly<Record<string, string>> = {
  string: 'must be a text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  record: 'must be an object',
};

function measured(origin: string, bound: string, limit: number | bigint): string {
  const one = limit === 1 || limit === 1n;
  switch (origin) {
    case 'string':
      return `have ${bound} ${limit} ${one ? 'character' : 'characters'}`;
    case 'array':
      return `have ${bound} ${limit} ${one ? 'entry' : 'entries'}`;
    default:
      return `be ${bound} ${limit}`;
  }
}

/** Of several forms, those that the value itself could have. */
function unionWords(forms: readonly (readonly z.core.$ZodIssue[])[]): string {
  const words = forms.flatMap(([first]) => (first && first.path.length === 0 ? [first.message] : []));
  return [...new Set(words)].join(', or ') || 'has none of the forms that are accepted';
}
