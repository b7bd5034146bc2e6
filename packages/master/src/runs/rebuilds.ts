/**
 * Runs to read again from the store after a failed commit. One attempt reads all of them, and is retried
 * until the store answers.
 *
 * empty -> waiting -> reading -> (waiting again | empty) -> halted
 */
import type { ClockTimer } from '@orrery/core/timing';
import type { Context } from '../ports.ts';
import { lastWriteOver } from './last-write.ts';

const RETRY_AFTER = 500;

export class Rebuilds {
  private readonly context: Context;
  private readonly adopt: (ids: readonly number[]) => Promise<void>;
  private readonly ids = new Set<number>();
  private timer: ClockTimer | undefined;
  private halted = false;

  constructor(context: Context, adopt: (ids: readonly number[]) => Promise<void>) {
    this.context = context;
    this.adopt = adopt;
  }

  /** Schedules these runs to be read again soon. */
  add(ids: Iterable<number>): void {
    for (const id of ids) this.ids.add(id);
    this.wait();
  }

  halt(): void {
    this.halted = true;
    this.timer?.cancel();
  }

  private wait(): void {
    if (this.ids.size === 0 || this.halted) return;
    this.timer ??= this.context.clock.setTimer(RETRY_AFTER, () => void this.read());
  }

  /** `timer` is kept until the end, so that runs added meanwhile wait for the next attempt. */
  private async read(): Promise<void> {
    const ids = [...this.ids];
    this.ids.clear();
    try {
      await lastWriteOver(this.context);
      if (!this.halted) await this.adopt(ids);
    } catch (error) {
      for (const id of ids) this.ids.add(id);
      this.context.report(`could not rebuild ${this.ids.size} runs`, error);
    }
    this.timer = undefined;
    this.wait();
  }
}
