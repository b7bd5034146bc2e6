/**
 * The text of a workflow with the places of its tasks. Text is the one model of the editor: graph and form read it
 * through this, and change it by splices that leave every other byte as it was.
 */
import {
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';

/** A part of the text that becomes another; positions are those of the text before all splices of a gesture. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** A mapping as the text writes it. */
export type TextMap = YAMLMap<Node, Node | null>;
type TextPair = Pair<Node, Node | null>;

/** A task that has a name, in the order of the text. */
export interface TaskSource {
  readonly name: string;
  readonly type: string;
  readonly needs: readonly string[];
  /** Its range: from its first key to the end of its last value. */
  readonly from: number;
  readonly to: number;
  /** Null where it is written in a way that only the text can change: as an alias, or with merged keys. */
  readonly map: TextMap | null;
  /** Its place in the list. */
  readonly index: number;
}

/** A workflow text that was read. */
export interface Source {
  readonly text: string;
  readonly root: TextMap;
  /** The list of tasks; null where the text has none that could be added to. */
  readonly list: YAMLSeq<Node> | null;
  readonly tasks: readonly TaskSource[];
}

/** A gesture that is not possible; `code` picks the sentence with the reason. */
export class EditRefused extends Error {
  readonly code: 'written-otherwise' | 'loop' | 'unknown' | 'name-taken' | 'bad-yaml';
  readonly detail: string;

  constructor(code: EditRefused['code'], detail = '') {
    super(`${code}: ${detail}`);
    this.code = code;
    this.detail = detail;
  }
}

/** Reads a text that is one YAML document with a mapping; null for any other. */
export function readSource(text: string): Source | null {
  const document = parseDocument<Node>(text, {
    keepSourceTokens: true,
    uniqueKeys: false,
    logLevel: 'error',
    schema: 'core',
    resolveKnownTags: false,
  });
  const root = document.contents;
  if (document.errors.length > 0 || !isMap<Node, Node | null>(root)) return null;
  const list = valueAt(root, 'tasks');
  if (!isSeq<Node>(list)) return { text, root, list: null, tasks: [] };
  const tasks = list.items.flatMap((item, index): TaskSource[] => {
    const map = item && 'resolve' in item ? item.resolve(document) : item;
    if (!isMap<Node, Node | null>(map)) return [];
    const name = textOf(valueAt(map, 'name'));
    if (name === undefined || name === '') return [];
    const given = valueAt(map, 'needs');
    const needs = given && 'resolve' in given ? given.resolve(document) : given;
    const own = map === item && !map.items.some(({ key }) => textOf(key) === '<<');
    return [
      {
        name,
        type: textOf(valueAt(map, 'type')) ?? '',
        needs: (isSeq<Node>(needs) ? needs.items : [needs]).flatMap((one) => textOf(one) ?? []),
        from: item.range?.[0] ?? 0,
        to: endOf(text, item),
        map: own ? map : null,
        index,
      },
    ];
  });
  return { text, root, list, tasks };
}

/** Applies splices to a text. */
export function apply(text: string, splices: readonly Splice[]): string {
  let result = text;
  for (const { from, to, insert } of [...splices].sort((a, b) => b.from - a.from || b.to - a.to))
    result = result.slice(0, from) + insert + result.slice(to);
  return result;
}

/** The task of a name, which can be changed by more than text. */
export function taskOf({ tasks }: Source, name: string): TaskSource & { readonly map: TextMap } {
  const task = tasks.find((one) => one.name === name);
  if (!task) throw new EditRefused('unknown', name);
  if (!task.map) throw new EditRefused('written-otherwise', name);
  return { ...task, map: task.map };
}

/** The text of a scalar. */
export function textOf(node: unknown): string | undefined {
  if (!isScalar(node) || node.value === null) return undefined;
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
}

/** The pair of a key. */
export function pairOf(map: TextMap, key: string): TextPair | undefined {
  return map.items.find((pair) => textOf(pair.key) === key);
}

/** The value of a key. */
export function valueAt(map: TextMap, key: string): Node | null | undefined {
  return pairOf(map, key)?.value;
}

export const startOf = (node: Node | null | undefined): number => node?.range?.[0] ?? 0;

/** The end of a node, without the trailing white space and line breaks that YAML includes. */
export function endOf(text: string, node: Node): number {
  let end = node.range?.[1] ?? 0;
  while (end > startOf(node) && /\s/.test(text[end - 1])) end--;
  return end;
}

/** The end of a pair. */
export function pairEnd(text: string, { key, value }: TextPair): number {
  const colon = () => text.indexOf(':', key.range?.[1] ?? 0) + 1;
  return value?.range && value.range[1] > value.range[0] ? endOf(text, value) : colon();
}

export const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;

/** The end of a line, without its break. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** How far a place is from the start of its line. */
export const columnOf = (text: string, at: number): number => at - lineStart(text, at);
