/** What a task run has waited for and how long, a line a reason. Why it waits now is for the why line to say. */
import type { ReactNode } from 'react';
import type { AnswerOf } from '../../data/client.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { pastWaits } from '../../model/past-waits.ts';
import type { Task } from '../../model/run.ts';
import { duration } from '../../model/time.ts';
import type { Attempt } from '../../model/timeline.ts';
import { waitWords } from './words.ts';

type AttemptRow = AnswerOf<'listAttempts'>['attempts'][number];

interface WaitedProps {
  readonly task: Task;
  readonly tries: readonly AttemptRow[];
  /** The task group it is in. */
  readonly group: string | null;
  /** Shown while nothing is finished. */
  readonly children: ReactNode;
}

export function Waited({ task, tries, group, children }: WaitedProps) {
  const { text, units } = useLanguage();
  const waits = pastWaits(
    task,
    tries.map((row) => attemptOf(row, task.round)),
    group !== null,
  );
  if (waits.length === 0) return children;
  return waits.map(({ kind, time }) => {
    const wait =
      kind === 'task-group' && group !== null ? text('task.waitedGroup', { group }) : text(waitWords[kind]);
    return <div key={kind}>{text('task.waitedFor', { wait, time: duration(time, units) })}</div>;
  });
}

/** An attempt as the model has it. */
function attemptOf(row: AttemptRow, round: number): Attempt {
  const at = (time: string | null) => (time === null ? null : Date.parse(time));
  const { shard, number, state } = row;
  const startedAt = at(row.assignedAt ?? row.startedAt);
  return { shard, number, round, state, queuedAt: at(row.queuedAt), startedAt, endedAt: at(row.endedAt) };
}
