/** Parses the text of an expression into a tree, by recursive descent. */
import { InvalidInput } from '../errors.ts';
import { type Said, said } from '../texts/index.ts';
import type { Expression, Link, Operator } from './syntax.ts';
import { type Token, tokenize } from './tokens.ts';

const MAX_LENGTH = 10_000;
const MAX_DEPTH = 100;

/** Binary operators as written and their meaning, by level, loosest first. */
const LEVELS: readonly ReadonlyMap<string, Operator>[] = [
  { '||': '||', or: '||' },
  { '&&': '&&', and: '&&' },
  { '==': '==', '===': '==', '!=': '!=', '!==': '!=' },
  { '<': '<', '<=': '<=', '>': '>', '>=': '>=', in: 'in' },
  { '+': '+', '-': '-' },
  { '*': '*', '/': '/', '%': '%' },
].map((level) => new Map(Object.entries(level) as [string, Operator][]));
const EQUALITY = 2;

/**
 * Parses an expression of at most 10,000 characters, nested at most 100 deep. Loosest first:
 *
 *     a ? b : c
 *     || or      && and      not      == === != !==      < <= > >= in      + -      * / %      ! - +
 *     x.includes(y)  x.length
 *     1.5  'text'  "text"  true  false  null  [a, b]  name  ${name}  (a)
 *
 * Precedence is that of JavaScript; the word `not` takes a whole comparison: `not a == b`.
 */
export function parseExpression(text: string): Expression {
  if (text.length > MAX_LENGTH) {
    throw new InvalidInput(said('expr.tooLong', { size: text.length, most: MAX_LENGTH }));
  }
  return new Parser(tokenize(text)).parse();
}

/** State: the next token, which only moves forward, and the current nesting depth. */
class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Expression {
    const expression = this.#choice();
    if (this.#next.kind !== 'end') throw this.#unexpected(said('expr.operator'));
    return expression;
  }

  #choice(): Expression {
    this.#enter();
    const condition = this.#chain(0);
    const { at } = this.#next;
    let result = condition;
    if (this.#accept('?')) {
      const yes = this.#choice();
      this.#expect(':');
      result = { kind: 'choice', condition, yes, no: this.#choice(), at };
    }
    this.#depth--;
    return result;
  }

  #chain(level: number): Expression {
    if (level === LEVELS.length) return this.#unary();
    if (level === EQUALITY && this.#isNext('not')) return this.#prefix('!', () => this.#chain(EQUALITY));
    const first = this.#chain(level + 1);
    const rest: Link[] = [];
    for (;;) {
      const { kind, text, at } = this.#next;
      const operator = kind === 'symbol' ? LEVELS[level].get(text) : undefined;
      if (!operator) break;
      this.#position++;
      rest.push({ operator, operand: this.#chain(level + 1), at });
    }
    return rest.length === 0 ? first : { kind: 'chain', first, rest, at: first.at };
  }

  #unary(): Expression {
    for (const sign of ['!', '-', '+'] as const) {
      if (this.#isNext(sign)) return this.#prefix(sign, () => this.#unary());
    }
    return this.#member();
  }

  #prefix(operator: '!' | '-' | '+', read: () => Expression): Expression {
    const { at } = this.#next;
    this.#position++;
    this.#enter();
    const operand = read();
    this.#depth--;
    return { kind: 'unary', operator, operand, at };
  }

  /** At most one member: the result is a number or a boolean, which has none. */
  #member(): Expression {
    const subject = this.#primary();
    if (!this.#accept('.')) return subject;
    const { kind, text, at } = this.#next;
    if (kind !== 'name' || (text !== 'length' && text !== 'includes')) {
      throw this.#unexpected(said('expr.member'));
    }
    this.#position++;
    if (text === 'length') return { kind: 'length', subject, at };
    this.#expect('(');
    const item = this.#choice();
    this.#expect(')');
    return { kind: 'includes', subject, item, at };
  }

  #primary(): Expression {
    const token = this.#next;
    const { at } = token;
    if (this.#accept('[')) return { kind: 'list', items: this.#items(), at };
    if (this.#accept('(')) {
      const inner = this.#choice();
      this.#expect(')');
      return inner;
    }
    if (token.kind !== 'value' && token.kind !== 'name') {
      throw this.#unexpected(said('expr.value'));
    }
    this.#position++;
    return token.kind === 'value'
      ? { kind: 'value', value: token.value, at }
      : { kind: 'name', name: token.name, at };
  }

  #items(): Expression[] {
    if (this.#accept(']')) return [];
    const items = [this.#choice()];
    while (this.#accept(',')) items.push(this.#choice());
    this.#expect(']');
    return items;
  }

  get #next(): Token {
    return this.#tokens[this.#position];
  }

  #isNext(symbol: string): boolean {
    return this.#next.kind === 'symbol' && this.#next.text === symbol;
  }

  #accept(symbol: string): boolean {
    const found = this.#isNext(symbol);
    if (found) this.#position++;
    return found;
  }

  #expect(symbol: string): void {
    if (!this.#accept(symbol)) throw this.#unexpected(`"${symbol}"`);
  }

  #enter(): void {
    if (++this.#depth > MAX_DEPTH) {
      throw new InvalidInput(said('expr.tooDeep', { most: MAX_DEPTH }), `column ${this.#next.at}`);
    }
  }

  #unexpected(expected: Said | string): InvalidInput {
    const { kind, text, at } = this.#next;
    const words =
      kind === 'end'
        ? said('expr.ends', { expected })
        : said('expr.unexpected', { found: JSON.stringify(text.slice(0, 30)), expected });
    return new InvalidInput(words, `column ${at}`);
  }
}
