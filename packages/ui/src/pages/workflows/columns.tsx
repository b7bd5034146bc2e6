/** The columns of the list of workflows. */
import { useMediaQuery } from '@mantine/hooks';
import { IconStar, IconStarFilled } from '@tabler/icons-react';
import { runAddress, workflowAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { useLanguage } from '../../i18n/text.tsx';
import { percent } from '../../model/number.ts';
import { duration } from '../../model/time.ts';
import { CutName } from '../../parts/cut-name.tsx';
import type { Column } from '../../parts/list/virtual-list.tsx';
import { useScheduleWords } from '../../parts/schedule-when.ts';
import { StateIcon, useStateWord } from '../../parts/state-badge.tsx';
import { Strip } from '../../parts/strip.tsx';
import { Time } from '../../parts/time.tsx';
import { MoreMenu } from './more-menu.tsx';
import { isPaused, nameOf, type Row } from './row.ts';
import { optionalColumns } from './shown-columns.ts';
import type { WorkflowActions } from './use-workflow-actions.ts';
import { useWatch } from './watch.ts';
import styles from './workflows.module.css';

interface ColumnsInput {
  readonly current: string | null;
  /** The optional columns that are wanted. */
  readonly shown: readonly string[];
  readonly actions: WorkflowActions;
  onRun(row: Row): void;
  onMove(row: Row): void;
  onOpenRun(id: number): void;
}

/** Hidden in narrow views; the page of a workflow shows the same. */
const leftOut: ReadonlySet<string> = new Set(['live', 'draft', 'owner', 'tags', 'schedule', 'ok', 'time']);

export function useColumns({
  current,
  shown,
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
      width: '52px',
      cell: ({ draft }) => draft && <Draft draft={draft} />,
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
      cell: ({ nextDue, schedules, offlineSince }) =>
        offlineSince !== null ? (
          <span data-hint={text('workflows.offlineHint')}>{text('workflows.offline')}</span>
        ) : nextDue ? (
          <Time at={nextDue} zone={schedules?.find((each) => each.nextDue === nextDue)?.timezone} />
        ) : (
          <span className="dim">{isPaused(schedules) ? text('state.paused') : '–'}</span>
        ),
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
      label: text('workflows.time'),
      width: '196px',
      end: true,
      cell: ({ strip }) =>
        strip?.p50 == null
          ? '–'
          : `${duration(strip.p50, units)} / ${duration(strip.p95 ?? strip.p50, units)}`,
    },
    { id: 'owner', label: text('workflows.owner'), width: 'minmax(80px, 1fr)', cell: ({ owner }) => owner },
    {
      id: 'tags',
      label: text('workflows.tags'),
      width: 'minmax(80px, 1fr)',
      cell: ({ tags }) => <span className={styles.cut}>{tags.join(', ')}</span>,
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
  const isShown = ({ id }: Column<Row>) => !(id in optionalColumns) || shown.includes(id);
  return columns.filter((column) => isShown(column) && !(narrow && leftOut.has(column.id)));
}

function Name({ row }: { row: Row }) {
  const { text } = useLanguage();
  const watch = useWatch();
  const name = nameOf(row);
  const starred = watch.isWatched(name);
  return (
    <span className={styles.name}>
      <button
        type="button"
        tabIndex={-1}
        className={styles.star}
        aria-pressed={starred}
        aria-label={text('workflows.star', { name })}
        data-hint="*"
        onClick={() => watch.toggle(name)}
      >
        {starred ? <IconStarFilled size={14} /> : <IconStar size={14} />}
      </button>
      <Link to={workflowAddress(row.project, row.name)} tabIndex={-1}>
        <CutName name={name} />
      </Link>
    </span>
  );
}

/** The author of the draft, and its number of changed tasks if known. */
function Draft({ draft: { author, ahead } }: { draft: NonNullable<Row['draft']> }) {
  const { text } = useLanguage();
  const words = ahead
    ? text('workflows.draftAhead', { author, count: ahead })
    : text('workflows.draftBy', { author });
  return (
    <span data-hint={words} aria-label={words} role="img">
      ●{ahead ? `+${ahead}` : ''}
    </span>
  );
}

function Schedules({ row: { schedules = [] } }: { row: Row }) {
  const { text } = useLanguage();
  const words = useScheduleWords();
  const tell = (schedule: Schedule, whole = false) => {
    const when = words(schedule, whole);
    return schedule.state === 'paused' ? text('workflows.paused', { when }) : when;
  };
  if (schedules.length === 0) return <span className="dim">–</span>;
  const [first, ...others] = schedules;
  return (
    <>
      <span data-hint={schedules.map((each) => tell(each, true)).join('\n')} className={styles.cut}>
        {tell(first)}
      </span>
      {others.length > 0 && <span className="dim">&nbsp;+{others.length}</span>}
    </>
  );
}

type Schedule = NonNullable<Row['schedules']>[number];

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
