/**
 * The input of a preview, from the command line or from a line of `--batch`: named values that are checked as
 * they are read, so that a mistake is told with the name the user wrote.
 */
import { InvalidInput } from '../errors.ts';

/** Named values, read by type. A value that is not given is `undefined` or null. */
export interface Fields {
  /** A text; `fallback` stands in for a missing one, which is refused without it. */
  text(name: string, fallback?: string): string;
  /** What `parse` makes of a text, its refusals told with the name; undefined for a missing one. */
  parsed<T>(name: string, parse: (text: string) => T): T | undefined;
  /** A whole number from 0 to `most`. */
  whole(name: string, most: number, fallback?: number): number;
  /** Texts, given as a list or separated by commas. */
  list(name: string): string[];
  /** Texts by name; empty when missing. */
  record(name: string): Record<string, string>;
}

/** Reads `values`; `label` says how the user wrote a name. */
export function readFields(values: Record<string, unknown>, label: (name: string) => string): Fields {
  const refuse = (name: string, message: string): never => {
    throw new InvalidInput(message, label(name));
  };
  const show = (value: unknown) => JSON.stringify(value);

  const fields: Fields = {
    text(name, fallback) {
      const value = values[name] ?? fallback ?? refuse(name, 'missing');
      return typeof value === 'string' ? value : refuse(name, `${show(value)} is not a text`);
    },

    parsed(name, parse) {
      if ((values[name] ?? undefined) === undefined) return undefined;
      const text = fields.text(name);
      try {
        return parse(text);
      } catch (error) {
        if (error instanceof InvalidInput) return refuse(name, error.message);
        throw error;
      }
    },

    whole(name, most, fallback) {
      const range = `a whole number from 0 to ${most}`;
      const value = values[name] ?? fallback ?? refuse(name, `missing; ${range} is needed`);
      const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
      if (typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= most)
        return number;
      return refuse(name, `${show(value)} is not ${range}`);
    },

    list(name) {
      const value = values[name] ?? refuse(name, 'missing; names separated by commas');
      const names: unknown = typeof value === 'string' ? value.split(',').map((part) => part.trim()) : value;
      if (Array.isArray(names) && names.every((each) => typeof each === 'string' && each !== ''))
        return names;
      return refuse(name, `${show(value)} is not a list of names`);
    },

    record(name) {
      const value = values[name] ?? {};
      if (typeof value !== 'object' || Array.isArray(value)) {
        return refuse(name, `${show(value)} is not an object of texts`);
      }
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => {
          if (!['string', 'number', 'boolean'].includes(typeof each)) {
            refuse(name, `the value of "${key}" is ${show(each)}, not a text`);
          }
          return [key, String(each)];
        }),
      );
    },
  };
  return fields;
}
