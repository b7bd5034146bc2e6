/**
 * Matches alerts against rules and mutes. Separate from the schema of rules, because the store's thread loads
 * no schema.
 */
import { type AlertEvent, alertKinds, isAtLeast } from './kinds.ts';
import type { AlertMatch, AlertRule } from './schema.ts';

/** What alerts of one message may have in common. */
export const groupings = ['kind', 'project', 'name'] as const;

/** Whether an alert matches. */
export function matches({ kinds, projects, names, tags, severity }: AlertMatch, event: AlertEvent): boolean {
  return (
    (!kinds || kinds.includes(event.kind)) &&
    (!projects || projects.some((one) => fits(one, event.project))) &&
    (!names || names.some((one) => fits(one, event.name))) &&
    (!tags || tags.some((tag) => event.tags.includes(tag))) &&
    (!severity || isAtLeast(alertKinds[event.kind].severity, severity))
  );
}

/** Key shared by the alerts of one group of a rule. */
export function groupKey({ groupBy }: Pick<AlertRule, 'groupBy'>, event: AlertEvent): string {
  return JSON.stringify(groupings.map((field) => (groupBy.includes(field) ? event[field] : null)));
}

/** Compares without a regular expression: a pattern is user input and must not take long. */
function fits(written: string, value: string): boolean {
  const [head, ...rest] = written.split('*');
  if (rest.length === 0) return written === value;
  if (!value.startsWith(head)) return false;
  const tail = rest.pop() ?? '';
  let at = head.length;
  for (const part of rest) {
    const found = value.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return value.length - tail.length >= at && value.endsWith(tail);
}
