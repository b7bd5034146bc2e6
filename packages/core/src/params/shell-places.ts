/**
 * Where references stand in a POSIX shell script: in double quotes, bare, in single quotes, in arithmetic, in a text
 * that a second shell parses. It decides how a reference to the variable that carries a value is written, and what
 * the publish warns of. A mistake here costs a wrong text, never an injection: values are in no script.
 */

/** What the shell does with a reference at this place. */
export type PlaceKind =
  /** Puts the value in as it is. */
  | 'quoted'
  /** Cuts the value into words and matches file names. */
  | 'bare'
  /** Keeps the text: single quotes, or a here-document with a quoted end. */
  | 'single'
  | 'here-document'
  /** Evaluates the value, and bash runs commands in it: only whole numbers are safe. */
  | 'arithmetic'
  /** A shell that does not have our variables parses it: `ssh`, `su -c`. */
  | 'elsewhere'
  | 'comment';

/** The place of one reference; `escapes` backslashes keep it from the shells that come before the one that reads it. */
export interface Place {
  readonly kind: PlaceKind;
  readonly escapes: number;
}

/** Stands for a reference in a script that is given to `shellPlaces`. */
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

/** How much of a word says what it is: a word may hold any number of references. */
const LONGEST_START = 1_000;

/** Words of a command that say what it does with the others. */
const MOST_WORDS = 1_000;

type Mode = 'code' | 'double' | 'arithmetic' | 'brace';

/** One level of nesting. */
class Frame {
  readonly mode: Mode;
  /** What ends it; nothing ends the outermost. */
  readonly end: string;
  /** Inside double quotes, directly or not, without a command substitution in between. */
  readonly inQuotes: boolean;
  /** Where it begins. */
  readonly at: number;
  /** The code whose words it is part of: quotes and braces belong to the word around them. */
  readonly home: Frame;
  /** Words of the simple command so far, quotes removed. */
  words: string[] = [];
  /** Whether one of them compares numbers, and whether one has the letter by which `declare` makes integers. */
  compares = false;
  integers = false;
  /** The word that is being read; undefined between words. */
  word: string | undefined;
  /** Of the word: a second shell parses it. Its text, and the marks in it by number. */
  inner: { text: string; marks: { mark: number; single: boolean }[] } | undefined;
  /** Open `case`s: a `)` in one ends a pattern. */
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
    // Its own output is part of the word around it, whatever that is.
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
    // Whole words of any length would be copied for every reference in them.
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
    // The last one counts too: it may say that a script follows.
    frame.words[Math.min(frame.words.length, MOST_WORDS)] = word;
  }

  /** A text that a second shell parses: the reference must reach that shell, which has the variable too. */
  private judgeInner({ text, marks }: NonNullable<Frame['inner']>): void {
    const behindBackticks = this.frames.some(({ end }) => end === '`');
    for (const [k, place] of shellPlaces(text).entries()) {
      const { mark, single } = marks[k];
      const escapes = single ? place.escapes : 2 * place.escapes + 1;
      const lost = behindBackticks && escapes > 0;
      this.places[mark] = lost ? { kind: 'elsewhere', escapes: 0 } : { kind: place.kind, escapes };
    }
  }

  /** `[[ a -eq b ]]` evaluates both sides; else nothing is split in it. */
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

  /** The bodies of the here-documents that the line before asked for. */
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

/** Whether what follows is parsed by a shell of another machine or user. */
function isElsewhere(command: string, words: readonly string[]): boolean {
  if (command === 'ssh' || command === 'rsh') return words.slice(1, 20).some((word) => !word.startsWith('-'));
  return (command === 'su' || command === 'runuser') && words.at(-1) === '-c';
}

function base(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
