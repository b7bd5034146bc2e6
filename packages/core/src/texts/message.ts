/**
 * A message in ICU form, parsed once and formatted often: `{name}`, `{n, number}`, `{n, plural, one {# run}
 * other {# runs}}` and `{kind, select, a {…} other {…}}`, nested to any depth; `''` is an apostrophe, `'{'` a
 * brace. Other ICU forms are not used here and are errors. A general library for this took a quarter of the
 * time to the console's first page.
 */

/** Values for the placeholders of a message. */
export type Values = Readonly<Record<string, string | number>>;

/** A parsed message. */
export type Message = (values?: Values) => string;

/** Number formatting and plural rules of a language. */
export interface Counting {
  /** Formats a number, such as 12,480. */
  format(value: number): string;
  /** The plural branch of a number: `one`, `other` and the like. */
  select(value: number): string;
}

/** A piece of a message; within a plural, `#` prints `count`. */
type Piece = string | ((values: Values, count: number) => string);

/** Parses a message; throws if it is invalid. */
export function readMessage(text: string, counting: Counting): Message {
  if (!/[{']/.test(text)) return () => text;
  const pieces = new Reader(text, counting).pieces('text');
  return (values = {}) => fill(pieces, values, 0);
}

function fill(pieces: readonly Piece[], values: Values, count: number): string {
  let out = '';
  for (const piece of pieces) out += typeof piece === 'string' ? piece : piece(values, count);
  return out;
}

/** Where one is in a message. */
class Reader {
  readonly #text: string;
  readonly #counting: Counting;
  #at = 0;

  constructor(text: string, counting: Counting) {
    this.#text = text;
    this.#counting = counting;
  }

  /** Up to the end of the message, or to the brace that ends the branch of a choice. */
  pieces(within: 'text' | 'plural' | 'select'): readonly Piece[] {
    const found: Piece[] = [];
    let plain = '';
    const add = (piece: Piece) => {
      if (plain !== '') found.push(plain);
      plain = '';
      found.push(piece);
    };
    while (this.#at < this.#text.length && (within === 'text' || this.#text[this.#at] !== '}')) {
      const letter = this.#text[this.#at++];
      if (letter === '{') add(this.#argument());
      else if (letter === '#' && within === 'plural') add((_, count) => this.#counting.format(count));
      else if (letter === "'") plain += this.#quoted(within);
      else plain += letter;
    }
    if (plain !== '') found.push(plain);
    return found;
  }

  /** After an apostrophe: another one, or a quotation if what follows would mean something, or itself. */
  #quoted(within: string): string {
    const next = this.#text[this.#at];
    if (next === "'") {
      this.#at++;
      return "'";
    }
    if (next === undefined || !(within === 'plural' ? '{}<>#' : '{}<>').includes(next)) return "'";
    const [, quoted] = this.#take(/((?:[^']|'')*)'?/y);
    return quoted.replaceAll("''", "'");
  }

  /** After a brace. */
  #argument(): Piece {
    const [, name, mark] = this.#take(/\s*([\w.-]+)\s*([,}])/y, 'a name, then "," or "}"');
    if (mark === '}') return (values) => shown(values[name], name);
    const [, number, kind] = this.#take(
      /\s*(?:(number)\s*\}|(plural|select)\s*,)/y,
      'number, plural or select',
    );
    if (number) return (values) => this.#counting.format(Number(values[name]));
    return kind === 'plural' ? this.#plural(name) : this.#select(name);
  }

  #plural(name: string): Piece {
    const branches = this.#branches('plural');
    return (values) => {
      const count = Number(values[name]);
      return fill(
        branches.get(`=${count}`) ??
          branches.get(this.#counting.select(count)) ??
          branches.get('other') ??
          [],
        values,
        count,
      );
    };
  }

  #select(name: string): Piece {
    const branches = this.#branches('select');
    return (values) => fill(branches.get(String(values[name])) ?? branches.get('other') ?? [], values, 0);
  }

  /** After the second comma of a choice, to its end. */
  #branches(within: 'plural' | 'select'): ReadonlyMap<string, readonly Piece[]> {
    const found = new Map<string, readonly Piece[]>();
    for (;;) {
      const [, end, name] = this.#take(/\s*(?:(\})|([^\s{}]+)\s*\{)/y, 'a branch such as other {…}');
      if (end) break;
      found.set(name, this.pieces(within));
      this.#take(/\}/y, '"}"');
    }
    if (!found.has('other')) throw this.#wrong('a branch "other"');
    return found;
  }

  /** What stands here in this form; the pattern is sticky. */
  #take(pattern: RegExp, wanted = ''): RegExpExecArray {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) throw this.#wrong(wanted);
    this.#at = pattern.lastIndex;
    return found;
  }

  #wrong(wanted: string): SyntaxError {
    return new SyntaxError(`the message "${this.#text}" needs ${wanted} at ${this.#at}`);
  }
}

/** A value that was not given is told by its name. */
const shown = (value: string | number | undefined, name: string) =>
  value === undefined ? `{${name}}` : String(value);
