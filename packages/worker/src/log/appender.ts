/**
 * Appends to one file in order, without blocking, and survives a failing disk: lost bytes are counted, and
 * the next successful write starts with a line that tells how many are missing.
 * States: unopened -> open (first bytes) -> closed; while open, healthy or failing (retried once a second).
 */
import { closeSync, constants, mkdirSync, openSync, writev } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '@orrery/core/timing';
import { markLine } from './mark.ts';

const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND } = constants;

/** Pause before the next try after a disk failure. */
const RETRY_AFTER = 1_000;

/** One file being written. */
export class Appender {
  /** Bytes waiting to be written: the sender should pause while this is large. */
  queued = 0;
  /** The reason of the last failure, if bytes are missing. */
  problem: string | undefined;
  private readonly path: string;
  private readonly clock: Clock;
  private readonly onGrown: () => void;
  private file: number | undefined;
  private queue: Buffer[] = [];
  private busy = false;
  private closed = false;
  private lost = 0;
  private retryAt = 0;
  private waiting: (() => void)[] = [];

  constructor(path: string, clock: Clock, onGrown: () => void) {
    this.path = path;
    this.clock = clock;
    this.onGrown = onGrown;
  }

  append(bytes: Buffer): void {
    if (bytes.length === 0 || this.closed) return;
    this.queue.push(bytes);
    this.queued += bytes.length;
    if (!this.busy) this.next();
  }

  /** Settles when everything appended so far is written or given up. */
  idle(): Promise<void> {
    if (!this.busy) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Writes the rest, and a last line about missing bytes. */
  async close(): Promise<void> {
    await this.idle();
    if (this.lost > 0) {
      this.retryAt = 0;
      this.write([]);
      await this.idle();
    }
    this.closed = true;
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }

  private next(): void {
    if (this.queue.length > 0) {
      const batch = this.queue;
      this.queue = [];
      this.write(batch);
      return;
    }
    this.busy = false;
    const waiting = this.waiting;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }

  private write(batch: Buffer[]): void {
    this.busy = true;
    if (this.clock.monotonic() < this.retryAt) {
      this.giveUp(batch);
      queueMicrotask(() => this.next());
      return;
    }
    const mark = this.lost > 0 ? [Buffer.from(`\n${markLine(this.lossText())}`)] : [];
    try {
      writev(this.open(), [...mark, ...batch], (error, written) => {
        if (error) this.fail(error, batch);
        else this.wrote(written, mark, batch);
        this.next();
      });
    } catch (error) {
      this.fail(error, batch);
      queueMicrotask(() => this.next());
    }
  }

  /** A short write means that the disk is filling up: the rest is retried, and then fails with the reason. */
  private wrote(written: number, mark: Buffer[], batch: Buffer[]): void {
    const markBytes = mark[0]?.length ?? 0;
    if (written >= markBytes) this.lost = 0;
    const rest = skip(batch, Math.max(0, written - markBytes));
    this.queued -= size(batch) - size(rest);
    this.queue.unshift(...rest);
    this.onGrown();
  }

  private fail(error: unknown, batch: Buffer[]): void {
    this.problem = error instanceof Error ? error.message : String(error);
    this.retryAt = this.clock.monotonic() + RETRY_AFTER;
    this.giveUp(batch);
  }

  private giveUp(batch: Buffer[]): void {
    const bytes = size(batch);
    this.lost += bytes;
    this.queued -= bytes;
  }

  private lossText(): string {
    return `${this.lost} bytes are missing here: ${this.problem}`;
  }

  private open(): number {
    if (this.file === undefined) {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      // Truncated first: an existing file of that name belongs to an attempt from before the store was
      // recreated.
      this.file = openSync(this.path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600);
    }
    return this.file;
  }
}

function size(buffers: readonly Buffer[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0);
}

/** The buffers without their first `count` bytes. */
function skip(buffers: readonly Buffer[], count: number): Buffer[] {
  const rest: Buffer[] = [];
  for (const buffer of buffers) {
    if (count < buffer.length) rest.push(buffer.subarray(count));
    count = Math.max(0, count - buffer.length);
  }
  return rest;
}
