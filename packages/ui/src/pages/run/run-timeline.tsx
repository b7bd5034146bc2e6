/** The timeline of a run: a row a task in the order of the graph, shards below their task when it is folded out. */
import { useMemo, useState } from 'react';
import { usePreferences } from '../../data/preferences.ts';
import { useText } from '../../i18n/text.tsx';
import { depthsOf } from '../../model/graph.ts';
import { shardParts, shardTotal } from '../../model/shards.ts';
import { hasEnded } from '../../model/state.ts';
import { timeParts, zoneOf } from '../../model/time.ts';
import { type Attempt, extentOf, gapsOf, spansOfAttempts, spansOfTask } from '../../model/timeline.ts';
import type { RunViewProps } from './run-graph.tsx';
import { useTaskWords } from './task-words.ts';
import type { TimelineRow } from './timeline/draw-timeline.ts';
import { type Range, TimelineView } from './timeline/timeline-view.tsx';

interface RunTimelineProps extends RunViewProps {
  /** Attempts by task, as far as they are known. */
  readonly attempts: ReadonlyMap<number, readonly Attempt[]>;
  readonly range: Range | null;
  readonly onRange: (range: Range | null) => void;
}

interface Row extends TimelineRow {
  readonly task: number;
}

export function RunTimeline(props: RunTimelineProps) {
  const { run, now, attempts, current, found, marked, path, range } = props;
  const text = useText();
  const words = useTaskWords();
  const { zone: choice } = usePreferences();
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const order = useMemo(() => {
    const depth = depthsOf(run.links);
    return [...depth.keys()].sort((a, b) => depth[a] - depth[b] || a - b);
  }, [run.links]);
  const onPath = useMemo(() => new Set(path), [path]);
  const rows = useMemo(
    () =>
      order.flatMap((index): Row[] => {
        const task = run.tasks[index];
        const tries = attempts.get(index) ?? [];
        const faded = (found !== null && !found.has(index)) || (marked !== null && !marked.has(index));
        const shared = { task: index, onPath: onPath.has(index), faded };
        const head: Row = {
          ...shared,
          key: task.name,
          label: task.name,
          state: task.forced ? 'forced' : task.state,
          depth: 0,
          spans: task.shards || tries.length === 0 ? spansOfTask(task) : spansOfAttempts(tries),
          parts: task.shards && shardParts(task.shards),
          fold: task.shards && shardTotal(task.shards) > 0 ? (opened.has(index) ? 'open' : 'closed') : 'none',
          sum: (at) => words.sum(task, at),
        };
        if (head.fold !== 'open') return [head];
        const shards = Map.groupBy(tries, ({ shard }) => shard ?? 0);
        return [
          head,
          ...[...shards].map(
            ([shard, some]): Row => ({
              ...shared,
              key: `${task.name}:${shard}`,
              label: text('task.shard', { shard }),
              state: some.at(-1)?.state ?? 'pending',
              depth: 1,
              spans: spansOfAttempts(some),
              parts: null,
              fold: 'none',
              sum: () => '',
            }),
          ),
        ];
      }),
    [order, run.tasks, attempts, opened, found, marked, onPath, words, text],
  );
  const spans = useMemo(() => rows.map((row) => row.spans), [rows]);
  const extent = extentOf(spans, now) ?? { from: now - 1_000, to: now };
  const live = run.tasks.some(({ state }) => !hasEnded(state) && state !== 'pending');
  const { from, to } = extent;
  const gaps = useMemo(() => (live ? [] : gapsOf(spans, { from, to })), [live, spans, from, to]);
  const zone = zoneOf(choice);
  return (
    <TimelineView
      label={text('run.timeline', { count: rows.length })}
      rows={rows}
      extent={padded(extent)}
      gaps={gaps}
      range={range}
      now={now}
      live={live}
      current={rows.findIndex(({ task, depth }) => task === current && depth === 0)}
      nameOf={(row) => (rows[row] ? rowName(rows[row]) : '')}
      axisLabel={(time, span) => axisLabel(time, span, zone)}
      waitLabel={(state) => (state === 'retrying' ? text('timeline.retry') : words.state(state))}
      onCurrent={(row) => rows[row] && props.onCurrent(rows[row].task)}
      onOpen={(row) => rows[row] && props.onOpen(rows[row].task)}
      onFold={(row) => {
        const { task } = rows[row];
        const next = new Set(opened);
        if (!next.delete(task)) next.add(task);
        setOpened(next);
      }}
      onRange={props.onRange}
    />
  );

  function rowName(row: Row): string {
    const name = words.name(run.tasks[row.task], run, now);
    return row.depth === 0 ? name : `${row.label}, ${name}`;
  }
}

/** A little room at the right, so that the last end is not cut by the edge. */
function padded({ from, to }: Range): Range {
  return { from, to: to + Math.max(1, Math.round((to - from) * 0.02)) };
}

function axisLabel(at: number, span: number, zone: string): string {
  const { date, time, fraction } = timeParts(at, zone);
  if (span > 2 * 86_400_000) return `${date.slice(5)} ${time.slice(0, 5)}`;
  if (span > 600_000) return time.slice(0, 5);
  return span > 5_000 ? time : `${time.slice(3)}${fraction}`;
}
