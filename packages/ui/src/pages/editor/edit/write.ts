/** How values are written into a text, and the splices that put keys and items into mappings and lists or take them out. */
import { isScalar, type Node, parseDocument, stringify, type YAMLSeq } from 'yaml';
import {
  columnOf,
  EditRefused,
  endOf,
  lineEnd,
  lineStart,
  pairEnd,
  pairOf,
  type Splice,
  startOf,
  type TextMap,
  textOf,
} from './source.ts';

/** A value as someone wrote it, in YAML. */
export interface Yaml {
  readonly yaml: string;
}

export const isYaml = (value: unknown): value is Yaml =>
  typeof value === 'object' && value !== null && 'yaml' in value && typeof value.yaml === 'string';

/** The value of a YAML text; refused where it is none. */
function parsed({ yaml }: Yaml): unknown {
  const document = parseDocument(yaml, { logLevel: 'silent', schema: 'core' });
  if (document.errors.length > 0)
    throw new EditRefused('bad-yaml', document.errors[0].message.split('\n')[0]);
  return document.toJS({ maxAliasCount: 100 });
}

const plainName = /^(?!(?:true|false|null)$)[\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_-]+)*$/iu;

/** On one line, valid also between brackets. */
export function inline(value: unknown, quoted = false): string {
  if (typeof value === 'string' && !quoted && plainName.test(value)) return value;
  if (Array.isArray(value)) return `[${value.map((one) => inline(one, quoted)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value).map(([key, one]) => `${inline(key, quoted)}: ${inline(one, quoted)}`);
    return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
  }
  return JSON.stringify(value);
}

/** What follows the colon of a key in a block: on its line, or on lines of their own two columns further in. */
export function afterColon(value: unknown, column: number): string {
  const indented = (lines: string) =>
    lines
      .split('\n')
      .map((line) => (line === '' ? '' : ' '.repeat(column + 2) + line))
      .join('\n');
  if (isYaml(value)) {
    const yaml = value.yaml.replace(/\s+$/, '');
    const isBlock = yaml.includes('\n') || /^(?:- |[^\s"'[{#|>][^#"']*:(?:\s|$))/.test(yaml);
    if (/^[|>]/.test(yaml)) {
      const [head, ...lines] = yaml.split('\n');
      const least = Math.min(...lines.filter((one) => one.trim() !== '').map((one) => one.search(/\S/)));
      return ` ${head}\n${indented(lines.map((one) => one.slice(least)).join('\n'))}`;
    }
    return isBlock ? `\n${indented(yaml)}` : ` ${yaml}`;
  }
  if (typeof value === 'string' && value.includes('\n')) {
    const simple =
      /^[^\s]/.test(value) && !/[^\n]?\n\n+$/.test(value) && !/[\r\u0085\u2028\u2029]/.test(value);
    if (!simple) return ` ${JSON.stringify(value)}`;
    return value.endsWith('\n') ? ` |\n${indented(value.slice(0, -1))}` : ` |-\n${indented(value)}`;
  }
  if (typeof value === 'string' && plainName.test(value)) return ` ${value}`;
  const isSimple = typeof value !== 'object' || value === null;
  if (isSimple || (Array.isArray(value) && value.every((one) => typeof one !== 'object')))
    return ` ${isSimple ? stringify(value, { lineWidth: 0 }).trimEnd() : inline(value)}`;
  return `\n${indented(stringify(value, { lineWidth: 0 }).trimEnd())}`;
}

/** A value for between brackets. */
const flowValue = (value: unknown, quoted: boolean) => inline(isYaml(value) ? parsed(value) : value, quoted);
const isQuoted = (node: Node | undefined) => isScalar(node) && node.type === 'QUOTE_DOUBLE';

/** Puts a key into a mapping, or another value under one that is there. New ones come after `after`, else last. */
export function setPair(
  text: string,
  map: TextMap,
  key: string,
  value: unknown,
  after: readonly string[] = [],
): Splice[] {
  if (isYaml(value)) parsed(value);
  const old = pairOf(map, key);
  const quoted = isQuoted(map.items[0]?.key);
  const column = map.items[0] ? columnOf(text, startOf(map.items[0].key)) : 0;
  if (old) {
    const colon = text.indexOf(':', old.key.range?.[1] ?? 0) + 1;
    const end = pairEnd(text, old);
    if (map.flow) return [{ from: colon, to: end, insert: ` ${flowValue(value, quoted)}` }];
    const insert = afterColon(value, column);
    // One line for one line: white space before it and a comment behind it stay.
    if (
      isScalar(old.value) &&
      !/^[|>]/.test(text[startOf(old.value)]) &&
      !insert.includes('\n') &&
      end > colon
    )
      return [{ from: startOf(old.value), to: end, insert: insert.trimStart() }];
    return [{ from: colon, to: end, insert }];
  }
  if (map.items.length === 0)
    return [
      {
        from: startOf(map),
        to: map.range?.[1] ?? 0,
        insert: `{ ${inline(key, quoted)}: ${flowValue(value, quoted)} }`,
      },
    ];
  const before = map.items.findLast(({ key: one }) => after.includes(textOf(one) ?? '')) ?? map.items.at(-1);
  const end = before ? pairEnd(text, before) : 0;
  if (map.flow)
    return [{ from: end, to: end, insert: `, ${inline(key, quoted)}: ${flowValue(value, quoted)}` }];
  const at = lineEnd(text, end);
  return [{ from: at, to: at, insert: `\n${' '.repeat(column)}${inline(key)}:${afterColon(value, column)}` }];
}

/** Takes a key out of a mapping. */
export function removePair(text: string, map: TextMap, key: string): Splice[] {
  const at = map.items.findIndex((pair) => textOf(pair.key) === key);
  if (at < 0) return [];
  const pair = map.items[at];
  const start = startOf(pair.key);
  const next = map.items[at + 1];
  if (map.items.length === 1) return [{ from: start, to: pairEnd(text, pair), insert: map.flow ? '' : '{}' }];
  if (map.flow)
    return next
      ? [{ from: start, to: startOf(next.key), insert: '' }]
      : [{ from: pairEnd(text, map.items[at - 1]), to: pairEnd(text, pair), insert: '' }];
  // On the line of a dash, or of an anchor, the next key takes its place.
  if (text.slice(lineStart(text, start), start).trim() !== '')
    return [{ from: start, to: startOf(next.key), insert: '' }];
  return [wholeLines(text, start, pairEnd(text, pair))];
}

/** Takes whole lines out. */
function wholeLines(text: string, from: number, to: number): Splice {
  const end = lineEnd(text, to);
  const start = lineStart(text, from);
  return end < text.length
    ? { from: start, to: end + 1, insert: '' }
    : { from: Math.max(0, start - 1), to: end, insert: '' };
}

/** Where the line of an item begins that has a dash, comments right above it included. */
export function itemStart(text: string, list: YAMLSeq<Node>, index: number): number {
  const token = list.srcToken;
  const tokens = token?.type === 'block-seq' ? token.items[index].start : [];
  const dash = tokens.find(({ type }) => type === 'seq-item-ind')?.offset ?? startOf(list.items[index]);
  let start = lineStart(text, dash);
  const column = dash - start;
  while (start > 0) {
    const above = text.slice(lineStart(text, start - 1), start);
    if (above.search(/\S/) !== column || above.trimStart()[0] !== '#') break;
    start -= above.length;
  }
  return start;
}

/** The column of the dashes of a list. */
function dashColumn(text: string, list: YAMLSeq<Node>): number {
  return columnOf(text, startOf(list));
}

/** Takes items out of a list, of which others are left; `indexes` are in order. */
export function removeItems(text: string, list: YAMLSeq<Node>, indexes: readonly number[]): Splice[] {
  if (!list.flow)
    return indexes.map((index) =>
      wholeLines(text, itemStart(text, list, index), endOf(text, list.items[index])),
    );
  // Neighbours go together, with the comma on one side of them.
  const splices: Splice[] = [];
  for (let at = 0; at < indexes.length; at++) {
    const first = indexes[at];
    while (indexes[at + 1] === indexes[at] + 1) at++;
    const [before, next] = [list.items[first - 1], list.items[indexes[at] + 1]];
    const from = next || !before ? startOf(list.items[first]) : endOf(text, before);
    splices.push({ from, to: next ? startOf(next) : endOf(text, list.items[indexes[at]]), insert: '' });
  }
  return splices;
}

/** Puts items into a list after one of them: as `blocks`, lines that begin with a dash, or as values. */
export function insertItems(
  text: string,
  list: YAMLSeq<Node>,
  after: number,
  items: readonly { readonly block: string; readonly value: unknown }[],
): Splice[] {
  const last = list.items[after];
  if (list.flow) {
    const quoted = /^\s*\{\s*"/.test(text);
    const insert = items.map(({ value }) => inline(value, quoted)).join(', ');
    if (!last) return [{ from: startOf(list), to: list.range?.[1] ?? 0, insert: `[${insert}]` }];
    const at = endOf(text, last);
    return [{ from: at, to: at, insert: `, ${insert}` }];
  }
  const at = lineEnd(text, endOf(text, last));
  const column = dashColumn(text, list);
  const insert = items.map(({ block }) => `\n${indentLines(block, column)}`).join('');
  return [{ from: at, to: at, insert }];
}

/** Moves lines to the right. */
export function indentLines(lines: string, by: number): string {
  return lines
    .split('\n')
    .map((line) => (line === '' ? '' : ' '.repeat(by) + line))
    .join('\n');
}
