/** Calendars: named days on which the schedules that refer to them do not fire. */
import { useState } from 'react';
import { scheduleAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { useAction, useApi, useRight } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useTellSame } from '../../data/same-as.ts';
import { useText } from '../../i18n/text.tsx';
import { quoted } from '../../model/again.ts';
import { daysText, readDays } from '../../model/calendar-days.ts';
import { commandLine } from '../../model/command-line.ts';
import { FormDialog, type FormValues } from '../../parts/form.tsx';
import { ManagedTable } from '../../parts/managed-table.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import style from './schedules.module.css';
import { useSchedulesSearch } from './search.ts';

type CalendarRow = AnswerOf<'listCalendars'>['calendars'][number];

export function Calendars() {
  const text = useText();
  const [{ project }] = useSchedulesSearch();
  const query = useApi('listCalendars', { project });
  const remove = useAction('deleteCalendar', ['listCalendars']);
  useTellSame({ request: '/calendars', command: commandLine('orrery calendars list', { project }) });
  return (
    <div className={style.body}>
      <ManagedTable
        title={text('schedules.calendars')}
        query={query}
        rows={query.data?.calendars}
        nameOf={({ project, name }) => `${project}/${name}`}
        none={text('calendars.none')}
        command="orrery calendars set holidays --add 2027-01-01 12-25 sunday"
        create={text('calendars.new')}
        may={useRight('setCalendar')}
        columns={[
          { label: text('settings.name'), head: true, cell: ({ project, name }) => `${project}/${name}` },
          { label: text('settings.description'), cell: ({ description }) => description },
          {
            label: text('calendars.days'),
            cell: (one) => (
              <span className={style.cut} data-hint={daysText(one)}>
                {daysText(one)}
              </span>
            ),
          },
          { label: text('nav.schedules'), end: true, tight: true, cell: ({ schedules }) => schedules },
          { label: text('settings.changed'), tight: true, cell: ({ changedAt }) => <Time at={changedAt} /> },
        ]}
        form={(calendar, onClose) => <EditCalendar calendar={calendar} onClose={onClose} />}
        remove={{
          note: text('calendars.deleteNote'),
          action: remove,
          run: ({ project, name }, after) => remove.mutate({ project, name }, after),
        }}
      />
    </div>
  );
}

function EditCalendar({ calendar, onClose }: { calendar: CalendarRow | null; onClose(): void }) {
  const text = useText();
  const { data: me } = useApi('showMe', {});
  const set = useAction('setCalendar', ['listCalendars', 'listSchedules', 'showSchedule', 'countTicks']);
  const [values, setValues] = useState<FormValues>({
    name: calendar?.name ?? '',
    project: calendar?.project ?? me?.project ?? 'default',
    description: calendar?.description ?? '',
    days: calendar ? daysText(calendar) : '',
  });
  const { name, project, description } = values;
  const { wrong, ...days } = readDays(values.days);
  const key = { project, name };
  const body = { ...days, description };
  // Which schedules would fire at another time, as one types.
  const tried = useApi(
    'setCalendar',
    calendar && wrong === undefined ? { ...key, body: { ...body, dryRun: true } } : null,
    { keep: true },
  );
  const added = Object.values(days)
    .flat()
    .map((day) => ` ${day}`);
  return (
    <FormDialog
      title={calendar ? text('settings.editOf', { name: `${project}/${name}` }) : text('calendars.new')}
      fields={[
        ...(calendar
          ? []
          : [
              { name: 'name', label: text('settings.name'), required: true, placeholder: 'holidays' },
              { name: 'project', label: text('workflows.project'), required: true },
            ]),
        { name: 'description', label: text('settings.description') },
        {
          name: 'days',
          label: text('calendars.days'),
          kind: 'lines',
          hint: text('calendars.daysHint'),
          placeholder: '2027-01-01 2027-02-06 12-25 sunday',
          error: wrong === undefined ? undefined : text('calendars.noDay', { day: wrong }),
        },
      ]}
      values={values}
      onChange={(change) => setValues((now) => ({ ...now, ...change }))}
      command={
        calendar
          ? undefined
          : `orrery calendars set ${quoted(`${project}/${name || 'NAME'}`)} --add${added.join('') || ' DAY'}`
      }
      error={set.error}
      pending={set.isPending}
      deed={text('schedule.save')}
      onSubmit={() =>
        set.mutate({ ...key, ifMatch: `"${calendar?.revision ?? 0}"`, body }, { onSuccess: onClose })
      }
      onClose={onClose}
    >
      {tried.data && wrong === undefined && (
        <div aria-live="polite">
          <p>{text('calendars.moved', { count: tried.data.moved.length })}</p>
          {tried.data.moved.length > 0 && (
            <Table
              label={text('calendars.moved', { count: tried.data.moved.length })}
              rows={tried.data.moved.slice(0, SHOWN)}
              keyOf={({ schedule }) => schedule}
              columns={[
                {
                  label: text('schedules.schedule'),
                  head: true,
                  cell: (one) => (
                    <Link to={scheduleAddress(one.schedule)}>
                      {one.project}/{one.workflow} {one.name}
                    </Link>
                  ),
                },
                {
                  label: text('calendars.before'),
                  cell: ({ before }) => <Time at={before} form="absolute" />,
                },
                { label: text('calendars.after'), cell: ({ after }) => <Time at={after} form="absolute" /> },
              ]}
            />
          )}
        </div>
      )}
    </FormDialog>
  );
}

/** Schedules that a change moves, shown at most. */
const SHOWN = 20;
