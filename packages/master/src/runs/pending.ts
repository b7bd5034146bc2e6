/** The changes of one run since its last commit, merged so that a batch writes each row once. */
import type { ChildControl, ChildStart, Decision, Effect, RunFields, TaskRun } from '@orrery/core/run';
import type { RunState } from '@orrery/core/state';
import type { AttemptRef, HistoryEntry, OutcomeRow, ReadyRow, RunChange } from '@orrery/store';

export class Pending {
  readonly run: number;
  fields: RunFields | undefined;
  readonly tasks = new Map<number, TaskRun>();
  readonly enqueue: ReadyRow[] = [];
  readonly withdraw: RunChange['withdraw'][number][] = [];
  readonly admit: AttemptRef[] = [];
  readonly outcomes: OutcomeRow[] = [];
  readonly consumed: number[] = [];
  readonly children: ChildStart[] = [];
  readonly childControls: ChildControl[] = [];
  readonly effects: Effect[] = [];
  readonly waits: Decision['changes']['waits'][number][] = [];
  readonly approvals: Decision['changes']['approvals'][number][] = [];
  readonly history: HistoryEntry[] = [];
  settled: Decision['changes']['settled'];
  /** The state to report to the run's parent although nothing changed: the parent's control was refused. */
  told: RunState | undefined;
  /** Whether to free the slots that the run was given for a refused control. */
  freed = false;
  /** Called when the changes are committed, or will never be. */
  readonly waiting: ((committed: boolean) => void)[] = [];

  constructor(run: number) {
    this.run = run;
  }

  /** The approximate cost of the commit: the run, its outcomes and its attempts. */
  get weight(): number {
    return 1 + this.outcomes.length + this.enqueue.length;
  }

  /** Adds the changes of one decision. Tickets become queue rows elsewhere, since that may fail. */
  add({ changes, effects }: Decision): void {
    const { run } = this;
    if (changes.fields) this.fields = changes.fields;
    for (const [i, task] of changes.tasks) this.tasks.set(i, task);
    for (const { attempt, kill } of changes.withdraw) this.withdraw.push({ run, ...attempt, kill });
    for (const attempt of changes.admit) this.admit.push({ run, ...attempt });
    this.children.push(...changes.children);
    this.childControls.push(...changes.childControls);
    this.waits.push(...changes.waits);
    this.approvals.push(...changes.approvals);
    this.effects.push(...effects);
    if (changes.settled) this.settled = changes.settled;
  }
}
