/** A schedule: every due time as a run, or inside a skip with its reason. */
import { Button } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { backfillAddress, runAddress, workflowAddress } from '../../app/addresses.ts';
import { Link, useGo } from '../../app/link.tsx';
import { useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useTellSame } from '../../data/same-as.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { duration } from '../../model/time.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { ListBody } from '../../parts/list/list-body.tsx';
import { useList, usePagedRows } from '../../parts/list/use-list.ts';
import type { Column } from '../../parts/list/virtual-list.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import { useScheduleWords } from '../../parts/schedule-when.ts';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import style from './schedule.module.css';
import { type Schedule, useScheduleActions } from './use-schedule-actions.tsx';

type Tick = AnswerOf<'listScheduleTicks'>['ticks'][number];

export function Page() {
  const { id: given } = useParams({ strict: false }) as { id: string };
  const { text } = useLanguage();
  const id = /^[1-9]\d{0,14}$/.test(given) ? Number(given) : null;
  const { data, error, refetch } = useApi('showSchedule', id === null ? null : { id });
  const words = useScheduleWords();
  const actions = useScheduleActions(data);
  useKeys(actions.keys);
  useTellSame({ request: `/schedules/${given}`, command: `orrery schedules ticks ${given}` });
  const title = data
    ? `${data.project}/${data.workflow} ${data.name}`
    : text('schedule.title', { id: given });
  return (
    <Frame
      fixed
      title={title}
      heading={
        data && (
          <>
            <Link
              to={workflowAddress(data.project, data.workflow)}
            >{`${data.project}/${data.workflow}`}</Link>{' '}
            {data.name}
          </>
        )
      }
      crumbs={[{ label: text('nav.schedules'), to: '/schedules' }, { label: title }]}
      actions={actions.buttons}
      lines={
        data && (
          <div className={style.lines}>
            <p className={style.line}>
              <StateBadge state={data.late ? 'late' : data.state} /> <strong>{words(data, true)}</strong>
              {data.from && (
                <span>
                  {text('schedule.from')} <Time at={data.from} zone={data.timezone} form="absolute" />
                </span>
              )}
              {data.until && (
                <span>
                  {text('schedule.until')} <Time at={data.until} zone={data.timezone} form="absolute" />
                </span>
              )}
              <span className="dim">{text('schedule.misfireIs', { policy: data.misfire.policy })}</span>
              {data.calendar && (
                <Link to="/schedules/calendars">{text('schedule.calendarIs', { name: data.calendar })}</Link>
              )}
            </p>
            {data.late && (
              <p role="alert">
                {text('schedule.late')} <Time at={data.late} zone={data.timezone} form="absolute" />
              </p>
            )}
            <p className={style.line}>
              <span className="dim">{text('cron.next')}</span>
              {data.nextTicks.length === 0 && (
                <span>{text(data.state === 'paused' ? 'schedule.noneWhilePaused' : 'cron.never')}</span>
              )}
              {data.nextTicks.map((at) => (
                <Time key={at} at={at} zone={data.timezone} focusable />
              ))}
            </p>
            {data.leftOut.length > 0 && (
              <p className={style.line}>
                <span className="dim">{text('schedule.leftOut')}</span>
                {data.leftOut.map((at) => (
                  <Time key={at} at={at} zone={data.timezone} focusable />
                ))}
              </p>
            )}
          </div>
        )
      }
    >
      {id === null && <EmptyState title={text('schedule.noSuch', { id: given })} />}
      {error && !data && <ErrorPanel error={error} retry={() => void refetch()} />}
      {!data && !error && id !== null && <SkeletonBlock height={240} />}
      {data && <Ticks schedule={data} />}
      {actions.question}
    </Frame>
  );
}

const idOf = ({ due }: Tick) => due;
const dayOf = (at: string) => at.slice(0, 10);

function Ticks({ schedule }: { schedule: Schedule }) {
  const { text, units, sentence } = useLanguage();
  const go = useGo();
  const { id, timezone, project, workflow, name } = schedule;
  const source = usePagedRows('listScheduleTicks', { id }, ({ ticks }) => ticks);
  const list = useList(source, {
    idOf,
    onOpen: (tick) => (tick && 'run' in tick ? go(runAddress(tick.run)) : undefined),
  });
  const fill = (tick: Tick) =>
    'skipped' in tick &&
    go(
      backfillAddress({ workflow: `${project}/${workflow}`, schedule: name, from: tick.due, to: tick.until }),
    );
  const { current } = list;
  useKeys([
    {
      keys: 'b',
      label: text('schedule.fillGap'),
      refused: current && 'skipped' in current ? undefined : text('schedule.noGap'),
      run: () => current && fill(current),
    },
  ]);
  const columns: readonly Column<Tick>[] = [
    {
      id: 'due',
      label: text('schedule.due'),
      width: 'minmax(200px, 1.4fr)',
      cell: (tick) => (
        <span>
          <Time at={tick.due} zone={timezone} form="absolute" />
          {'skipped' in tick && tick.count > 1 && (
            <>
              {' – '}
              {dayOf(tick.until) === dayOf(tick.due) ? tick.until.slice(11, 19) : tick.until.slice(0, 19)}
            </>
          )}
        </span>
      ),
    },
    {
      id: 'drift',
      label: text('schedule.drift'),
      width: '96px',
      end: true,
      cell: (tick) =>
        'run' in tick ? duration(Date.parse(tick.firedAt) - Date.parse(tick.due), units) : '–',
    },
    {
      id: 'outcome',
      label: text('schedule.outcome'),
      width: 'minmax(180px, 3fr)',
      cell: (tick) =>
        'run' in tick ? (
          <Link to={runAddress(tick.run)} tabIndex={-1}>
            {text('schedule.run', { id: tick.run })}
          </Link>
        ) : (
          <span className={style.skip} data-hint={sentence(tick.skipped, tick)}>
            {text('schedule.skipped', { count: tick.count, why: sentence(tick.skipped, tick) })}
          </span>
        ),
    },
    {
      id: 'do',
      label: '',
      width: '112px',
      cell: (tick) =>
        'skipped' in tick && (
          <Button size="compact-xs" tabIndex={-1} onClick={() => fill(tick)}>
            {text('schedule.fillGap')}
          </Button>
        ),
    },
  ];
  return (
    <ListBody
      list={list}
      label={text('schedule.ticks')}
      columns={columns}
      nameOf={({ due }) => due}
      empty={<EmptyState title={text('schedule.noTicks')} />}
    />
  );
}
