/** The tokens of an expression, each with its column. Refuses anything outside the language. */
import { InvalidInput } from '../errors.ts';
import { type Said, said } from '../texts/index.ts';
import type { Scalar } from './syntax.ts';

/**
 * A token as written; `at` is a column from 1. A name comes from `name` or `${name}`; symbols include and,
 * or, not, in.
 */
export type Token = { text: string; at: number } & (
  | { kind: 'value'; value: Scalar }
  | { kind: 'name'; name: string }
  | { kind: 'symbol' | 'end' }
);

const LITERALS = new Map<string, Scalar>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const WORD_OPERATORS = new Set(['and', 'or', 'not', 'in']);

const TOKEN = new RegExp(
  [
    String.raw`\s+`,
    String.raw`(?<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)`,
    String.raw`(?<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")`,
    String.raw`\$\{(?<reference>[^\s{}$'"\\]+)\}`,
    String.raw`(?<word>[\p{L}_][\p{L}\p{N}_]*)`,
    String.raw`(?<symbol>===|!==|==|!=|<=|>=|&&|\|\||[<>!+\-*\/%()[\],.?:])`,
  ].join('|'),
  'suy',
);

const ESCAPES = new Map(
  Object.entries({ n: '\n', r: '\r', t: '\t', '\\': '\\', "'": "'", '"': '"', $: '$' }),
);

/** Tokenizes the text; the last token is always `end`. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (let start = 0; start < text.length; start = TOKEN.lastIndex) {
    TOKEN.lastIndex = start;
    const match = TOKEN.exec(text);
    if (!match) throw unknown(text, start);
    const base = { text: match[0], at: start + 1 };
    const { number, quoted, reference, word, symbol } = match.groups ?? {};
    const literal = LITERALS.get(word);
    if (number !== undefined) tokens.push({ ...base, kind: 'value', value: finite(number, base.at) });
    else if (quoted !== undefined) tokens.push({ ...base, kind: 'value', value: unquote(quoted, base.at) });
    else if (literal !== undefined) tokens.push({ ...base, kind: 'value', value: literal });
    else if (symbol !== undefined || WORD_OPERATORS.has(word)) tokens.push({ ...base, kind: 'symbol' });
    else if (reference !== undefined || word !== undefined) {
      tokens.push({ ...base, kind: 'name', name: reference ?? word });
    }
  }
  tokens.push({ kind: 'end', text: '', at: text.length + 1 });
  return tokens;
}

function finite(number: string, at: number): number {
  const value = Number(number);
  if (!Number.isFinite(value)) throw new InvalidInput(said('expr.tooLarge'), `column ${at}`);
  return value;
}

/** The text between the quotes. `${` is refused there, because it would silently stay unresolved. */
function unquote(quoted: string, at: number): string {
  return quoted.slice(1, -1).replace(/\\u([0-9a-fA-F]{4})|\\(.)|\$\{/gsu, (found, code, escaped, offset) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    const meant = ESCAPES.get(escaped);
    if (meant !== undefined) return meant;
    throw new InvalidInput(
      found === '${' ? said('expr.referenceInQuotes') : said('expr.badEscape'),
      `column ${at + 1 + offset}`,
    );
  });
}

function unknown(text: string, start: number): InvalidInput {
  const character = String.fromCodePoint(text.codePointAt(start) ?? 0);
  const hints: Readonly<Record<string, Said>> = {
    "'": said('expr.open', { quote: "'" }),
    '"': said('expr.open', { quote: '"' }),
    $: said('expr.reference'),
    '=': said('expr.compare'),
    '&': said('expr.combine', { operator: '&&' }),
    '|': said('expr.combine', { operator: '||' }),
  };
  const hint = Object.hasOwn(hints, character) ? hints[character] : '';
  return new InvalidInput(
    said('expr.character', { found: JSON.stringify(character), hint }),
    `column ${start + 1}`,
  );
}
