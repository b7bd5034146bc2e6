/** The rows of a timeline: a task each, below it its shards or the tasks of runs it started, when it is folded out. */
import { useMemo } from 'react';
import { runAddress, runsAddress } from '../../../app/addresses.ts';
import { formatQuery } from '../../../app/search-fields.ts';
import { useText } from '../../../i18n/text.tsx';
import { shardParts, shardTotal } from '../../../model/shards.ts';
import { type Attempt, type Span, spansOfAttempts, spansOfTask } from '../../../model/timeline.ts';
import {
  type ChildRuns,
  childrenKey,
  type NestedRow,
  nestedRows,
  timelineOrder,
} from '../../../model/timeline-children.ts';
import { type QueueWait, waitKind } from '../../../model/wait.ts';
import { logAddress } from '../log-address.ts';
import type { RunViewProps } from '../run-graph.tsx';
import { useTaskWords } from '../task-words.ts';
import { waitWords } from '../words.ts';
import type { TimelineRow } from './draw-timeline.ts';

/** A row with what can be done with it. */
export interface Row extends TimelineRow {
  /** The task of this run that the row shows or belongs to. */
  readonly task: number;
  /** The key that opens its fold; null for a row without one. */
  readonly foldKey: string | null;
  /** Where it leads; null of a task of this run, which the page opens. */
  readonly address: string | null;
  /** Its accessible name. */
  readonly name: (now: number) => string;
}

/** What task runs wait for in the queue, by their index. */
type QueueWaits = ReadonlyMap<number, QueueWait>;

interface RowsInput extends Pick<RunViewProps, 'run' | 'found' | 'marked' | 'path'> {
  readonly id: number;
  readonly attempts: ReadonlyMap<number, readonly Attempt[]>;
  readonly opened: ReadonlySet<string>;
  readonly children: ChildRuns;
  readonly waits: QueueWaits;
}

/** Makes the rows; the same ones while nothing has changed. */
export function useRows({
  id,
  run,
  found,
  marked,
  path,
  attempts,
  opened,
  children,
  waits,
}: RowsInput): readonly Row[] {
  const text = useText();
  const words = useTaskWords();
  const order = useMemo(() => timelineOrder(run.links), [run.links]);
  const onPath = useMemo(() => new Set(path), [path]);
  return useMemo(() => {
    const foldOf = (key: string | null) => (key === null ? 'none' : opened.has(key) ? 'open' : 'closed');
    return order.flatMap((index): Row[] => {
      const task = run.tasks[index];
      const tries = attempts.get(index) ?? [];
      const faded = (found !== null && !found.has(index)) || (marked !== null && !marked.has(index));
      const waitOf = ({ state, to }: Span) =>
        waitKind(state, task.type, to === null ? waits.get(index) : undefined);
      const shared = { task: index, onPath: onPath.has(index), faded, waitOf };
      const foldKey = task.shards && shardTotal(task.shards) > 0 ? `shards:${task.id}` : childrenKey(task);
      const head: Row = {
        ...shared,
        key: task.name,
        label: task.name,
        state: task.forced ? 'forced' : task.state,
        depth: 0,
        spans: task.shards || tries.length === 0 ? spansOfTask(task) : spansOfAttempts(tries),
        parts: task.shards && shardParts(task.shards),
        fold: foldOf(foldKey),
        foldKey,
        address: null,
        sum: (now) => words.sum(task, now),
        name: (now) => withWait(words.name(task, run, now), head),
      };
      if (head.fold !== 'open') return [head];
      if (!task.shards)
        return [
          head,
          ...nestedRows(id, task.id, opened, children).map((row) => ({ ...shared, ...nested(row) })),
        ];
      const shards = Map.groupBy(tries, ({ shard }) => shard ?? 0);
      return [
        head,
        ...[...shards].map(([shard, some]): Row => {
          const last = some.at(-1);
          const label = text('task.shard', { shard });
          return {
            ...shared,
            key: `${task.name}:${shard}`,
            label,
            state: last?.state ?? 'pending',
            depth: 1,
            spans: spansOfAttempts(some),
            parts: null,
            fold: 'none',
            foldKey: null,
            address: last ? logAddress(task.id, { ...last, shard }) : null,
            sum: () => '',
            name: (now) => `${label}, ${words.name(task, run, now)}`,
          };
        }),
      ];
    });

    /** The name with what it waits for now, if it does. */
    function withWait(name: string, { spans, waitOf }: Row): string {
      const open = spans.findLast(({ kind, to }) => kind === 'wait' && to === null);
      return open ? text('timeline.waits', { name, wait: text(waitWords[waitOf(open)]) }) : name;
    }

    function nested(row: NestedRow): Omit<Row, 'task' | 'onPath' | 'faded'> {
      const { key, depth, foldKey, run: of } = row;
      const shared = { key, depth, foldKey, fold: foldOf(foldKey) } as const;
      if (row.kind === 'task') {
        const { task, tasks } = row;
        return {
          ...shared,
          label: task.name,
          state: task.forced ? 'forced' : task.state,
          spans: spansOfTask(task),
          waitOf: ({ state }) => waitKind(state, task.type),
          parts: task.shards && shardParts(task.shards),
          address: `${runAddress(of)}${formatQuery({ task: task.name })}`,
          sum: (now) => words.sum(task, now),
          name: (now) => text('timeline.inRun', { name: words.name(task, tasks, now), run: of }),
        };
      }
      const label = text(row.kind === 'run' ? 'timeline.run' : 'timeline.moreRuns', { run: of });
      return {
        ...shared,
        label,
        state: row.kind === 'run' ? row.state : null,
        spans: row.kind === 'run' && row.span ? [row.span] : [],
        waitOf: ({ state }) => waitKind(state, ''),
        parts: null,
        address: row.kind === 'run' ? runAddress(of) : runsAddress({ parent: String(of) }),
        sum: () => '',
        name: () => (row.kind === 'run' ? `${label}, ${words.state(row.state)}` : label),
      };
    }
  }, [id, order, run, attempts, opened, children, waits, found, marked, onPath, words, text]);
}
