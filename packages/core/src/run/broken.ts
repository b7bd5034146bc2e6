/**
 * Sets a run aside because its data is bad, so that nobody can rebuild it or decide about it. It works on
 * stored rows and needs no plan, which may itself be bad. A recovery or a rerun resumes the run.
 */
import { isFinal, move, runMachine, taskMachine } from '../state/index.ts';
import type { RunFields, RunRows, ShardRun, TaskRun } from './run.ts';

/** The rows of an open run set aside for a reason: its fields, and the tasks that this ends. */
export function setAside({ fields, tasks }: RunRows, reason: string, now: number): RunRows {
  const aside: RunFields = { ...fields, since: now, reason, state: move(runMachine, fields.state, 'break') };
  return {
    fields: aside,
    tasks: tasks
      .filter(([, { state }]) => state !== 'pending' && !isFinal(taskMachine, state))
      .map(([i, task]) => [i, killed(task, reason, now)]),
  };
}

function killed(task: TaskRun, reason: string, now: number): TaskRun {
  return { ...task, state: 'killed', since: now, due: undefined, reason, shards: task.shards.map(ended) };
}

function ended(line: ShardRun): ShardRun {
  if (line.state !== 'out' && line.state !== 'idle' && line.state !== 'retrying') return line;
  return { ...line, state: 'killed', cause: undefined, since: undefined, due: undefined };
}
