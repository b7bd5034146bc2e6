/**
 * The query of an address: each page declares its fields, and names or values that do not fit are dropped and
 * reported. Pure: text in, values out.
 */

/** Reads one value; undefined where the text does not fit. */
export interface SearchField<T> {
  read(text: string): T | undefined;
  write(value: T): string;
}

/** The fields of a page by name. */
export type SearchFields = Readonly<Record<string, AnyField>>;

/** Methods are compared loosely by the compiler, so that fields of any type fit. */
interface AnyField {
  read(text: string): unknown;
  write(value: never): string;
}

/** The values of a page's fields; absent where not given. */
export type SearchOf<Fields> = {
  readonly [Name in keyof Fields]?: Fields[Name] extends SearchField<infer T> ? T : never;
};

/** Any text up to a length. */
export function textField(most = 300): SearchField<string> {
  return { read: (text) => (text !== '' && text.length <= most ? text : undefined), write: String };
}

/** One of some words. */
export function oneOf<T extends string>(values: readonly T[]): SearchField<T> {
  return { read: (text) => values.find((value) => value === text), write: String };
}

/** Several of some words, joined by commas; all of them must fit. */
export function listOf<T extends string>(values: readonly T[]): SearchField<readonly T[]> {
  return {
    read(text) {
      const found = text.split(',').map((part) => values.find((value) => value === part));
      return found.includes(undefined) ? undefined : (found as T[]);
    },
    write: (list) => list.join(','),
  };
}

/** Several names, with commas between them: names have none. */
export const namesField: SearchField<readonly string[]> = {
  read: (text) => {
    const names = text.split(',').filter((name) => name !== '');
    return names.length === 0 ? undefined : names;
  },
  write: (names) => names.join(','),
};

/** Several whole numbers from 1 on, joined by commas. */
export const numbersField: SearchField<readonly number[]> = {
  read(text) {
    const parts = text.split(',');
    return parts.every((part) => /^[1-9]\d{0,14}$/.test(part)) ? parts.map(Number) : undefined;
  },
  write: (list) => list.join(','),
};

const length = '(?:\\d+(?:\\.\\d+)?(?:ms|s|m|h|d|w))+';
const spanForm = new RegExp(`^(?:${length}(?:\\.\\.(?:${length})?)?|\\.\\.${length})$`);

/** How long something took: at least (`10m`), at most (`..30s`), or between (`10m..1h`). */
export const spanField: SearchField<string> = {
  read: (text) => (spanForm.test(text) && text.length <= 60 ? text : undefined),
  write: String,
};

/** A whole number within bounds. */
export function numberField(least: number, most: number): SearchField<number> {
  return {
    read: (text) => (/^-?\d{1,15}$/.test(text) && +text >= least && +text <= most ? Number(text) : undefined),
    write: String,
  };
}

/** A time: an instant, or relative to now (`-24h`), which stays relative in the address. */
export const timeField: SearchField<string> = {
  read: (text) => (/^-\d{1,6}[smhd]$/.test(text) || !Number.isNaN(Date.parse(text)) ? text : undefined),
  write: String,
};

/** Parses the query of an address; `dropped` lists unknown names and names whose value does not fit. */
export function readSearch<Fields extends SearchFields>(
  fields: Fields,
  raw: Readonly<Record<string, string>>,
): { readonly search: SearchOf<Fields>; readonly dropped: readonly string[] } {
  const search: Record<string, unknown> = {};
  const dropped: string[] = [];
  for (const [name, text] of Object.entries(raw)) {
    const value = Object.hasOwn(fields, name) ? fields[name].read(text) : undefined;
    if (value === undefined) dropped.push(name);
    else search[name] = value;
  }
  return { search: search as SearchOf<Fields>, dropped };
}

/** Splits a query into texts; a repeated name becomes a list. */
export function parseQuery(query: string): Record<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const before = found.get(name);
    found.set(name, before === undefined ? value : `${before},${value}`);
  }
  // Not by assignment: an address may well name a field `__proto__`.
  return Object.fromEntries(found);
}

/** Puts texts together into a query that people can read: commas, slashes, colons and equals signs stay. */
export function formatQuery(search: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(search)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${encodeURIComponent(name)}=${readable(String(value))}`);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function readable(value: string): string {
  return encodeURIComponent(value)
    .replaceAll('%2C', ',')
    .replaceAll('%2F', '/')
    .replaceAll('%3A', ':')
    .replaceAll('%3D', '=');
}
