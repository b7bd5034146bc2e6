/**
 * Finds the places of references in a POSIX shell script: in double quotes, bare, in single quotes, in
 * arithmetic, or in a text parsed by a second shell. The place decides how to write a reference to the
 * variable that carries a value, and which warnings a publish gives. A mistake here gives a wrong text, never
 * an injection: scripts contain no values.
 */

/** How the shell treats a reference at this place. */
export type PlaceKind =
  /** Inserts the value unchanged. */
  | 'quoted'
  /** Splits the value into words and expands file names. */
  | 'bare'
  /** Keeps the text: single quotes, or a here-document with a quoted delimiter. */
  | 'single'
  | 'here-document'
  /** Evaluates the value, and bash runs commands in it: only whole numbers are safe. */
  | 'arithmetic'
  /** Parsed by a shell without our variables: `ssh`, `su -c`. */
  | 'elsewhere'
  | 'comment';

/** Place of a reference; `escapes` backslashes protect it from the shells before the one that reads it. */
export interface Place {
  readonly kind: PlaceKind;
  readonly escapes: number;
}

/** Stands for a reference in a script passed to `shellPlaces`. */
export const REFERENCE_MARK = '\uE000';

/** The places of all marks in a script, in order. */
export function shellPlaces(script: string): Place[] {
  return script.includes(REFERENCE_MARK) ? new Scanner(script).scan('code') : [];
}

const SHELLS = new Set(['sh', 'bash', 'dash', 'ash', 'ksh', 'zsh']);
const PREFIXES = new Set([
  ...['if', 'then', 'else', 'elif', 'while', 'until', 'do', '!', '{', 'time'],
  ...['command', 'builtin', 'exec', 'nohup'],
]);
const DECLARING = new Set(['declare', 'typeset', 'local', 'export', 'readonly']);
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;
const COMPARISON = /^-(?:eq|ne|lt|le|gt|ge)$/;

/** Inspected length of a word's start: a word may contain any number of references. */
const LONGEST_START = 1_000;

/** Inspected words of a command, which determine how it treats the others. */
const MOST_WORDS = 1_000;

type Mode = 'code' | 'double' | 'arithmetic' | 'brace';

/** One level of nesting. */
class Frame {
  readonly mode: Mode;
  /** Its end marker; the outermost level has none. */
  readonly end: string;
  /** Inside double quotes, directly or not, without a command substitution in between. */
  readonly inQuotes: boolean;
  /** Where it starts. */
  readonly at: number;
  /** The code whose words it belongs to: quotes and braces belong to the word around them. */
  readonly home: Frame;
  /** Words of the simple command so far, without quotes. */
  words: string[] = [];
  /** Whether a word compares numbers, and whether one has the flag by which `declare` makes integers. */
  compares = false;
  integers = false;
  /** The current word; undefined between words. */
  word: string | undefined;
  /** For a word that a second shell parses: its text, and the marks in it by number. */
  inner: { text: string; marks: { mark: number; single: boolean }[] } | undefined;
  /** Number of open `case`s: a `)` in one ends a pattern. */
  cases = 0;
  /** Number of the first mark in an open `[[`. */
  test: number | undefined;
  parentheses = 0;

  constructor(mode: Mode, end: string, inQuotes: boolean, at: number, home?: Frame) {
    this.mode = mode;
    this.end = end;
    this.inQuotes = inQuotes;
    this.at = at;
    this.home = home ?? this;
  }
}

interface HereDocument {
  readonly end: string;
  readonly quoted: boolean;
  readonly tabs: boolean;
}

class Scanner {
  private readonly text: string;
  private readonly places: Place[] = [];
  private readonly frames: Frame[] = [];
  private waiting: HereDocument[] = [];
  private i = 0;

  constructor(text: string) {
    this.text = text;
  }

  scan(mode: 'code' | 'double'): Place[] {
    this.push(mode, '', mode === 'double');
    while (this.i < this.text.length) this.step();
    while (this.frames.length > 0) this.pop();
    return this.places;
  }

  private get frame(): Frame {
    return this.frames[this.frames.length - 1];
  }

  private push(mode: Mode, end: string, inQuotes: boolean): void {
    const home = mode === 'code' ? undefined : this.frames.at(-1)?.home;
    this.frames.push(new Frame(mode, end, inQuotes, this.i, home));
  }

  private pop(): void {
    this.endCommand();
    this.frames.pop();
  }

