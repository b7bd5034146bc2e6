/** The ticks of a month by day, and those of one day as a list. Days on which clocks change are marked. */
import { ActionIcon, Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useApi } from '../../data/api.ts';
import { useNow } from '../../data/clock.ts';
import { usePreferences } from '../../data/preferences.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { byDay, dayAfter, monthBeside, startOfDay, weeksOf } from '../../model/calendar-month.ts';
import { exact } from '../../model/number.ts';
import { timeParts, zoneOf } from '../../model/time.ts';
import { zoneChanges } from '../../model/zone-change.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import { StateIcon } from '../../parts/state-badge.tsx';
import style from './schedules.module.css';
import { useSchedulesSearch } from './search.ts';
import { TickTable } from './tick-table.tsx';

/** Zones differ from UTC by quarters of an hour at the least. */
const QUARTER = 15 * 60_000;

const words = { fired: 'schedules.fired', skipped: 'schedules.skipped', due: 'schedules.due' } as const;

const marks = { fired: 'success', skipped: 'skipped', due: 'queued' } as const;

export function Calendar() {
  const { text, locale } = useLanguage();
  const [search, setSearch] = useSchedulesSearch();
  const zone = zoneOf(usePreferences().zone);
  const today = timeParts(useNow(), zone).date;
  const month =
    search.month && /^\d{4}-(0[1-9]|1[0-2])$/.test(search.month) ? search.month : today.slice(0, 7);
  const weeks = useMemo(() => weeksOf(month), [month]);
  const [first, last] = [weeks[0][0].date, weeks.at(-1)?.at(-1)?.date ?? weeks[0][6].date];
  const [from, to] = [startOfDay(first, zone), startOfDay(dayAfter(last), zone)];
  const { project, workflow } = search;
  const { data, error, refetch } = useApi(
    'countTicks',
    { from: iso(from), to: iso(to), step: QUARTER, project, workflow },
    { keep: true, every: 60_000 },
  );
  const days = useMemo(() => data && byDay(data.steps, zone), [data, zone]);
  const changes = useMemo(
    () => new Map(zoneChanges(zone, from, 43).map(({ at, by }) => [timeParts(at, zone).date, by])),
    [zone, from],
  );
  const turn = (by: number) => setSearch({ month: monthBeside(month, by), day: undefined });
  useKeys([
    { keys: '[', label: text('schedules.monthBefore'), run: () => turn(-1) },
    { keys: ']', label: text('schedules.monthAfter'), run: () => turn(1) },
  ]);
  const monthName = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' });
  return (
    <div className={style.body}>
      <div className={style.monthHead}>
        <ActionIcon
          variant="default"
          aria-label={text('schedules.monthBefore')}
          data-hint="["
          onClick={() => turn(-1)}
        >
          <IconChevronLeft size={16} />
        </ActionIcon>
        <h2>{monthName.format(Date.parse(`${month}-01`))}</h2>
        <ActionIcon
          variant="default"
          aria-label={text('schedules.monthAfter')}
          data-hint="]"
          onClick={() => turn(1)}
        >
          <IconChevronRight size={16} />
        </ActionIcon>
        <Button onClick={() => setSearch({ month: undefined, day: today })}>{text('schedules.today')}</Button>
        <span className="dim">{zone}</span>
        {data?.partial && <span role="note">{text('schedules.partial')}</span>}
      </div>
      {error && !data && <ErrorPanel error={error} retry={() => void refetch()} />}
      {!data && !error && <SkeletonBlock height={480} />}
      {days && (
        <table className={style.month} aria-label={text('schedules.calendar')}>
          <thead>
            <tr>
              {weeks[0].map(({ date }) => (
                <th key={date} scope="col">
                  {weekday.format(Date.parse(date))}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weeks.map((week) => (
              <tr key={week[0].date}>
                {week.map(({ date, inMonth }) => {
                  const counts = days.get(date) ?? { fired: 0, skipped: 0, due: 0 };
                  const by = changes.get(date);
                  return (
                    <td
                      key={date}
                      data-out={!inMonth || undefined}
                      className={date === today ? style.today : ''}
                    >
                      <button
                        type="button"
                        className={style.day}
                        aria-pressed={search.day === date}
                        onClick={() => setSearch({ day: search.day === date ? undefined : date })}
                      >
                        <span className={style.number}>
                          <span className="visually-hidden">{date.slice(0, 8)}</span>
                          {Number(date.slice(8))}
                          {by !== undefined && (
                            <span
                              className={style.clock}
                              data-hint={text('schedules.clock', {
                                minutes: Math.abs(by),
                                way: by > 0 ? 'forward' : 'back',
                              })}
                            >
                              {by > 0 ? '+' : '−'}
                              {Math.abs(by)}′
                            </span>
                          )}
                        </span>
                        {(['fired', 'skipped', 'due'] as const).map(
                          (kind) =>
                            counts[kind] > 0 && (
                              <span key={kind} className={style.count}>
                                <StateIcon state={marks[kind]} size={12} />
                                {exact(counts[kind], locale)} <span>{text(words[kind])}</span>
                              </span>
                            ),
                        )}
                      </button>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {search.day && /^\d{4}-\d\d-\d\d$/.test(search.day) && (
        <TickTable
          title={text('schedules.dayTitle', { date: search.day })}
          from={startOfDay(search.day, zone)}
          to={startOfDay(dayAfter(search.day), zone)}
        />
      )}
    </div>
  );
}

const iso = (at: number) => new Date(at).toISOString();
