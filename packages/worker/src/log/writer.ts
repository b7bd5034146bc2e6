/**
 * The log of one attempt: exactly its own bytes, with secrets masked, up to `limit`. Past the limit the end
 * is kept in memory and written after a line with the count of missing bytes, so both ends can be read.
 * States: whole -> cut (the limit was reached) -> closed. No file is created before the first byte.
 */
import type { Clock } from '@orrery/core/timing';
import { Appender } from './appender.ts';
import { LastBytes } from './last-bytes.ts';
import { markLine } from './mark.ts';
import { createMasker, type Masker, maskText } from './mask.ts';
import { TAIL_BYTES, tailText } from './tail.ts';

/** Above this many unwritten bytes the task waits for the disk. */
const HOLD_BACK = 1_048_576;

const NEWLINE = 10;

/** Options of a log. */
export interface LogOptions {
  readonly path: string;
  /** Limit of the task's own output, not counting the end. */
  readonly limit: number;
  readonly secrets: readonly string[];
  readonly clock: Clock;
}

/** Writes one attempt's log. */
export class LogWriter {
  readonly path: string;
  /** The group of the processes that write it now, if any. */
  process: number | undefined;
  /** Everything is on disk and nothing will follow. */
  closed = false;
  private closing = false;
  private readonly limit: number;
  private readonly secrets: readonly string[];
  private readonly masker: Masker;
  private readonly file: Appender;
  private kept = 0;
  private dropped = 0;
  private readonly end = new LastBytes(TAIL_BYTES);
  private lineOpen = false;
  private watching: (() => void)[] = [];

  constructor({ path, limit, secrets, clock }: LogOptions) {
    this.path = path;
    this.limit = limit;
    this.secrets = secrets;
    this.masker = createMasker(secrets);
    this.file = new Appender(path, clock, () => this.tell());
  }

  /** Why bytes are missing, if the disk failed. */
  get problem(): string | undefined {
    return this.file.problem;
  }

  /** Accepts bytes of the task. Returns false to ask the sender to wait for `drained`. */
  write(chunk: Buffer): boolean {
    if (!this.closing) this.keep(this.masker.feed(chunk));
    return this.file.queued < HOLD_BACK;
  }

  /** Settles when the disk has caught up. */
  drained(): Promise<void> {
    return this.file.idle();
  }

  /** The end of the task's output as text, available even if the disk failed. */
  tail(): string {
    return tailText(this.end.bytes(), TAIL_BYTES);
  }

  /** Writes a line of the worker's own, which does not count against the limit. */
  mark(text: string): void {
    if (this.closing) return;
    this.file.append(Buffer.from(`${this.lineOpen ? '\n' : ''}${markLine(maskText(text, this.secrets))}`));
    this.lineOpen = false;
  }

  /** Settles at the next change of the file. */
  grown(): Promise<void> {
    return new Promise((resolve) => this.watching.push(resolve));
  }

  /**
   * Ends the log: writes the bytes held back, a note about missing bytes, and a last line of the worker's if
   * given.
   */
  async close(lastLine?: string): Promise<void> {
    this.keep(this.masker.finish());
    if (this.dropped > 0) this.tellEnd();
    if (lastLine !== undefined) this.mark(lastLine);
    this.closing = true;
    await this.file.close();
    this.closed = true;
    this.tell();
  }

  private keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.end.add(bytes);
    const head = bytes.subarray(0, this.limit - this.kept);
    this.kept += head.length;
    this.append(head);
    if (head.length === bytes.length) return;
    if (this.dropped === 0)
      this.mark(`the log has reached its limit of ${this.limit} bytes; only the end of what follows is kept`);
    this.dropped += bytes.length - head.length;
  }

  /** The end starts at a line if possible, so that it never starts inside a character. */
  private tellEnd(): void {
    const last = this.end.bytes().subarray(-this.dropped);
    const end = this.dropped === last.length ? last : last.subarray(last.indexOf(NEWLINE) + 1);
    this.mark(`${this.dropped - end.length} bytes dropped; the last ${end.length} follow`);
    this.append(end);
  }

  private append(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.lineOpen = bytes[bytes.length - 1] !== NEWLINE;
    this.file.append(bytes);
  }

  private tell(): void {
    const watching = this.watching;
    this.watching = [];
    for (const resolve of watching) resolve();
  }
}
