/**
 * Writes YAML like SnakeYAML, limited to what ElasticJob's entries need: block mappings of scalars, lists and
 * string maps. Style, quotes and line folding match, so that an entry does not change when the other side
 * rewrites it.
 */

/** What a key may have. */
export type JavaValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;

const WIDTH = 80;

/** One key with its value, as whole lines; empty for an empty list or map. */
export function javaEntry(key: string, value: JavaValue): string {
  if (typeof value === 'number' || typeof value === 'boolean') return `${key}: ${value}\n`;
  if (typeof value === 'string') return pair(key, value, 0);
  if (Array.isArray(value))
    return value.length === 0 ? '' : `${key}:\n${value.map((one) => `- ${scalar(one, 2, 2)}\n`).join('')}`;
  const keys = Object.keys(value).sort();
  const map = value as Readonly<Record<string, string>>;
  return keys.length === 0 ? '' : `${key}:\n${keys.map((name) => `  ${pair(name, map[name], 2)}`).join('')}`;
}

function pair(key: string, value: string, indent: number): string {
  const name = /[\n\r\u0085\u2028\u2029]/.test(key) ? doubleQuoted(key) : scalar(key, indent, indent, false);
  return `${name}: ${scalar(value, indent + name.length + 2, indent + 2)}\n`;
}

/** A text in the style that SnakeYAML chooses for it. `column`: where it begins; `indent`: of further lines. */
function scalar(text: string, column: number, indent: number, isFolded = true): string {
  const pad = ' '.repeat(indent);
  if (!isPrintable(text)) {
    const lines =
      Buffer.from(text)
        .toString('base64')
        .match(/.{1,76}/g) ?? [];
    return `!!binary |-\n${lines.map((line) => pad + line).join('\n')}`;
  }
  if (/[\t\r\ufeff]/.test(text) || / [\n\u0085\u2028\u2029]/.test(text)) return doubleQuoted(text);
  if (/[\n\u0085\u2028\u2029]/.test(text))
    return / $/.test(text) ? doubleQuoted(text) : literal(text, pad, indent);
  if (isPlain(text)) return isFolded ? folded(text, column, pad) : text;
  const quoted = text.replaceAll("'", "''");
  return isFolded ? `'${folded(quoted, column + 1, pad)}'` : `'${quoted}'`;
}

/** Breaks a line at the first single space beyond the width. */
function folded(text: string, start: number, pad: string): string {
  let column = start;
  let written = '';
  for (const part of text.split(/(?<=[^ ])( +)(?=[^ ])/)) {
    if (part === ' ' && column > WIDTH) {
      written += `\n${pad}`;
      column = pad.length;
    } else {
      written += part;
      column += part.length;
    }
  }
  return written;
}

function literal(text: string, pad: string, indent: number): string {
  const end = text.endsWith('\n') ? (/(^|\n)\n$/.test(text) ? '+' : '') : '-';
  const hint = /^[ \n\u0085\u2028\u2029]/.test(text) ? '2' : '';
  const body = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  const pads = hint ? ' '.repeat(indent) : pad;
  return `|${hint}${end}\n${body.map((line) => (line === '' ? '' : pads + line)).join('\n')}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
  '\u0085': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
  '\ufeff': '\\ufeff',
};

function doubleQuoted(text: string): string {
  return `"${text.replace(/[\t\n\r"\\\u0085\u2028\u2029\ufeff]/g, (unit) => ESCAPES[unit])}"`;
}

/** What SnakeYAML writes as text; everything else becomes `!!binary`. */
function isPrintable(text: string): boolean {
  return /^[\t\n\r\u0020-\u007e\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u.test(text);
}

function isPlain(text: string): boolean {
  if (text === '' || /^ | $/.test(text)) return false;
  if (/^(---|\.\.\.)/.test(text) || /^[#,[\]{}&*!|>'"%@`]/.test(text) || /^[-?:]( |$)/.test(text))
    return false;
  return !/: |:$| #/.test(text) && !isTyped(text);
}

/** Whether YAML 1.1 would read a plain text as something else: a truth value, number, date, null or merge. */
function isTyped(text: string): boolean {
  return TYPED.some((form) => form.test(text));
}

const TYPED = [
  /^(yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/,
  /^(~|null|Null|NULL|<<|=)$/,
  /^[-+]?(0b[01_]+|0[0-7_]*|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(:[0-5]?[0-9])+)$/,
  /^[-+]?[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?$/,
  /^[-+]?\.[0-9][0-9_]*([eE][-+]?[0-9]+)?$/,
  /^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*$/,
  /^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$/,
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/,
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]*)?([ \t]*(Z|[-+][0-9]{1,2}(:?[0-9]{2})?))?$/,
];
