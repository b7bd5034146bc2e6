/** The ticks of all schedules in a range of time. */
import { runAddress, scheduleAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { useApi } from '../../data/api.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { duration } from '../../model/time.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import { StateIcon } from '../../parts/state-badge.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useSchedulesSearch } from './search.ts';

/** Ticks that are listed at most. */
const MOST = 200;

const marks = { fired: 'success', skipped: 'skipped', due: 'queued' } as const;

export function TickTable({ title, from, to }: { title: string; from: number; to: number }) {
  const { text, units, sentence } = useLanguage();
  const [{ project, workflow }] = useSchedulesSearch();
  const { data, error, refetch } = useApi('listTicks', {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    project,
    workflow,
    limit: MOST,
  });
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {error && !data && <ErrorPanel error={error} retry={() => void refetch()} />}
      {!data && !error && <SkeletonBlock height={120} />}
      {data?.ticks.length === 0 && <p className="dim">{text('schedules.noTicks')}</p>}
      {data && data.ticks.length > 0 && (
        <Table
          label={title}
          rows={data.ticks}
          keyOf={({ schedule, due }) => `${schedule} ${due}`}
          columns={[
            {
              label: text('schedule.due'),
              tight: true,
              cell: ({ due, state }) => (
                <>
                  <StateIcon state={marks[state]} /> <Time at={due} form="absolute" />
                </>
              ),
            },
            {
              label: text('schedules.schedule'),
              head: true,
              cell: (tick) => (
                <Link to={scheduleAddress(tick.schedule)}>
                  {tick.project}/{tick.workflow} {tick.name}
                </Link>
              ),
            },
            {
              label: text('schedule.outcome'),
              cell: ({ state, run, firedAt, due, count, reason, code, fields }) =>
                state === 'due' ? (
                  text('schedules.due')
                ) : state === 'skipped' ? (
                  text('schedule.skipped', {
                    count: count ?? 1,
                    why: sentence(reason ?? '', { code, fields }),
                  })
                ) : (
                  <>
                    <Link to={runAddress(run ?? 0)}>{text('schedule.run', { id: run ?? 0 })}</Link>{' '}
                    <span className="dim">
                      {text('schedules.after', {
                        time: duration(Date.parse(firedAt ?? due) - Date.parse(due), units),
                      })}
                    </span>
                  </>
                ),
            },
          ]}
        />
      )}
      {data?.next && <p className="dim">{text('schedules.firstOf', { count: MOST })}</p>}
    </section>
  );
}
