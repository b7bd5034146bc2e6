/** A run in which every attempt succeeds at once, with no world around it: for runs of many tasks. */
import {
  apply,
  type Changes,
  createRun,
  decide,
  type Happening,
  type Plan,
  type Run,
  type RunRequest,
} from '@orrery/core/run';

/** What became of the run, and what it took. */
interface RunThrough {
  readonly run: Run;
  /** Decisions after the start: one for each attempt. */
  readonly decisions: number;
  /** Most task runs that one of them changed. */
  readonly mostChanged: number;
}

/** Starts a run and lets every queued attempt succeed, in the order they were queued. */
export function runThrough(plan: Plan, given: Partial<RunRequest> = {}): RunThrough {
  const { project, priority, onFailure, timezone } = plan.workflow;
  const request = { id: 1, project, priority, onFailure, timezone, businessTime: 0, dryRun: false, depth: 0 };
  const run = createRun(plan, { ...request, ...given }, {}, 0);
  const facts = {};
  const queue: Changes['enqueue'][number][] = [];
  const happen = (event: Happening): Changes => {
    const { changes } = decide(run, event, facts);
    apply(run, changes);
    for (const ticket of changes.enqueue) queue.push(ticket);
    return changes;
  };
  happen({ now: 1, type: 'start', scope: { kind: 'all', tasks: [] } });
  let mostChanged = 0;
  let decisions = 0;
  for (; decisions < queue.length; decisions++) {
    const { attempt } = queue[decisions];
    const { tasks } = happen({ now: 1, type: 'outcome', attempt, outcome: { state: 'success' } });
    mostChanged = Math.max(mostChanged, tasks.size);
  }
  return { run, decisions, mostChanged };
}
