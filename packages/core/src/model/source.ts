/**
 * The text of a workflow file: YAML 1.2, which includes JSON, in one or several documents. Every value knows
 * its place, so problems have a line and a column. Text that expands to much more than its length is refused.
 */
import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { InvalidInput } from '../errors.ts';
import { said, type Words } from '../texts/index.ts';
import { type Path, type Problem, type ProblemCode, worded } from './problem.ts';

const MOST_CHARACTERS = 10 * 1024 * 1024;
/** Limit of values in one document, with aliases expanded. */
const MOST_VALUES = 1_000_000;
/** Limit of tokens in a text, counted before parsing: a parsed token takes some 200 bytes. */
const MOST_SIGNS = 3_000_000;
const MOST_DOCUMENTS = 1_000;
const MOST_LEVELS = 100;
/** Limit of syntax errors reported for one document. */
const MOST_ERRORS = 20;

/** Numbers under these keys become text and keep their spelling: 1.10 is not 1.1, 007 is not 7. */
const textKeys: ReadonlySet<string> = new Set(['params', 'over', 'without']);

/** A position in a text, counted from 1. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** One document of a text. `readable` says whether `value` is as intended, possibly with problems. */
export interface SourceDocument {
  readonly value: unknown;
  readonly readable: boolean;
  readonly problems: readonly Problem[];
  /** The document's own text. */
  readonly text: string;
  /** The place of a key or a list item; if the path leads nowhere, of the nearest enclosing value. */
  locate(path: Path): Place;
}

/** Parses a text; empty documents are left out. Never throws. */
export function readDocuments(text: string): SourceDocument[] {
  const lines = new LineCounter();
  try {
    const size = text.length;
    if (size > MOST_CHARACTERS) throw new InvalidInput(said('file.tooLong', { size, most: MOST_CHARACTERS }));
    if (size > MOST_SIGNS) refuseManySigns(text);
    // The library's check of unique keys is quadratic; ours is below.
    const composer = new Composer({
      schema: 'core',
      logLevel: 'silent',
      resolveKnownTags: false,
      uniqueKeys: false,
    });
    return [...composer.compose(fewDocuments(tokens(text, lines)))]
      .filter(({ contents, errors }) => !isNothing(contents) || errors.length > 0)
      .map((document) => new Reader(document, lines, text).read());
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const start = { line: 1, column: 1 };
    const problems = [
      { path: [], code: 'too-large' as const, ...worded(error.said ?? error.message), ...start },
    ];
    return [{ value: undefined, readable: false, problems, text, locate: () => start }];
  }
}

