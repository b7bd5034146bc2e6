/** The only mutation of a run in memory; its cost follows the changes. */
import type { Changes } from './events.ts';
import type { Run } from './run.ts';

/** Applies a decision's changes to the run, in order. */
export function apply(run: Run, changes: Changes): void {
  if (changes.fields) run.fields = changes.fields;
  run.tally = changes.tally;
  for (const [i, task] of changes.tasks) run.tasks[i] = task;
  run.agenda = changes.agenda;
  for (const [i, counters] of changes.counters) run.counters[i] = counters;
}
