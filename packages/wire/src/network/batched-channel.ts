/**
 * A channel over one stream each way. Frames sent in one turn share a message, and so do frames sent while
 * the previous message is still being written. States: open -> closing (by this end: queued frames still
 * leave, then the reason) -> closed; open -> closed (by the other end, or the connection broke).
 */
import { setImmediate as turn } from 'node:timers/promises';
import { ConnectError } from '@connectrpc/connect';
import { type Channel, FRAME_LIMIT } from '../channel.ts';
import type { Codec } from '../codec.ts';

/** With more bytes waiting, the sender is asked to wait. */
const ENOUGH_WAITING = 4 * FRAME_LIMIT;

/** With more bytes waiting, the other end has stopped reading: the channel closes. */
const MOST_WAITING = 64 * FRAME_LIMIT;

/** Reasons are for people; a longer one would crowd the message. */
const LONGEST_REASON = 1_000;

/** One end of a channel. */
export class BatchedChannel<Out, In, OutBatch, InBatch extends { readonly closing?: string }>
  implements Channel<Out, In>
{
  readonly confidential: boolean;
  private readonly codec: Codec<Out, In, OutBatch, InBatch>;
  private state: 'open' | 'closing' | 'closed' = 'open';
  private reason = '';
  private waiting: Uint8Array[] = [];
  private waitingBytes = 0;
  /** Bytes of the message in flight. */
  private leaving = 0;
  private wake: (() => void) | undefined;
  private onDrained: (() => void)[] = [];
  private onClosed: ((reason: string) => void)[] = [];
  private listener: ((frame: In) => void) | undefined;
  private early: In[] = [];

  constructor(codec: Codec<Out, In, OutBatch, InBatch>, confidential: boolean) {
    this.codec = codec;
    this.confidential = confidential;
  }

  send(frame: Out): boolean {
    if (this.state !== 'open') return true;
    // Checked before adding: a single answer may exceed the limit, and would come again on the next
    // connection.
    if (this.waitingBytes > MOST_WAITING) {
      this.end('the other side does not read what is sent');
      return true;
    }
    for (const bytes of this.codec.encode(frame)) {
      this.waiting.push(bytes);
      this.waitingBytes += bytes.length;
    }
    this.wake?.();
    return this.waitingBytes < ENOUGH_WAITING;
  }

  drained(): Promise<void> {
    if (this.state === 'closed' || this.waitingBytes + this.leaving === 0) return Promise.resolve();
    return new Promise((resolve) => this.onDrained.push(resolve));
  }

  onFrame(listener: (frame: In) => void): void {
    this.listener = listener;
    for (const frame of this.early.splice(0)) listener(frame);
  }

  onClose(listener: (reason: string) => void): void {
    if (this.state === 'open') this.onClosed.push(listener);
    else listener(this.reason);
  }

  close(reason: string): void {
    if (this.state !== 'open') return;
    this.state = 'closing';
    this.tell(reason.slice(0, LONGEST_REASON));
    this.wake?.();
  }

  /** The messages to write, for the channel's only outgoing stream. */
  async *outgoing(): AsyncGenerator<OutBatch, void> {
    while (this.state !== 'closed') {
      if (this.waiting.length > 0) {
        const frames = this.takeBatch();
        yield this.codec.batch(frames);
        this.leaving = 0;
      } else if (this.state === 'closing') {
        yield this.codec.batch([], this.reason);
        this.end(this.reason);
      } else {
        this.settleDrained();
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
        this.wake = undefined;
        await turn();
      }
    }
  }

  /** Reads the messages of the other end; settles when the stream ends. */
  async hear(messages: AsyncIterable<InBatch>): Promise<void> {
    const read = this.codec.reader();
    try {
      for await (const message of messages) {
        for (const frame of read(message)) this.receive(frame);
        if (message.closing !== undefined) this.end(message.closing);
      }
      this.end('the other side has ended the connection');
    } catch (error) {
      this.end(ConnectError.from(error).rawMessage);
    }
  }

  /** Ends the channel, because the connection is gone. */
  end(reason: string): void {
    if (this.state === 'closed') return;
    const known = this.state === 'closing';
    this.state = 'closed';
    this.waiting = [];
    this.waitingBytes = 0;
    this.settleDrained();
    this.wake?.();
    if (!known) this.tell(reason);
  }

  private receive(frame: In): void {
    if (this.state !== 'open') return;
    if (this.listener) this.listener(frame);
    else this.early.push(frame);
  }

  /** Removes as many waiting frames as one message may hold. */
  private takeBatch(): Uint8Array[] {
    let bytes = 0;
    let count = 0;
    while (count < this.waiting.length && (count === 0 || bytes + this.waiting[count].length <= FRAME_LIMIT))
      bytes += this.waiting[count++].length;
    this.waitingBytes -= bytes;
    this.leaving = bytes;
    return this.waiting.splice(0, count);
  }

  private settleDrained(): void {
    for (const resolve of this.onDrained.splice(0)) resolve();
  }

  private tell(reason: string): void {
    this.reason = reason;
    for (const listener of this.onClosed.splice(0)) listener(reason);
  }
}
