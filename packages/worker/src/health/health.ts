/**
 * Whether a worker may take work. Checked before a take, with every beat, and after each attempt that had to
 * be handed back.
 * States: unchecked -> healthy <-> unhealthy, which is checked again after a pause. The pause doubles while
 * attempts are handed back although every check passes.
 */
import type { Clock, ClockTimer } from '@orrery/core/timing';
import type { WorkerHealth } from '../session/ports.ts';

/** How long the result of a check is valid. */
const FRESH = 1_000;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;

/** Finds a problem; `processes` also tests starting one. */
export type Probe = (processes: boolean) => Promise<string | undefined>;

/** One for each worker. */
export class Health implements WorkerHealth {
  problem: string | undefined;
  private readonly clock: Clock;
  private readonly probe: Probe;
  private readonly listeners = new Set<() => void>();
  private checkedAt = Number.NEGATIVE_INFINITY;
  private checking = false;
  private unchecked = true;
  private handedBack = 0;
  private timer: ClockTimer | undefined;
  private stopped = false;

  constructor(clock: Clock, probe: Probe) {
    this.clock = clock;
    this.probe = probe;
  }

  mayTake(): boolean {
    if (this.problem !== undefined) return false;
    this.refresh();
    return !this.checking;
  }

  refresh(): void {
    if (this.problem === undefined && this.clock.monotonic() - this.checkedAt >= FRESH) this.check();
  }

  /** An error may be the machine's fault: checks at once. */
  suspect(): void {
    this.checkedAt = Number.NEGATIVE_INFINITY;
    this.refresh();
  }

  failed(reason: string): void {
    this.handedBack++;
    this.set(reason);
  }

  succeeded(): void {
    this.handedBack = 0;
  }

  listen(told: () => void): void {
    this.listeners.add(told);
  }

  stop(): void {
    this.stopped = true;
    this.timer?.cancel();
  }

  private check(): void {
    if (this.checking || this.stopped) return;
    this.checking = true;
    const handedBack = this.handedBack;
    void this.probe(this.unchecked || this.problem !== undefined).then((found) => {
      this.checking = false;
      this.unchecked = false;
      this.checkedAt = this.clock.monotonic();
      // An attempt handed back during the check is newer evidence than the check itself.
      if (handedBack === this.handedBack || found !== undefined) this.set(found);
    });
  }

  private set(problem: string | undefined): void {
    if (this.stopped) return;
    this.problem = problem;
    this.timer?.cancel();
    if (problem !== undefined) this.timer = this.clock.setTimer(this.pause(), () => this.check());
    for (const told of this.listeners) told();
  }

  private pause(): number {
    return Math.min(FIRST_PAUSE * 2 ** Math.max(0, this.handedBack - 1), LONGEST_PAUSE);
  }
}
