/** The task runs of a run as a table, with everything that the graph and timeline show. */
import { IconRoute } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useEffectWhen } from '../../data/when.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { type Task, timesOf } from '../../model/run.ts';
import { duration } from '../../model/time.ts';
import { CutName } from '../../parts/cut-name.tsx';
import { useListPlace } from '../../parts/list/use-list-place.ts';
import { type Column, VirtualList } from '../../parts/list/virtual-list.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import style from './run.module.css';
import type { RunViewProps } from './run-graph.tsx';

export function RunTable({ run, now, current, marked, found, path, onCurrent, onOpen }: RunViewProps) {
  const { text, units } = useLanguage();
  const indexOf = (name: string) => run.byName.get(name) ?? -1;
  // Also of the current row: its inspector may have been closed.
  const inspect = (name: string) => onCurrent(indexOf(name));
  const control = useListPlace({ onOpen: (name) => onOpen(indexOf(name)), onInspect: inspect });
  const rows = useMemo(
    () => run.tasks.filter(({ index }) => (found?.has(index) ?? true) && (marked?.has(index) ?? true)),
    [run.tasks, found, marked],
  );
  const onPath = useMemo(() => new Set(path), [path]);
  const currentName = run.tasks[current]?.name ?? null;
  const { goTo, place } = control;
  // The row follows the task of the address, and the address the row.
  // Only when one of the two has changed.
  useEffectWhen(() => {
    if (currentName !== null) goTo(currentName);
  }, [currentName]);
  // Only when one of the two has changed.
  useEffectWhen(() => {
    if (place.current !== null && place.current !== currentName) onCurrent(indexOf(place.current));
  }, [place.current]);
  const time = (ms: number | null) => (ms === null ? '' : duration(ms, units));
  const columns: readonly Column<Task>[] = [
    {
      id: 'task',
      label: text('run.column.task'),
      width: 'minmax(140px, 2fr)',
      cell: ({ name, index }) =>
        onPath.has(index) ? (
          <span className={style.onPath}>
            <CutName name={name} />
            <IconRoute size={14} role="img" aria-label={text('run.onPath')} data-hint={text('run.onPath')} />
          </span>
        ) : (
          <CutName name={name} />
        ),
    },
    {
      id: 'state',
      label: text('run.column.state'),
      width: '120px',
      cell: ({ state, forced }) => <StateBadge state={state} forced={forced} />,
    },
    {
      id: 'type',
      label: text('run.column.type'),
      width: '96px',
      cell: ({ type }) => <span className="dim">{type}</span>,
    },
    {
      id: 'waited',
      label: text('run.column.waited'),
      width: '80px',
      end: true,
      cell: (task) => time(timesOf(task, now).waited),
    },
    {
      id: 'ran',
      label: text('run.column.ran'),
      width: '80px',
      end: true,
      cell: (task) => time(timesOf(task, now).ran),
    },
    {
      id: 'attempt',
      label: text('run.column.attempt'),
      width: '64px',
      end: true,
      cell: ({ attempt }) => attempt || '',
    },
    {
      id: 'worker',
      label: text('run.column.worker'),
      width: 'minmax(80px, 1fr)',
      cell: ({ workers }) => <CutName name={workers.join(', ')} />,
    },
    {
      id: 'since',
      label: text('run.column.since'),
      width: '120px',
      cell: ({ since }) => since !== null && <Time at={since} />,
    },
    {
      id: 'needs',
      label: text('run.column.needs'),
      width: 'minmax(80px, 1fr)',
      cell: ({ needs }) => <span className="dim">{needs.join(', ')}</span>,
    },
    {
      id: 'reason',
      label: text('run.column.reason'),
      width: 'minmax(120px, 3fr)',
      cell: ({ reason }) => reason ?? '',
    },
  ];
  return (
    <VirtualList
      label={text('run.table')}
      rows={rows}
      columns={columns}
      control={control}
      idOf={({ name }) => name}
      nameOf={({ name }) => name}
      onPress={inspect}
      onOpen={(name) => onOpen(indexOf(name))}
      foot={rows.length === 0 ? text(run.tasks.length === 0 ? 'run.noTasks' : 'run.noMatch') : undefined}
    />
  );
}
