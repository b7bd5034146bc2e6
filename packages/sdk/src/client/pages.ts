/** Pages of a list: an answer with one list in it, and `next`, the path of the page after it. */
import { ROOT } from './transport.ts';

/** What the list of a page consists of; never for an answer that is not a page, or has several lists in it. */
export type PageItem<Page> = Page extends { readonly next: string | null }
  ? ListOf<Page> extends infer Name extends keyof Page
    ? IsOne<Name> extends true
      ? Page[Name] extends readonly (infer Item)[]
        ? Item
        : never
      : never
    : never
  : never;

type ListOf<Page> = {
  [Key in keyof Page]-?: Page[Key] extends readonly unknown[] ? Key : never;
}[keyof Page];

type IsOne<Name, Others = Name> = Name extends unknown ? ([Others] extends [Name] ? true : false) : never;

/** The entries of a page, whatever the name of its list. */
export function itemsOf(page: object): readonly unknown[] {
  const list = Object.values(page).find((value) => Array.isArray(value));
  if (!list) throw new TypeError(`an answer with ${Object.keys(page).join(', ')} is not a page of a list`);
  return list;
}

/** The path of the next page, below the root of the API: servers may stand behind a prefix they do not know of. */
export function pathOfNext(next: string): string {
  return next.startsWith(ROOT) ? next.slice(ROOT.length) : next;
}
