/** A task in a few words: below its name in a box, beside its row, and for screen readers. */
import { useMemo } from 'react';
import { useLanguage } from '../../i18n/text.tsx';
import { type RunTasks, type Task, timesOf } from '../../model/run.ts';
import { shardTotal } from '../../model/shards.ts';
import { hasEnded, lookOf } from '../../model/state.ts';
import { duration } from '../../model/time.ts';

/** The words, in the present language. */
export interface TaskWords {
  /** Below the name: how long, how often, how much of it. */
  line(task: Task, now: number): string;
  /** Beside the row: how long it waited and ran. */
  sum(task: Task, now: number): string;
  /** Its accessible name. */
  name(task: Task, run: RunTasks, now: number): string;
  state(state: string): string;
}

/** Gives the words. */
export function useTaskWords(): TaskWords {
  const { text, units } = useLanguage();
  return useMemo(() => {
    const time = (ms: number | null) => (ms === null ? '' : duration(ms, units));
    const state = (name: string) => {
      const { word } = lookOf(name);
      return word === null ? name : text(word);
    };
    const plain = (task: Task, now: number): string => {
      const { ran } = timesOf(task, now);
      if (task.state === 'retrying' && task.due !== null)
        return text('run.line.waiting', {
          state: state('retrying'),
          time: time(Math.max(0, task.due - now)),
        });
      if (ran !== null && (hasEnded(task.state) || task.state === 'running'))
        return text('run.line.ran', { time: time(ran) });
      if (hasEnded(task.state) || task.state === 'pending' || task.since === null) return state(task.state);
      return text('run.line.waiting', { state: state(task.state), time: time(now - task.since) });
    };
    return {
      state,
      line(task, now) {
        const line = plain(task, now);
        const total = shardTotal(task.shards ?? {});
        if (total > 0) return text('run.line.shards', { line, done: task.shards?.success ?? 0, total });
        return task.attempt > 1 ? text('run.line.tries', { line, attempt: task.attempt }) : line;
      },
      sum(task, now) {
        const { waited, ran } = timesOf(task, now);
        const failed = task.shards?.failed ?? 0;
        if (failed > 0)
          return text('run.sum.shards', {
            ran: ran === null ? 'none' : time(ran),
            failed,
            total: shardTotal(task.shards ?? {}),
          });
        if (ran === null)
          return waited === null ? state(task.state) : text('run.sum.wait', { waited: time(waited) });
        return waited === null || waited < 50
          ? text('run.line.ran', { time: time(ran) })
          : text('run.sum.both', { waited: time(waited), ran: time(ran) });
      },
      name(task, { links }, now) {
        const { waited, ran } = timesOf(task, now);
        return text('run.node.name', {
          name: task.name,
          type: task.type,
          state: state(task.forced ? 'forced' : task.state),
          attempt: task.attempt,
          shards: shardTotal(task.shards ?? {}),
          failed: task.shards?.failed ?? 0,
          waited: waited === null ? 'none' : time(waited),
          ran: ran === null ? 'none' : time(ran),
          before: links.before[task.index]?.length ?? 0,
          after: links.after[task.index]?.length ?? 0,
        });
      },
    };
  }, [text, units]);
}
