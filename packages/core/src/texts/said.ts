/**
 * Texts for people, as a code with fields. English comes from the table in `english.ts`, other languages from
 * tables with the same keys. Programs branch on the code; the words may change.
 */
import { english as table } from './english.ts';
import { type AnySaid, speaker } from './speak.ts';

type Table = typeof table;

/** The code of a text. */
export type Code = keyof Table;

/** Value of a field: a list is joined; a nested text is shown in the same language. */
type Field = string | number | Said | readonly (string | Said)[];

/** A text not yet in any language. */
export interface Said {
  readonly code: Code;
  readonly fields: Readonly<Record<string, Field>>;
}

/**
 * Names between braces. Branches of a choice are empty or contain a space or punctuation, so they are not
 * matched.
 */
type Names<Text extends string> = Text extends `${string}{${infer Rest}`
  ? (Rest extends `${infer Inner}}${string}` ? NameIn<Inner> : never) | Names<Rest>
  : never;
type NameIn<Inner extends string> = Inner extends ''
  ? never
  : Inner extends `${infer Name},${string}`
    ? NameIn<Name>
    : Inner extends `${string}${' ' | '#' | "'" | '{'}${string}`
      ? never
      : Inner;

type FieldsOf<C extends Code> = Readonly<Record<Names<Table[C]>, Field>>;

/** Makes a text from its code and the fields that its English has. */
export function said<C extends Code>(
  code: C,
  ...[fields]: [Names<Table[C]>] extends [never] ? [] : [FieldsOf<C>]
): Said {
  return { code, fields: fields ?? {} };
}

/** A text that may be in no table yet, such as a library's words. */
export type Words = Said | string;

const speak = speaker(table, { format: String, select: (count) => (count === 1 ? 'one' : 'other') }, (list) =>
  list.join(', '),
);

/** A text in English; a code of a newer version is shown as it is. */
export function english(text: AnySaid | string): string {
  return typeof text === 'string' ? text : (speak(text) ?? text.code);
}
