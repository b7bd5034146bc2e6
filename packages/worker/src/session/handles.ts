/**
 * Handles of what attempts have started elsewhere, on their way to the masters. Each is resent on every new
 * connection until it is answered; a later handle of the same attempt replaces it.
 * States of one: sent -> answered (gone).
 */
import { type AttemptId, attemptText, type WorkerFrame } from '@orrery/wire/frames';

interface Sent {
  readonly frame: Extract<WorkerFrame, { type: 'handle' }>;
  readonly answer: (kept: boolean) => void;
}

/** One for each session. */
export class Handles {
  private readonly send: (frame: WorkerFrame) => void;
  private readonly open = new Map<string, Sent>();

  constructor(send: (frame: WorkerFrame) => void) {
    this.send = send;
  }

  /** Stores a handle; an empty one clears it. */
  keep(epoch: number, attempt: AttemptId, body: string): Promise<boolean> {
    return new Promise((answer) => {
      const frame = { type: 'handle', epoch, attempt, body } as const;
      this.open.get(attemptText(attempt))?.answer(false);
      this.open.set(attemptText(attempt), { frame, answer });
      this.send(frame);
    });
  }

  /** A connection is open. With a new epoch, handles of the old one are dropped. */
  opened(epoch: number): void {
    for (const [key, { frame, answer }] of [...this.open]) {
      if (frame.epoch === epoch) this.send(frame);
      else {
        this.open.delete(key);
        answer(false);
      }
    }
  }

  answered(attempt: AttemptId, kept: boolean): void {
    const key = attemptText(attempt);
    this.open.get(key)?.answer(kept);
    this.open.delete(key);
  }
}
