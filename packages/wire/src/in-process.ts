/** The transport within one process: two ends joined by a delivery function that the caller provides. */
import type { Channel } from './channel.ts';

/**
 * Runs a delivery later, in order: `queueMicrotask` in production, the simulator's queue in a simulation.
 * `toLeft` names the receiving end.
 */
export type Deliver = (delivery: () => void, toLeft: boolean) => void;

/** Makes the two ends of a channel. */
export function channelPair<A, B>(deliver: Deliver): [Channel<A, B>, Channel<B, A>] {
  const left = new End<A, B>((delivery) => deliver(delivery, false));
  const right = new End<B, A>((delivery) => deliver(delivery, true));
  left.other = right;
  right.other = left;
  return [left, right];
}

/** With more frames in flight, the sender is asked to wait. */
const MOST_ON_THEIR_WAY = 1_000;

/** One end: open, then closed for good. */
class End<Out, In> implements Channel<Out, In> {
  readonly confidential = true;
  other: End<In, Out> | undefined;
  private readonly deliver: (delivery: () => void) => void;
  private closed: string | undefined;
  private listener: ((frame: In) => void) | undefined;
  private onClosed: ((reason: string) => void) | undefined;
  private early: In[] = [];
  private onTheirWay = 0;
  private waiting: (() => void)[] = [];

  constructor(deliver: (delivery: () => void) => void) {
    this.deliver = deliver;
  }

  send(frame: Out): boolean {
    if (this.closed !== undefined) return true;
    this.onTheirWay++;
    this.deliver(() => {
      this.onTheirWay--;
      this.other?.receive(frame);
      if (this.onTheirWay === 0) this.wake();
    });
    return this.onTheirWay < MOST_ON_THEIR_WAY;
  }

  drained(): Promise<void> {
    if (this.onTheirWay === 0 || this.closed !== undefined) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  onFrame(listener: (frame: In) => void): void {
    this.listener = listener;
    const early = this.early;
    this.early = [];
    for (const frame of early) listener(frame);
  }

  onClose(listener: (reason: string) => void): void {
    this.onClosed = listener;
    if (this.closed !== undefined) listener(this.closed);
  }

  close(reason: string): void {
    if (this.closed !== undefined) return;
    const { other } = this;
    this.end(reason);
    this.deliver(() => other?.end(reason));
  }

  private receive(frame: In): void {
    if (this.closed !== undefined) return;
    if (this.listener) this.listener(frame);
    else this.early.push(frame);
  }

  private end(reason: string): void {
    if (this.closed !== undefined) return;
    this.closed = reason;
    this.wake();
    this.onClosed?.(reason);
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
