/** Fires schedules. */
import type { Context } from './ports.ts';

export class Ticks {
  private readonly context: Context;
  private readonly fired: () => void;

  constructor(context: Context, fired: () => void) {
    this.context = context;
    this.fired = fired;
  }

  look(): void {
    void this.context;
    void this.fired;
  }

  soon(_due: number | null): void {}

  async stop(): Promise<void> {}
}
