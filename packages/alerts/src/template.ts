/**
 * A channel's own templates: texts with `{{name}}`, or `{{name|instead}}` for alerts without such a value.
 * Names are checked when the channel is set. A template that fails never blocks its message: the standard
 * text is sent, with a line that reports the failure.
 */
import { z } from 'zod';
import type { MessageText } from './message.ts';
import { cut } from './text.ts';

/** The names that a template may use. */
const names = [
  'title',
  'text',
  'cause',
  'severity',
  'kind',
  'reason',
  'project',
  'name',
  'run',
  'rule',
  'count',
  'since',
  'link',
  'command',
  'action',
] as const;
type Name = (typeof names)[number];

const PLACE = /\{\{\s*([\w.-]+)\s*(?:\|([^{}]*))?\}\}/g;
const MOST_TITLE = 300;
const MOST_TEXT = 10_000;

const template = z
  .string()
  .min(1)
  .max(4_000)
  .superRefine((text, context) => {
    for (const [, name] of text.matchAll(PLACE))
      if (!(names as readonly string[]).includes(name))
        context.addIssue({
          code: 'custom',
          message: `{{${name}}} is unknown; use one of ${names.join(', ')}`,
        });
  });

/** The title and text of messages; a missing one keeps its default. */
export const templateSchema = z.strictObject({ title: template.optional(), text: template.optional() });
export type Template = z.output<typeof templateSchema>;

/** A message in a channel's words; the standard one with `failed` as its last line where that does not work. */
export function applyTemplate(
  { title, text }: Template,
  standard: MessageText,
  rule: string,
  failed: (why: string) => string,
): MessageText {
  const values = valuesOf(standard, rule);
  try {
    const heading = title && cut(fill(title, values).replaceAll('\n', ' '), MOST_TITLE);
    const body = text && cut(fill(text, values), MOST_TEXT);
    return {
      ...standard,
      ...(heading && { title: heading }),
      ...(body && { lines: body.split('\n'), action: undefined, command: undefined }),
    };
  } catch (error) {
    return { ...standard, lines: [...standard.lines, failed((error as Error).message)] };
  }
}

function fill(template: string, values: Readonly<Record<Name, string | undefined>>): string {
  return template.replace(PLACE, (_, name: Name, instead: string | undefined) => {
    const value = values[name] ?? instead;
    if (value === undefined) throw new Error(`{{${name}}} has no value`);
    return value;
  });
}

function valuesOf(standard: MessageText, rule: string): Record<Name, string | undefined> {
  const { title, lines, severity, reason, count, since, link, command, action, subjects } = standard;
  const [first] = subjects;
  return {
    title,
    text: lines.join('\n'),
    cause: first?.text,
    severity,
    kind: first?.kind,
    reason,
    project: first?.project || undefined,
    name: first?.name,
    run: first?.run ? String(first.run) : undefined,
    rule: rule || undefined,
    count: String(count),
    since: new Date(since).toISOString(),
    link,
    command,
    action,
  };
}
