/**
 * Finds `setValue` statements in the bytes a process prints. No line is decoded before the first statement,
 * so a task that prints a lot and sets no output costs only a search.
 * States: searching -> reading lines (a statement may have begun).
 */
import { OutputCollector } from '@orrery/core/params';
import { plainText } from '../log/tail.ts';
import { TaskFailure } from '../plugin/contract.ts';

const START = Buffer.from('{setValue(');
/** A statement may begin in the previous chunk; the character before `{` belongs to it. */
const EDGE = START.length + 1;
const NEWLINE = 10;
/** Limit of a statement. A longer line is cut, and a statement in it fails the attempt. */
const LONGEST_LINE = 4_194_304;

/** One for each attempt. */
export class PrintedOutputs {
  private readonly collector = new OutputCollector();
  private reading = false;
  private tooLong = false;
  /** While searching, the last bytes; while reading, the unfinished line. */
  private open: Buffer[] = [];
  private openBytes = 0;

  feed(chunk: Buffer): void {
    if (!this.reading && !this.begins(chunk)) return;
    this.reading = true;
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, start)) {
      this.line(chunk.subarray(start, at));
      start = at + 1;
    }
    this.keep(chunk.subarray(start));
    if (this.openBytes > LONGEST_LINE) this.cut();
  }

  private cut(): void {
    const bytes = Buffer.concat(this.open);
    const start = bytes.lastIndexOf(START);
    // A statement that ends in the bytes read so far is complete.
    if (start >= 0 && bytes.indexOf(')}', start) < 0) this.tooLong = true;
    this.line(Buffer.alloc(0));
  }

  finish(): { values: Record<string, string>; problems: readonly string[] } {
    if (this.reading) this.line(Buffer.alloc(0));
    if (this.tooLong)
      throw new TaskFailure(
        `a printed setValue is longer than ${LONGEST_LINE} bytes; hand on less, or the name of a file`,
      );
    const found = Object.entries(this.collector.finish());
    return {
      values: Object.fromEntries(found.map(([name, value]) => [name, plainText(value)])),
      problems: this.collector.problems,
    };
  }

  /**
   * Whether a statement begins in this chunk, or began before and continues. If not, the last bytes are kept.
   */
  private begins(chunk: Buffer): boolean {
    const seam = Buffer.concat([...this.open, chunk.subarray(0, EDGE)]);
    if (seam.includes(START) || chunk.includes(START)) return true;
    this.open = [
      chunk.length < EDGE ? Buffer.from(seam.subarray(-EDGE)) : Buffer.from(chunk.subarray(-EDGE)),
    ];
    return false;
  }

  private line(rest: Buffer): void {
    const bytes = Buffer.concat([...this.open, rest]);
    this.open = [];
    this.openBytes = 0;
    this.collector.feed(bytes.toString().replace(/\r$/, ''));
  }

  private keep(rest: Buffer): void {
    this.open.push(rest);
    this.openBytes += rest.length;
  }
}