  private step(): void {
    const { text, frame } = this;
    const c = text[this.i];
    if (c === REFERENCE_MARK) {
      this.mark(this.kindHere());
      this.i++;
    } else if (c === '\\') {
      this.append(text.slice(this.i + 1, this.i + 2));
      this.i += 2;
    } else if (frame.mode === 'arithmetic') this.stepArithmetic(c);
    else if (frame.end !== '' && c === frame.end && !(c === ')' && frame.cases > 0)) {
      this.i++;
      this.pop();
      if (c === '"') this.append('');
    } else if (c === '$') this.stepDollar();
    else if (c === '`') this.open('code', '`', 1, false);
    else if (c === '"' && (frame.mode === 'code' || (frame.mode === 'brace' && !frame.inQuotes)))
      this.open('double', '"', 1, true);
    else if (c === "'" && !frame.inQuotes) this.singleQuotes(1, false);
    else if (frame.mode === 'code') this.stepCode(c);
    else this.take(1);
  }

  private stepArithmetic(c: string): void {
    const { frame } = this;
    if (c === '(') frame.parentheses++;
    else if (c === ')' && frame.parentheses > 0) frame.parentheses--;
    else if (c === ')') {
      this.i += this.text[this.i + 1] === ')' ? 2 : 1;
      this.frames.pop();
      return;
    }
    this.i++;
  }

  private stepDollar(): void {
    const next = this.text.slice(this.i, this.i + 3);
    const { inQuotes } = this.frame;
    if (next === '$((') this.open('arithmetic', '', 3, false);
    else if (next.startsWith('$(')) this.open('code', ')', 2, false);
    else if (next.startsWith('${')) this.open('brace', '}', 2, inQuotes);
    else if (next.startsWith("$'") && !inQuotes) this.singleQuotes(2, true);
    else this.take(1);
  }

  private stepCode(c: string): void {
    const { frame, text } = this;
    if (c === '\n') {
      this.endCommand();
      this.i++;
      this.hereDocuments();
    } else if (c === '#' && frame.word === undefined) this.comment();
    else if (/\s/.test(c)) {
      this.endWord();
      this.i++;
    } else if (text.startsWith('<<<', this.i)) this.i += 3;
    else if (text.startsWith('<<', this.i)) this.hereDocument();
    else if (text.startsWith('((', this.i) && frame.word === undefined && frame.words.length === 0)
      this.open('arithmetic', '', 2, false);
    else if (c === '(' && frame.word === undefined) {
      this.endCommand();
      this.open('code', ')', 1, false);
    } else if (';&|()'.includes(c)) {
      if (frame.test === undefined) this.endCommand();
      else this.endWord();
      this.i++;
    } else if (c === '<' || c === '>') {
      this.endWord();
      this.i++;
    } else this.take(1);
  }

  private open(mode: Mode, end: string, length: number, inQuotes: boolean): void {
    // Its output is part of the surrounding word, whatever that is.
    if (mode !== 'double') this.append('');
    this.i += length;
    this.push(mode, end, inQuotes);
  }

  private take(count: number): void {
    this.append(this.text.slice(this.i, this.i + count));
    this.i += count;
  }

  private append(text: string): void {
    const frame = this.frame.home;
    if (frame.word === undefined) {
      frame.word = '';
      if (isInner(frame.words)) frame.inner = { text: '', marks: [] };
    }
    // Limited, or a long word would be copied for each of its references.
    if (frame.word.length < LONGEST_START) frame.word += text;
    if (frame.inner) frame.inner.text += text;
  }

  private mark(kind: PlaceKind): void {
    this.append('');
    const { inner } = this.frame.home;
    const mark = this.places.push({ kind, escapes: 0 }) - 1;
    this.append(REFERENCE_MARK);
    inner?.marks.push({ mark, single: kind === 'single' });
  }

