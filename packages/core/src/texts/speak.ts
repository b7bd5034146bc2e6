/**
 * Formats texts in the language of a table. This module contains no table, so that a browser loads only its
 * own.
 */
import { type Counting, type Message, readMessage } from './message.ts';

export { type Counting, type Message, readMessage, type Values } from './message.ts';

/** A text as data, possibly of a newer server. */
export interface AnySaid {
  readonly code: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/**
 * Makes a function that formats texts in the language of a table; it returns undefined for an unknown code.
 */
export function speaker(
  table: Readonly<Record<string, string>>,
  counting: Counting,
  joined: (list: readonly string[]) => string,
): (said: AnySaid) => string | undefined {
  const read = new Map<string, Message>();
  const messageOf = (code: string): Message => {
    const known = read.get(code) ?? readMessage(table[code], counting);
    read.set(code, known);
    return known;
  };
  const value = (field: unknown): string | number => {
    if (typeof field === 'number') return field;
    if (Array.isArray(field)) return joined(field.map((entry) => String(value(entry))));
    if (typeof field !== 'object' || field === null) return String(field ?? '');
    return say(field as AnySaid) ?? (field as AnySaid).code;
  };
  const say = ({ code, fields = {} }: AnySaid): string | undefined =>
    Object.hasOwn(table, code)
      ? messageOf(code)(
          Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, value(field)])),
        )
      : undefined;
  return say;
}
