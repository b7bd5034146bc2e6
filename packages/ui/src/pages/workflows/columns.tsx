/** The columns of the list of workflows. */
import { ActionIcon, Menu } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconDots, IconStar, IconStarFilled } from '@tabler/icons-react';
import { useMemo } from 'react';
import { editorAddress, runAddress, workflowAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { setPreferences, usePreferences } from '../../data/preferences.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { percent } from '../../model/number.ts';
import { duration, interval } from '../../model/time.ts';
import { CutName } from '../../parts/cut-name.tsx';
import type { Column } from '../../parts/list/virtual-list.tsx';
import { StateIcon, useStateWord } from '../../parts/state-badge.tsx';
import { Strip } from '../../parts/strip.tsx';
import { Time } from '../../parts/time.tsx';
import { nameOf, type Row } from './row.ts';
import type { WorkflowActions } from './use-workflow-actions.ts';
import styles from './workflows.module.css';

interface ColumnsInput {
  readonly current: string | null;
  readonly actions: WorkflowActions;
  onRun(row: Row): void;
  onMove(row: Row): void;
  onOpenRun(id: number): void;
}

/** Not shown where there is no room; the page of a workflow says the same. */
const leftOut: ReadonlySet<string> = new Set(['live', 'draft', 'schedule', 'ok', 'time']);

export function useColumns({
  current,
  actions,
  onRun,
  onMove,
  onOpenRun,
}: ColumnsInput): readonly Column<Row>[] {
  const { text, locale, units } = useLanguage();
  const narrow = useMediaQuery('(max-width: 1199px)');
  const columns: readonly Column<Row>[] = [
    {
      id: 'name',
      label: text('workflows.name'),
      width: 'minmax(160px, 2fr)',
      cell: (row) => <Name row={row} />,
    },
    {
      id: 'live',
      label: text('workflows.live'),
      width: '44px',
      cell: ({ version }) => (version === null ? <span className="dim">–</span> : `v${version}`),
    },
    {
      id: 'draft',
      label: text('workflows.draft'),
      width: '44px',
      cell: ({ draft }) =>
        draft && (
          <span
            data-hint={text('workflows.draftBy', { author: draft.author })}
            aria-label={text('workflows.draftBy', { author: draft.author })}
            role="img"
          >
            ●
          </span>
        ),
    },
    {
      id: 'schedule',
      label: text('workflows.schedule'),
      width: 'minmax(120px, 1fr)',
      cell: (row) => <Schedules row={row} />,
    },
    {
      id: 'next',
      label: text('workflows.next'),
      width: '88px',
      cell: ({ nextDue, schedules }) =>
        nextDue ? <Time at={nextDue} zone={schedules?.[0]?.timezone} /> : <span className="dim">–</span>,
    },
    {
      id: 'strip',
      label: text('workflows.strip'),
      width: '180px',
      cell: (row) => (
        <Strip
          name={nameOf(row)}
          runs={row.strip?.runs ?? []}
          focusable={current === nameOf(row)}
          onOpen={onOpenRun}
        />
      ),
    },
    {
      id: 'ok',
      label: text('workflows.ok'),
      width: '48px',
      end: true,
      cell: ({ strip }) => (strip?.successRate == null ? '–' : percent(strip.successRate, locale)),
    },
    {
      id: 'time',
      label: 'p50 / p95',
      width: '148px',
      end: true,
      cell: ({ strip }) =>
        strip?.p50 == null
          ? '–'
          : `${duration(strip.p50, units)} / ${duration(strip.p95 ?? strip.p50, units)}`,
    },
    { id: 'last', label: text('workflows.last'), width: '96px', cell: (row) => <LastRun row={row} /> },
    {
      id: 'more',
      label: '',
      width: '28px',
      cell: (row) => (
        <MoreMenu
          row={row}
          tabStop={current === nameOf(row)}
          actions={actions}
          onRun={() => onRun(row)}
          onMove={() => onMove(row)}
        />
      ),
    },
  ];
  return narrow ? columns.filter(({ id }) => !leftOut.has(id)) : columns;
}

function Name({ row }: { row: Row }) {
  const { text } = useLanguage();
  const { watched } = usePreferences();
  const name = nameOf(row);
  const starred = watched.includes(name);
  return (
    <span className={styles.name}>
      <button
        type="button"
        tabIndex={-1}
        className={styles.star}
        aria-pressed={starred}
        aria-label={text('workflows.star', { name })}
        onClick={() =>
          setPreferences({
            watched: starred ? watched.filter((other) => other !== name) : [...watched, name],
          })
        }
      >
        {starred ? <IconStarFilled size={14} /> : <IconStar size={14} />}
      </button>
      <Link to={workflowAddress(row.project, row.name)} tabIndex={-1}>
        <CutName name={name} />
      </Link>
    </span>
  );
}

function Schedules({ row: { schedules = [] } }: { row: Row }) {
  const { text, units } = useLanguage();
  const tell = useMemo(
    () =>
      ({ cron, every, timezone, state }: NonNullable<Row['schedules']>[number]) => {
        const when =
          cron === undefined
            ? text('workflows.every', { time: interval(every ?? 0, units) })
            : `${cron} ${timezone}`;
        return state === 'paused' ? text('workflows.paused', { when }) : when;
      },
    [text, units],
  );
  if (schedules.length === 0) return <span className="dim">–</span>;
  const [first, ...others] = schedules;
  return (
    <>
      <span
        data-hint={schedules.map(tell).join('\n')}
        style={{ overflow: 'hidden', textOverflow: 'ellipsis' }}
      >
        {tell(first)}
      </span>
      {others.length > 0 && <span className="dim">&nbsp;+{others.length}</span>}
    </>
  );
}

function LastRun({ row: { strip } }: { row: Row }) {
  const word = useStateWord();
  const last = strip?.runs.at(-1);
  if (!last) return <span className="dim">–</span>;
  return (
    <Link to={runAddress(last.id)} tabIndex={-1} className={styles.last}>
      <StateIcon state={last.state} />
      <span className="visually-hidden">{word(last.state)}</span>
      {last.startedAt === null ? word(last.state) : <Time at={last.startedAt} />}
    </Link>
  );
}

interface MoreMenuProps {
  readonly row: Row;
  readonly tabStop: boolean;
  readonly actions: WorkflowActions;
  onRun(): void;
  onMove(): void;
}

function MoreMenu({ row, tabStop, actions, onRun, onMove }: MoreMenuProps) {
  const { text } = useLanguage();
  const refused = (name: string) => row.actions.find((action) => action.name === name)?.reason;
  const item = (name: string, label: string, run: () => void) => (
    <Menu.Item disabled={refused(name) !== undefined} data-hint={refused(name)} onClick={run}>
      {label}
    </Menu.Item>
  );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          size={24}
          tabIndex={tabStop ? 0 : -1}
          aria-label={text('workflows.actions', { name: nameOf(row) })}
        >
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {item('run', text('workflows.run'), onRun)}
        {item('edit', text('workflows.edit'), () => actions.go(editorAddress(row.project, row.name)))}
        {item('pause-schedules', text('workflows.pause'), () => void actions.setPaused([row], true))}
        {item('resume-schedules', text('workflows.resume'), () => void actions.setPaused([row], false))}
        {item('move', text('workflows.moveTo'), onMove)}
        {item('export', text('workflows.export'), () => void actions.exportFiles([row]))}
      </Menu.Dropdown>
    </Menu>
  );
}
