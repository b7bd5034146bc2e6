/**
 * Everything the product says to people, as a code with fields. English is made of the table in `english.ts`, other
 * languages of tables with the same keys. Programs branch on the code; the words may change.
 */
import { english as table } from './english.ts';
import { type AnySaid, speaker } from './speak.ts';

type Table = typeof table;

/** The code of a text. */
export type Code = keyof Table;

/** What a text is filled with: a list is joined, a text within a text is said in the same language. */
type Field = string | number | Said | readonly (string | Said)[];

/** A text that is not yet in any language. */
export interface Said {
  readonly code: Code;
  readonly fields: Readonly<Record<string, Field>>;
}

/** Names between braces; branches of a choice have a space or a sign in them, so that they are none. */
type Names<Text extends string> = Text extends `${string}{${infer Rest}`
  ? (Rest extends `${infer Inner}}${string}` ? NameIn<Inner> : never) | Names<Rest>
  : never;
type NameIn<Inner extends string> = Inner extends `${infer Name},${string}`
  ? NameIn<Name>
  : Inner extends `${string}${' ' | '#' | "'" | '{'}${string}`
    ? never
    : Inner;

type FieldsOf<C extends Code> = Readonly<Record<Names<Table[C]>, Field>>;

/** A text by its code, with the fields that its English has. */
export function said<C extends Code>(
  code: C,
  ...[fields]: [Names<Table[C]>] extends [never] ? [] : [FieldsOf<C>]
): Said {
  return { code, fields: fields ?? {} };
}

/** A text that may be of no table yet, such as the words of a library. */
export type Words = Said | string;

const speak = speaker(table, { format: String, select: (count) => (count === 1 ? 'one' : 'other') }, (list) =>
  list.join(', '),
);

/** A text in English; a code of a newer version is shown as it is. */
export function english(text: AnySaid | string): string {
  return typeof text === 'string' ? text : (speak(text) ?? text.code);
}
