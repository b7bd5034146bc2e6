/** The columns of the list of runs. Parameters and outputs can be columns too, by their names. */
import { useMemo } from 'react';
import { firstErrorAddress, runAddress, workflowAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import type { AnswerOf } from '../../data/client.ts';
import { useNow, useNowInSteps } from '../../data/clock.ts';
import { keep } from '../../data/kept.ts';
import { usePreferences } from '../../data/preferences.ts';
import { useShared } from '../../data/shared.ts';
import type { Key } from '../../i18n/en.ts';
import { type Text, useLanguage, useText } from '../../i18n/text.tsx';
import { isByDuration, type RunsOrder } from '../../model/runs.ts';
import { hasEnded, lookOf } from '../../model/state.ts';
import { absoluteTime, timeParts, zoneOf } from '../../model/time.ts';
import { BusinessTime } from '../../parts/business-time.tsx';
import { CutName } from '../../parts/cut-name.tsx';
import type { Column, Sort } from '../../parts/list/virtual-list.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Duration, Time } from '../../parts/time.tsx';
import { versionText } from '../../parts/version-text.ts';
import style from './runs.module.css';

/** A run of the list. */
export type RunRow = AnswerOf<'listRuns'>['runs'][number];

/** Columns that can be left out, with their words. */
export const optionalColumns = {
  trigger: 'runs.column.trigger',
  business: 'runs.column.business',
  params: 'runs.column.params',
  started: 'runs.column.started',
  time: 'runs.column.time',
  attempts: 'runs.column.attempts',
  tasks: 'runs.column.tasks',
  owner: 'runs.column.owner',
  tags: 'runs.column.tags',
  why: 'runs.column.why',
} as const satisfies Record<string, Key>;

/** How often the bars of runs that go on get another scale. */
const STEP = 10_000;

const usual = ['trigger', 'business', 'params', 'time', 'why'];

const shown = keep<readonly string[]>('orrery.runs.columns', (stored) =>
  Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : usual,
);

/** The columns that are shown, and a switch for each. Those of the address, as a saved view has them, go before one's own. */
export function useShownColumns(
  given: readonly string[] | undefined,
  onGiven: (names: readonly string[]) => void,
): [readonly string[], (name: string) => void] {
  const kept = useShared(shown);
  const names = given ?? kept;
  return [
    names,
    (name) => {
      const next = names.includes(name) ? names.filter((other) => other !== name) : [...names, name];
      shown.set(next);
      if (given) onGiven(next);
    },
  ];
}

/** Columns that filter instead of sort: no index holds all runs in their order. */
const narrowed = {
  state: 'runs.field.state',
  workflow: 'runs.field.workflow',
  trigger: 'runs.field.trigger',
  params: 'runs.field.param',
  owner: 'runs.field.owner',
  tags: 'runs.field.tag',
  why: 'runs.field.error',
} as const satisfies Record<string, Key>;

/**
 * How the list can be sorted: by when runs were created, and by how long they took where they are few enough; for the
 * other columns, the filter to use instead.
 */
export function useSorts(
  order: RunsOrder,
  few: boolean,
  onOrder: (order: RunsOrder) => void,
): Readonly<Record<string, Sort>> {
  const text = useText();
  const sort = (next: RunsOrder, as: 'ascending' | 'descending' | 'none'): Sort => ({
    order: as,
    hint: text(orderWords[next ?? 'newest']),
    onSort: () => onOrder(next),
  });
  return {
    ...Object.fromEntries(
      Object.entries(narrowed).map(([id, field]) => [
        id,
        { refused: text('runs.sort.refused', { filter: text(field) }) },
      ]),
    ),
    created: isByDuration(order)
      ? sort(undefined, 'none')
      : order === 'oldest'
        ? sort(undefined, 'ascending')
        : sort('oldest', 'descending'),
    time:
      order === 'longest'
        ? sort('shortest', 'descending')
        : order === 'shortest'
          ? sort('longest', 'ascending')
          : few
            ? sort('longest', 'none')
            : {
                refused: text('runs.sort.tooMany', {
                  from: text('runs.field.from'),
                  workflow: text('runs.field.workflow'),
                  state: text('runs.field.state'),
                }),
              },
  };
}

/** Which runs come first, in words. */
const orderWords = {
  newest: 'runs.sort.newest',
  oldest: 'runs.sort.oldest',
  longest: 'runs.sort.longest',
  shortest: 'runs.sort.shortest',
} as const satisfies Record<string, Key>;

/** The columns for these rows: bars of one list share their scale. */
export function useColumns(rows: readonly RunRow[], names: readonly string[]): readonly Column<RunRow>[] {
  const { text } = useLanguage();
  // In steps, so that the bars of runs that go on do not draw every row again each second.
  const now = useNowInSteps(STEP);
  const longest = useMemo(
    () => rows.reduce((most, row) => Math.max(most, endOf(row, now) - Date.parse(row.createdAt)), 1),
    [rows, now],
  );
  return useMemo(() => columnsOf(names, longest, text), [names, longest, text]);
}

function columnsOf(names: readonly string[], longest: number, text: Text): readonly Column<RunRow>[] {
  const all: readonly Column<RunRow>[] = [
    {
      id: 'state',
      label: text('runs.column.state'),
      width: '108px',
      cuts: true,
      cell: ({ state }) => <StateBadge state={state} />,
    },
    {
      id: 'run',
      label: text('runs.column.run'),
      width: '72px',
      cell: ({ id }) => (
        <Link to={runAddress(id)} tabIndex={-1} className="mono">
          {id}
        </Link>
      ),
    },
    {
      id: 'workflow',
      label: text('runs.column.workflow'),
      width: 'minmax(160px, 2fr)',
      cuts: true,
      cell: ({ project, name, version }) => (
        <>
          <Link to={workflowAddress(project, name)} tabIndex={-1} style={{ minWidth: 0 }}>
            <CutName name={`${project}/${name}`} />
          </Link>
          <span className="dim">&nbsp;{versionText(text, version)}</span>
        </>
      ),
    },
    {
      id: 'trigger',
      label: text('runs.column.trigger'),
      width: '88px',
      cuts: true,
      cell: (row) => <Trigger row={row} />,
    },
    {
      id: 'business',
      label: text('runs.column.business'),
      width: '132px',
      cuts: true,
      cell: (row) => row.kind !== 'backfill' && <BusinessTime at={row.businessTime} />,
    },
    {
      id: 'params',
      label: text('runs.column.params'),
      width: 'minmax(72px, 1fr)',
      cuts: true,
      cell: ({ params }) => (
        <span className={`dim mono ${style.cut}`}>
          {Object.entries(params)
            .map(([name, value]) => `${name}=${value}`)
            .join(' ')}
        </span>
      ),
    },
    {
      id: 'created',
      label: text('runs.column.created'),
      width: '96px',
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      id: 'started',
      label: text('runs.column.started'),
      width: '96px',
      cell: ({ startedAt }) => startedAt !== null && <Time at={startedAt} />,
    },
    {
      id: 'time',
      label: text('runs.column.time'),
      width: 'minmax(136px, 1.2fr)',
      cuts: true,
      cell: (row) =>
        row.endedAt === null ? (
          <OpenTimeBar row={row} longest={longest} />
        ) : (
          <TimeBar row={row} longest={longest} now={0} />
        ),
    },
    {
      id: 'attempts',
      label: text('runs.column.attempts'),
      width: '72px',
      end: true,
      cell: ({ attempts }) => attempts || '',
    },
    {
      id: 'tasks',
      label: text('runs.column.tasks'),
      width: '72px',
      end: true,
      cell: (row) => progressOf(row),
    },
    {
      id: 'owner',
      label: text('runs.column.owner'),
      width: '88px',
      cuts: true,
      cell: ({ owner }) => owner && <CutName name={owner} />,
    },
    {
      id: 'tags',
      label: text('runs.column.tags'),
      width: 'minmax(80px, 1fr)',
      cuts: true,
      cell: ({ tags }) => <span className={style.cut}>{tags.join(', ')}</span>,
    },
    {
      id: 'why',
      label: text('runs.column.why'),
      width: 'minmax(140px, 3fr)',
      cuts: true,
      cell: ({ failed, reason }) =>
        failed ? (
          <Link
            to={firstErrorAddress(failed.taskRun)}
            tabIndex={-1}
            className={`${style.cut} ${style.error}`}
            data-hint={failed.error ?? undefined}
          >
            {failed.task}
            {failed.error !== null && `: ${failed.error}`}
          </Link>
        ) : (
          <span className={`dim ${style.cut}`} data-hint={reason ?? undefined}>
            {reason}
          </span>
        ),
    },
  ];
  const values = names.filter((name) => isValueColumn(name));
  return [
    ...all.filter(({ id }) => !(id in optionalColumns) || names.includes(id)),
    ...values.map((name): Column<RunRow> => {
      const value = name.slice(name.indexOf(':') + 1);
      const isOutput = name.startsWith('output:');
      return {
        id: name,
        label: value,
        width: 'minmax(80px, 1fr)',
        cell: ({ params, outputs }) => (
          <span className={`mono ${style.cut}`}>{(isOutput ? outputs : params)[value] ?? ''}</span>
        ),
      };
    }),
  ];
}

/** What started it; of a tick, the business time it is for. */
function Trigger({ row: { trigger, businessTime } }: { row: RunRow }) {
  const text = useText();
  const zone = zoneOf(usePreferences().zone);
  if (trigger !== 'tick') return <span className={style.cut}>{trigger}</span>;
  const at = Date.parse(businessTime);
  return (
    <span className={style.cut} data-hint={absoluteTime(at, zone)}>
      {text('runs.trigger.tick', { time: timeParts(at, zone).time.slice(0, 5) })}
    </span>
  );
}

/** Whether a column has a parameter (`param:day`) or an output (`output:rows`). */
function isValueColumn(name: string): boolean {
  return name.startsWith('param:') || name.startsWith('output:');
}

function OpenTimeBar({ row, longest }: { row: RunRow; longest: number }) {
  return <TimeBar row={row} longest={longest} now={useNow()} />;
}

function TimeBar({ row, longest, now }: { row: RunRow; longest: number; now: number }) {
  const created = Date.parse(row.createdAt);
  const started = row.startedAt === null ? null : Date.parse(row.startedAt);
  const end = endOf(row, now);
  const share = (ms: number) => `${Math.max(0, Math.min(100, (ms / longest) * 100))}%`;
  return (
    <span className={style.time}>
      <span className={style.bar}>
        <span className={style.queue} style={{ left: 0, width: share((started ?? end) - created) }} />
        {started !== null && (
          <span
            className={style.run}
            data-family={lookOf(row.state).family}
            style={{ left: share(started - created), width: share(end - started - row.idle) }}
          />
        )}
      </span>
      {started === null ? (
        <Duration from={row.createdAt} to={row.endedAt} />
      ) : (
        <Duration from={row.startedAt ?? ''} to={row.endedAt} idle={row.idle} />
      )}
    </span>
  );
}

function endOf({ endedAt }: RunRow, now: number): number {
  return endedAt === null ? now : Date.parse(endedAt);
}

function progressOf({ counts }: RunRow): string {
  if (!counts) return '';
  let [ended, total] = [0, 0];
  for (const [state, number] of Object.entries(counts)) {
    total += number;
    if (hasEnded(state)) ended += number;
  }
  return total === 0 ? '' : `${ended}/${total}`;
}
