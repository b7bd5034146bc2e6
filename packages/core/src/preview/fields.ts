/**
 * Input of a preview, from the command line or a line of `--batch`: named values checked as they are read, so
 * that errors use the name the user wrote.
 */
import { InvalidInput } from '../errors.ts';
import { said, type Words } from '../texts/index.ts';

/** Named values, read by type. A missing value is `undefined` or null. */
export interface Fields {
  /** A text; without `fallback`, a missing one is refused. */
  text(name: string, fallback?: string): string;
  /** A text parsed by `parse`, whose errors get the name; undefined if it is missing. */
  parsed<T>(name: string, parse: (text: string) => T): T | undefined;
  /** A whole number from 0 to `most`. */
  whole(name: string, most: number, fallback?: number): number;
  /** Texts, as a list or comma-separated. */
  list(name: string): string[];
  /** Texts by name; empty if missing. */
  record(name: string): Record<string, string>;
}

/** Reads `values`; `label` returns a name as the user wrote it. */
export function readFields(values: Record<string, unknown>, label: (name: string) => string): Fields {
  const refuse = (name: string, words: Words): never => {
    throw new InvalidInput(words, label(name));
  };
  const show = (value: unknown) => JSON.stringify(value);

  const fields: Fields = {
    text(name, fallback) {
      const value = values[name] ?? fallback ?? refuse(name, said('preview.missing'));
      return typeof value === 'string'
        ? value
        : refuse(name, said('preview.notText', { value: show(value) }));
    },

    parsed(name, parse) {
      if ((values[name] ?? undefined) === undefined) return undefined;
      const text = fields.text(name);
      try {
        return parse(text);
      } catch (error) {
        if (error instanceof InvalidInput) return refuse(name, error.said ?? error.message);
        throw error;
      }
    },

    whole(name, most, fallback) {
      const value = values[name] ?? fallback ?? refuse(name, said('preview.missingNumber', { most }));
      const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
      if (typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= most)
        return number;
      return refuse(name, said('preview.notWhole', { value: show(value), most }));
    },

    list(name) {
      const value = values[name] ?? refuse(name, said('preview.missingNames'));
      const names: unknown = typeof value === 'string' ? value.split(',').map((part) => part.trim()) : value;
      if (Array.isArray(names) && names.every((each) => typeof each === 'string' && each !== ''))
        return names;
      return refuse(name, said('preview.notNames', { value: show(value) }));
    },

    record(name) {
      const value = values[name] ?? {};
      if (typeof value !== 'object' || Array.isArray(value)) {
        return refuse(name, said('preview.notTexts', { value: show(value) }));
      }
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => {
          if (!['string', 'number', 'boolean'].includes(typeof each)) {
            refuse(name, said('preview.entryNotText', { key, value: show(each) }));
          }
          return [key, String(each)];
        }),
      );
    },
  };
  return fields;
}