  private kindHere(): PlaceKind {
    const { frame } = this;
    if (frame.mode === 'arithmetic') return 'arithmetic';
    if (frame.mode === 'brace' && /^[#!]?\w+(?:\[|:(?![-=+?]))/.test(this.text.slice(frame.at, this.i)))
      return 'arithmetic';
    const { words } = this.frame.home;
    const word = this.frame.home.word ?? '';
    const [command = ''] = words;
    if (command === 'let' || /^[A-Za-z_]\w*\[[^\]]*$/.test(word)) return 'arithmetic';
    if (DECLARING.has(command) && this.frame.home.integers) return 'arithmetic';
    if (isElsewhere(base(command), words)) return 'elsewhere';
    if (frame.inQuotes) return 'quoted';
    return ASSIGNMENT.test(word) && (words.length === 0 || DECLARING.has(command)) ? 'quoted' : 'bare';
  }

  private endWord(): void {
    const { frame } = this;
    const { word, inner } = frame;
    frame.word = undefined;
    frame.inner = undefined;
    if (word === undefined) return;
    if (inner && inner.marks.length > 0) this.judgeInner(inner);
    if (frame.words.length === 0 && (PREFIXES.has(word) || ASSIGNMENT.test(word))) return;
    if (frame.words.length === 0 && word === '[[') frame.test = this.places.length;
    if (word === ']]') this.endTest();
    if (frame.words.length === 0 && word === 'case') frame.cases++;
    if (word === 'esac') frame.cases = Math.max(0, frame.cases - 1);
    if (COMPARISON.test(word)) frame.compares = true;
    if (/^-\w*i/.test(word)) frame.integers = true;
    // The last word is always kept: it may announce a script.
    frame.words[Math.min(frame.words.length, MOST_WORDS)] = word;
  }

  /**
   * Handles a text that a second shell parses: the reference must reach that shell, which also has the
   * variable.
   */
  private judgeInner({ text, marks }: NonNullable<Frame['inner']>): void {
    const behindBackticks = this.frames.some(({ end }) => end === '`');
    for (const [k, place] of shellPlaces(text).entries()) {
      const { mark, single } = marks[k];
      const escapes = single ? place.escapes : 2 * place.escapes + 1;
      const lost = behindBackticks && escapes > 0;
      this.places[mark] = lost ? { kind: 'elsewhere', escapes: 0 } : { kind: place.kind, escapes };
    }
  }

  /** `[[ a -eq b ]]` evaluates both sides; otherwise nothing in it is split. */
  private endTest(): void {
    const { frame } = this;
    if (frame.test === undefined) return;
    for (let k = frame.test; k < this.places.length; k++) {
      if (frame.compares) this.places[k] = { kind: 'arithmetic', escapes: 0 };
      else if (this.places[k].kind === 'bare') this.places[k] = { kind: 'quoted', escapes: 0 };
    }
    frame.test = undefined;
  }

  private endCommand(): void {
    this.endWord();
    this.frame.words = [];
    this.frame.compares = false;
    this.frame.integers = false;
    this.frame.test = undefined;
  }

  private singleQuotes(opening: number, escapes: boolean): void {
    this.append('');
    this.i += opening;
    for (; this.i < this.text.length && this.text[this.i] !== "'"; this.i++) {
      if (escapes && this.text[this.i] === '\\') this.i++;
      if (this.text[this.i] === REFERENCE_MARK) this.mark('single');
      else this.append(this.text[this.i] ?? '');
    }
    this.i++;
  }

  private comment(): void {
    for (; this.i < this.text.length && this.text[this.i] !== '\n'; this.i++)
      if (this.text[this.i] === REFERENCE_MARK) this.places.push({ kind: 'comment', escapes: 0 });
  }

  private hereDocument(): void {
    this.endWord();
    const match = /<<(-?)[ \t]*((?:'[^'\n]*'|"[^"\n]*"|\\.|[^\s;&|<>()'"\\])+)/y;
    match.lastIndex = this.i;
    const [all, dash, word] = match.exec(this.text) ?? ['<<', '', undefined];
    this.i += all.length;
    if (word === undefined) return;
    const end = word.replace(/\\(.)|['"]/g, '$1');
    this.waiting.push({ end, quoted: end !== word, tabs: dash === '-' });
  }

  /** The bodies of the here-documents requested by the previous line. */
  private hereDocuments(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const { end, quoted, tabs } of waiting) {
      const start = this.i;
      let stop = start;
      while (this.i < this.text.length) {
        stop = this.i;
        const newline = this.text.indexOf('\n', this.i);
        const line = this.text.slice(this.i, newline < 0 ? undefined : newline);
        this.i = newline < 0 ? this.text.length : newline + 1;
        if ((tabs ? line.replace(/^\t+/, '') : line) === end) break;
        stop = this.i;
      }
      const body = this.text.slice(start, stop);
      const places = quoted ? marksIn(body) : new Scanner(body).scan('double');
      for (const place of places) this.places.push(place);
    }
  }
}

function marksIn(body: string): Place[] {
  const count = body.split(REFERENCE_MARK).length - 1;
  return Array.from({ length: count }, () => ({ kind: 'here-document', escapes: 0 }) as const);
}

/** Whether the next word of a command is a script for a second shell. */
function isInner(words: readonly string[]): boolean {
  if (words[0] === 'eval' || (words[0] === 'trap' && words.length === 1)) return true;
  const shell = words.findIndex((word) => SHELLS.has(base(word)));
  return shell >= 0 && words.length > shell + 1 && /^-[A-Za-z]*c$/.test(words[words.length - 1]);
}

/** Whether the rest is parsed by a shell of another machine or user. */
function isElsewhere(command: string, words: readonly string[]): boolean {
  if (command === 'ssh' || command === 'rsh') return words.slice(1, 20).some((word) => !word.startsWith('-'));
  return (command === 'su' || command === 'runuser') && words.at(-1) === '-c';
}

function base(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
