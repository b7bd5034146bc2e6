/** How many ticks the next 24 hours have, minute by minute: where too many schedules fire at once. */
import { Button } from '@mantine/core';
import { useMemo } from 'react';
import { useApi } from '../../data/api.ts';
import { useNow } from '../../data/clock.ts';
import { usePreferences } from '../../data/preferences.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { exact } from '../../model/number.ts';
import { timeParts, zoneOf } from '../../model/time.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import { Table } from '../../parts/table.tsx';
import style from './schedules.module.css';
import { useSchedulesSearch } from './search.ts';
import { TickTable } from './tick-table.tsx';

const MINUTE = 60_000;
const MINUTES = 1_440;
const WIDTH = 5;
const HEIGHT = 160;
/** Minutes that are named. */
const BUSIEST = 10;

export function Load() {
  const { text, locale } = useLanguage();
  const [search, setSearch] = useSchedulesSearch();
  const { project, workflow } = search;
  const zone = zoneOf(usePreferences().zone);
  // The hour that has begun: asked again when the next one begins.
  const from = Math.floor(useNow() / (60 * MINUTE)) * 60 * MINUTE;
  const { data, error, refetch } = useApi(
    'countTicks',
    {
      from: new Date(from).toISOString(),
      to: new Date(from + MINUTES * MINUTE).toISOString(),
      step: MINUTE,
      project,
      workflow,
    },
    { keep: true, every: 60_000 },
  );
  const minutes = useMemo(() => {
    const counts = new Int32Array(MINUTES);
    data?.steps.at.forEach((at, k) => {
      const minute = Math.round((Date.parse(at) - from) / MINUTE);
      if (minute >= 0 && minute < MINUTES) counts[minute] = data.steps.due[k] + data.steps.fired[k];
    });
    return counts;
  }, [data, from]);
  const most = minutes.reduce((highest, count) => Math.max(highest, count), 1);
  const path = useMemo(() => {
    let drawn = '';
    for (let at = 0; at < MINUTES; at += WIDTH) {
      const count = Math.max(...minutes.slice(at, at + WIDTH));
      if (count > 0) drawn += `M${at} ${HEIGHT}v${-Math.max(2, (count / most) * (HEIGHT - 4))}`;
    }
    return drawn;
  }, [minutes, most]);
  const clock = (minute: number) => timeParts(from + minute * MINUTE, zone).time.slice(0, 5);
  const busiest = [...minutes.keys()]
    .filter((minute) => minutes[minute] > 0)
    .sort((one, other) => minutes[other] - minutes[one] || one - other)
    .slice(0, BUSIEST);
  const total = minutes.reduce((sum, count) => sum + count, 0);
  if (error && !data) return <ErrorPanel error={error} retry={() => void refetch()} />;
  if (!data) return <SkeletonBlock height={240} />;
  if (total === 0) return <EmptyState title={text('schedules.noLoad')} />;
  return (
    <div className={style.body}>
      <h2>{text('schedules.loadTitle', { count: exact(total, locale) })}</h2>
      {data.partial && <p role="note">{text('schedules.partial')}</p>}
      <svg
        className={style.bars}
        viewBox={`0 0 ${MINUTES} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={text('schedules.loadTitle', { count: exact(total, locale) })}
      >
        <path d={path} stroke="currentColor" strokeWidth={WIDTH - 1} fill="none" />
      </svg>
      <div className={style.axis}>
        {[0, 6, 12, 18].map((hour) => (
          <span key={hour}>{clock(hour * 60)}</span>
        ))}
        <span>
          {clock(MINUTES)} {zone}
        </span>
      </div>
      <h2>{text('schedules.busiest')}</h2>
      <Table
        label={text('schedules.busiest')}
        rows={busiest}
        keyOf={(minute) => minute}
        isCurrent={(minute) => minute === search.minute}
        columns={[
          { label: text('schedules.minute'), head: true, tight: true, cell: clock },
          {
            label: text('schedules.ticks'),
            cell: (minute) => text('schedules.ticksAt', { count: minutes[minute] }),
          },
          {
            label: '',
            tight: true,
            cell: (minute) => (
              <Button
                size="compact-xs"
                aria-label={text('schedules.showMinute', { time: clock(minute) })}
                onClick={() => setSearch({ minute: search.minute === minute ? undefined : minute })}
              >
                {text('schedules.show')}
              </Button>
            ),
          },
        ]}
      />
      {search.minute !== undefined && (
        <TickTable
          title={text('schedules.minuteTitle', { time: clock(search.minute) })}
          from={from + search.minute * MINUTE}
          to={from + (search.minute + 1) * MINUTE}
        />
      )}
    </div>
  );
}
