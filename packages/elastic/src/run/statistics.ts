/** Counts what a job did on this instance since it started. */
import type { Cause, ShardOutcome } from '../board/board.ts';

/** Figures of a job on one instance. */
export interface Statistics {
  readonly ticks: number;
  /** Ticks that came during a round, or while the registry was away. */
  readonly missed: number;
  readonly rounds: Readonly<Record<Cause, number>>;
  readonly succeeded: number;
  readonly failed: number;
}

export class JobStatistics {
  private figures = {
    ticks: 0,
    missed: 0,
    rounds: { tick: 0, trigger: 0, misfire: 0, failover: 0 },
    succeeded: 0,
    failed: 0,
  };

  ticks(count: number): void {
    this.figures.ticks += count;
  }

  missed(count: number): void {
    this.figures.missed += count;
  }

  round(cause: Cause, outcomes: readonly ShardOutcome[]): void {
    this.figures.rounds[cause]++;
    for (const { ok } of outcomes) this.figures[ok ? 'succeeded' : 'failed']++;
  }

  read(): Statistics {
    return { ...this.figures, rounds: { ...this.figures.rounds } };
  }
}
