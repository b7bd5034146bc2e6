/** The timeline of a run: a row a task in the order of the graph, more below it when it is folded out. */
import { useMemo, useState } from 'react';
import { useGo } from '../../app/link.tsx';
import { useApi } from '../../data/api.ts';
import { usePreferences } from '../../data/preferences.ts';
import { useMemoWhen } from '../../data/when.ts';
import { useText } from '../../i18n/text.tsx';
import type { RunTasks } from '../../model/run.ts';
import { hasEnded } from '../../model/state.ts';
import { timeParts, zoneOf } from '../../model/time.ts';
import { type Attempt, extentOf, idleOf } from '../../model/timeline.ts';
import { folded, openedParents } from '../../model/timeline-children.ts';
import type { Range } from '../../model/timeline-scale.ts';
import { type QueueWait, queueWaits } from '../../model/wait.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import style from './run.module.css';
import type { RunViewProps } from './run-graph.tsx';
import { TimelineView } from './timeline/timeline-view.tsx';
import { useRows } from './timeline/use-rows.ts';
import { useChildren } from './use-children.ts';
import { waitWords } from './words.ts';

interface RunTimelineProps extends RunViewProps {
  readonly id: number;
  /** The loaded attempts, by task. */
  readonly attempts: ReadonlyMap<number, readonly Attempt[]>;
  readonly range: Range | null;
  readonly onRange: (range: Range | null) => void;
  /** The rows that are folded out. */
  readonly opened: readonly string[];
  readonly onOpened: (opened: readonly string[]) => void;
}

export function RunTimeline(props: RunTimelineProps) {
  const { id, run, now, attempts, current, found, marked, path, range } = props;
  const text = useText();
  const go = useGo();
  const { zone: choice } = usePreferences();
  const openedText = props.opened.join();
  // The address creates a new list with every change.
  const opened = useMemoWhen(() => new Set(props.opened), [openedText]);
  /** The row that was walked to: one below a task has no place in the address. */
  const [place, setPlace] = useState<string>();
  const parents = useMemo(() => openedParents(opened), [opened]);
  const round = useMemo(() => run.tasks.reduce((most, task) => Math.max(most, task.round), 1), [run.tasks]);
  const { children, error, retry } = useChildren(parents, round);
  const waits = useQueueWaits(id, run);
  const rows = useRows({ id, run, found, marked, path, attempts, opened, children, waits });
  const spans = useMemo(() => rows.map((row) => row.spans), [rows]);
  const extent = extentOf(spans, now) ?? { from: now - 1_000, to: now };
  const live = run.tasks.some(({ state }) => !hasEnded(state) && state !== 'pending');
  const idle = useMemo(() => idleOf(spans), [spans]);
  const zone = zoneOf(choice);
  const below = rows.findIndex(({ key, task }) => key === place && task === current);
  return (
    <>
      {error && (
        <div className={style.fault}>
          <ErrorPanel error={error} retry={retry} />
        </div>
      )}
      <TimelineView
        label={text('run.timeline', { count: rows.length })}
        rows={rows}
        extent={padded(extent)}
        idle={idle}
        range={range}
        now={now}
        live={live}
        current={below >= 0 ? below : rows.findIndex(({ task, depth }) => task === current && depth === 0)}
        nameOf={(row) => rows[row]?.name(now) ?? ''}
        axisLabel={(time, span) => axisLabel(time, span, zone)}
        waitLabel={(wait) => text(waitWords[wait])}
        onCurrent={(row) => {
          if (!rows[row]) return;
          setPlace(rows[row].key);
          props.onCurrent(rows[row].task);
        }}
        onOpen={(row) => {
          if (!rows[row]) return;
          const { address, task } = rows[row];
          if (address === null) props.onOpen(task);
          else go(address);
        }}
        onFold={(row) => {
          const { foldKey } = rows[row];
          if (foldKey !== null) props.onOpened(folded(props.opened, foldKey));
        }}
        onRange={props.onRange}
      />
    </>
  );
}

/** The current waits of queued tasks, requested while there are any. */
function useQueueWaits(id: number, { counts }: RunTasks): ReadonlyMap<number, QueueWait> {
  const { data } = useApi('listTaskWaits', counts.submitted ? { id } : null, { every: 5_000 });
  return useMemo(() => queueWaits(data?.waits ?? []), [data]);
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
