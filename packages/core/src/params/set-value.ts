/**
 * Outputs printed by a task: `${setValue(name=value)}` or `#{setValue(name=value)}`, anywhere in a line,
 * several per line, or across lines. A statement ends at its first `)}`, so a value may contain `)` and `=`.
 * States: outside a statement -> inside (after its start) -> outside (after its end, or when it grew too
 * long).
 */
import { isParameterName } from './template.ts';

/** Limits of a collector; excess is dropped and reported, never truncated. */
export interface OutputLimits {
  /** Lines of one statement. */
  rows: number;
  /** Characters of all names and values together, and of one statement. */
  characters: number;
}

const DEFAULTS: OutputLimits = { rows: 1024, characters: 1_048_576 };
const MOST_PROBLEMS = 20;

const START = /[$#]\{setValue\(/g;
const END = ')}';

/** Reads a task's output line by line and collects the values it sets. */
export class OutputCollector {
  /** Why statements were dropped, for the task's log; the first twenty. */
  readonly problems: string[] = [];
  private readonly limits: OutputLimits;
  private readonly collected = new Map<string, string>();
  private characters = 0;
  /** Lines of the open statement; `undefined` outside a statement. */
  private open: string[] | undefined;
  private openCharacters = 0;

  constructor(limits: Partial<OutputLimits> = {}) {
    this.limits = { ...DEFAULTS, ...limits };
  }

  /** Processes the next line, without its line end. */
  feed(line: string): void {
    let position = 0;
    while (position <= line.length) {
      if (!this.open) {
        START.lastIndex = position;
        const start = START.exec(line);
        if (!start) return;
        position = START.lastIndex;
        this.open = [];
        this.openCharacters = 0;
      }
      const end = line.indexOf(END, position);
      const lines = this.open;
      const kept = this.extend(lines, line.slice(position, end < 0 ? undefined : end));
      if (!kept || end >= 0) this.open = undefined;
      if (end < 0) return;
      if (kept) this.close(lines.join('\n'));
      position = end + END.length;
    }
  }

  /** The collected values, the last one of each name. Call it after the end of the output. */
  finish(): Record<string, string> {
    if (this.open) this.drop(this.open[0] ?? '', 'is not closed by )}');
    this.open = undefined;
    return Object.fromEntries(this.collected);
  }

  /** Whether the open statement still fits the limits. */
  private extend(lines: string[], part: string): boolean {
    lines.push(part);
    this.openCharacters += part.length;
    const tooMany = lines.length > this.limits.rows;
    if (!tooMany && this.openCharacters <= this.limits.characters) return true;
    this.drop(
      lines[0],
      `has more than ${tooMany ? `${this.limits.rows} lines` : `${this.limits.characters} characters`}`,
    );
    return false;
  }

  private close(statement: string): void {
    const equals = statement.indexOf('=');
    const name = statement.slice(0, Math.max(equals, 0)).trim();
    const value = statement.slice(equals + 1);
    const before = this.collected.get(name);
    const growth = before === undefined ? name.length + value.length : value.length - before.length;
    if (!isParameterName(name)) {
      this.drop(statement, 'has no name before "="');
    } else if (this.characters + growth > this.limits.characters) {
      this.drop(statement, `takes the outputs over ${this.limits.characters} characters`);
    } else {
      this.characters += growth;
      this.collected.set(name, value);
    }
  }

  private drop(statement: string, why: string): void {
    if (this.problems.length === MOST_PROBLEMS) return;
    this.problems.push(`output dropped: setValue(${statement.slice(0, 40)}… ${why}`);
  }
}
