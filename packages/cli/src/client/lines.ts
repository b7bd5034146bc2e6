/** Text in pieces, with something before each of its lines; a line is written as a whole, so several can share a place. */
import { forTerminal } from './for-terminal.ts';

interface Target {
  /** A person looks at it: then no sequence of the log may do more than colour it. */
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Writes what it is given, line by line. Without a prefix pieces pass as they come. */
export class PrefixedLines {
  private readonly to: Target;
  private readonly prefix: string;
  /** The start of an incomplete line. */
  private rest = '';

  constructor(to: Target, prefix: string) {
    this.to = to;
    this.prefix = prefix;
  }

  write(given: string): void {
    const piece = this.to.isTTY ? forTerminal(given) : given;
    if (this.prefix === '') return void this.to.write(piece);
    const lines = (this.rest + piece).split('\n');
    this.rest = lines.pop() ?? '';
    if (lines.length > 0) this.to.write(lines.map((line) => `${this.prefix}${line}\n`).join(''));
  }

  /** Writes a last line that has no end. */
  end(): void {
    if (this.rest !== '') this.to.write(`${this.prefix}${this.rest}\n`);
    this.rest = '';
  }
}