/** The tokens of a text. Refuses excessive nesting here, because all later steps are recursive. */
function* tokens(text: string, lines: LineCounter) {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tooDeepAt = depthGauge();
  for (const lexeme of new Lexer().lex(text)) {
    if (tooDeepAt(lexeme)) throw tooDeep();
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

/** Makes a function that takes one lexeme after the other and reports when they nest too deep. */
function depthGauge(): (lexeme: string) => boolean {
  let inBrackets = 0;
  let inLine = 0;
  return (lexeme) => {
    if (lexeme === '[' || lexeme === '{') inBrackets++;
    else if (lexeme === ']' || lexeme === '}') inBrackets--;
    else if (lexeme === '-' || lexeme === '?') inLine++;
    else if (lexeme.endsWith('\n')) inLine = 0;
    return inBrackets > MOST_LEVELS || inLine > MOST_LEVELS;
  };
}

/** Counts tokens; a text has at most as many as characters. */
function refuseManySigns(text: string): void {
  const tooDeepAt = depthGauge();
  let signs = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (tooDeepAt(lexeme)) throw tooDeep();
    if (lexeme.trim() !== '' && ++signs > MOST_SIGNS)
      throw new InvalidInput(said('file.manySigns', { most: MOST_SIGNS }));
  }
}

/** Stops at too many documents, before they are built. */
function* fewDocuments(tokens: Iterable<CST.Token>): Generator<CST.Token> {
  let documents = 0;
  for (const token of tokens) {
    if (token.type === 'document' && ++documents > MOST_DOCUMENTS)
      throw new InvalidInput(said('file.manyDocuments', { most: MOST_DOCUMENTS }));
    yield token;
  }
}

function tooDeep(): InvalidInput {
  return new InvalidInput(said('file.tooDeep', { most: MOST_LEVELS }));
}

/** Whether the part between two `---` lines is empty. */
function isNothing(contents: Node | null): boolean {
  return contents === null || (isScalar(contents) && contents.value === null && !contents.source);
}

/** Reads one document: its value, its problems, and the targets of its aliases. */
class Reader {
  readonly #document: Document.Parsed;
  readonly #lines: LineCounter;
  readonly #text: string;
  readonly #problems: Problem[] = [];
  /** The value of each anchor; set once complete, so an alias inside its own anchor finds nothing. */
  readonly #anchors = new Map<string, { node: Node; value: unknown; size: number }>();
  readonly #targets = new Map<Alias, Node>();
  readonly #pairs = new Map<YAMLMap, Map<string, Pair<Node, Node | null>>>();
  #size = 0;

  constructor(document: Document.Parsed, lines: LineCounter, text: string) {
    this.#document = document;
    this.#lines = lines;
    this.#text = text;
  }

  read(): SourceDocument {
    const { contents, errors, warnings, range } = this.#document;
    const locate = (path: Path) => this.#place(this.#offset(path));
    this.#reportSyntax([...errors, ...warnings]);
    const result = {
      value: undefined,
      readable: false,
      problems: this.#problems,
      text: ownText(this.#text, range),
      locate,
    };
    if (this.#problems.length > 0) return result;
    try {
      return { ...result, value: this.#build(contents, [], false), readable: true };
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      this.#report([], 0, 'too-large', error.said ?? error.message);
      return result;
    }
  }

  /**
   * Reports the first error of each line; later ones there, and text that then fits nowhere, are its
   * consequences.
   */
  #reportSyntax(errors: readonly { message: string; pos: readonly [number, number] }[]): void {
    const seen = new Set<number>();
    for (const { message, pos } of errors) {
      const { line } = this.#place(pos[0]);
      if (seen.size === MOST_ERRORS || seen.has(line)) continue;
      if (seen.size > 0 && message.includes('in YAML stream')) continue;
      seen.add(line);
      const isReference = /^\$[{[]/.test(this.#text.slice(pos[0] - 1));
      const hint = isReference ? said('hint.quoteReference') : '';
      this.#report([], pos[0], 'bad-syntax', said('file.badYaml', { error: message, hint }));
    }
  }

  #build(node: Node | null, path: Path, asText: boolean): unknown {
    if (path.length > MOST_LEVELS) throw tooDeep();
    const before = this.#size;
    this.#grow(1);
    const value = this.#valueOf(node, path, asText);
    if (node && !isAlias(node) && node.anchor)
      this.#anchors.set(node.anchor, { node, value, size: this.#size - before });
    return value;
  }

  #valueOf(node: Node | null, path: Path, asText: boolean): unknown {
    if (isScalar(node)) return scalarValue(node, asText);
    if (isSeq<Node>(node)) return node.items.map((item, i) => this.#build(item, [...path, i], asText));
    if (isMap<Node, Node | null>(node)) return this.#buildObject(node, path, asText);
    return isAlias(node) ? this.#follow(node, path) : null;
  }

  #buildObject(map: YAMLMap<Node, Node | null>, path: Path, asText: boolean): Record<string, unknown> {
    const entries = new Map<string, unknown>();
    const pairs = new Map<string, Pair<Node, Node | null>>();
    this.#pairs.set(map, pairs);
    for (const pair of map.items) {
      const key = isScalar(pair.key) ? String(pair.key.source ?? pair.key.value ?? '') : undefined;
      const at = pair.key?.range?.[0] ?? map.range?.[0] ?? 0;
      if (key === undefined || key === '__proto__') {
        this.#report(path, at, 'bad-syntax', said('file.keyNotText'));
      } else if (pairs.has(key)) {
        this.#report([...path, key], at, 'duplicate-key', said('file.keyTwice', { key }));
      } else {
        pairs.set(key, pair);
        entries.set(key, this.#build(pair.value, [...path, key], asText || textKeys.has(key)));
      }
    }
    return Object.fromEntries(entries);
  }

  #follow(alias: Alias, path: Path): unknown {
    const target = this.#anchors.get(alias.source);
    if (!target) {
      this.#report(path, alias.range?.[0] ?? 0, 'bad-syntax', said('file.noAnchor', { name: alias.source }));
      return null;
    }
    this.#targets.set(alias, target.node);
    this.#grow(target.size);
    return target.value;
  }

  #grow(by: number): void {
    this.#size += by;
    if (this.#size > MOST_VALUES) throw new InvalidInput(said('file.manyValues', { most: MOST_VALUES }));
  }

  #report(path: Path, offset: number, code: ProblemCode, words: Words): void {
    this.#problems.push({ path, code, ...worded(words), ...this.#place(offset) });
  }

  #place(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  #offset(path: Path): number {
    let node: Node | null = this.#document.contents;
    let offset = node?.range?.[0] ?? 0;
    for (const key of path) {
      if (isAlias(node)) node = this.#targets.get(node) ?? null;
      if (isMap(node)) {
        const pair = this.#pairs.get(node)?.get(String(key));
        if (!pair) break;
        offset = pair.key.range?.[0] ?? offset;
        node = pair.value;
      } else if (isSeq<Node>(node) && typeof key === 'number' && node.items[key]) {
        node = node.items[key];
        offset = node.range?.[0] ?? offset;
      } else break;
    }
    return offset;
  }
}

/** The text without the line that begins the document. */
function ownText(text: string, [start, , end]: readonly number[]): string {
  return text.slice(start, end).replace(/^---[^\S\n]*\n/, '');
}

function scalarValue({ value, source }: Scalar, asText: boolean): unknown {
  return asText && typeof value === 'number' && source !== String(value) ? (source ?? value) : value;
}
