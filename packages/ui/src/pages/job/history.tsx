/** What a job did: rounds with their cause, failovers and misfires among them, and divisions of its shards. */
import { useMemo, useState } from 'react';
import type { AnswerOf } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { CutName } from '../../parts/cut-name.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { ListBody } from '../../parts/list/list-body.tsx';
import { useList, usePagedRows } from '../../parts/list/use-list.ts';
import type { Column } from '../../parts/list/virtual-list.tsx';
import { StateIcon } from '../../parts/state-badge.tsx';
import { Duration, Time } from '../../parts/time.tsx';
import styles from '../jobs/jobs.module.css';
import { EVERY, type Job } from './job.ts';

type Event = AnswerOf<'listJobHistory'>['events'][number];

const idOf = ({ id }: Event) => String(id);

export function History({ job: { center, name, isRecorded } }: { job: Job }) {
  const text = useText();
  const input = useMemo(() => ({ center, job: name }), [center, name]);
  const source = usePagedRows('listJobHistory', input, ({ events }) => events, EVERY);
  const [shown, setShown] = useState<Event | null>(null);
  const list = useList(source, { idOf, onOpen: setShown, onInspect: setShown });
  const columns: readonly Column<Event>[] = [
    { id: 'at', label: text('job.when'), width: '144px', cell: ({ at }) => <Time at={at} /> },
    {
      id: 'what',
      label: text('job.what'),
      width: '104px',
      cell: ({ cause, kind }) => text('job.cause', { cause: cause ?? kind }),
    },
    {
      id: 'outcome',
      label: text('job.outcome'),
      width: 'minmax(184px, 2fr)',
      cell: (event) => <Outcome event={event} />,
    },
    {
      id: 'took',
      label: text('job.took'),
      width: '88px',
      end: true,
      cell: ({ startedAt, at }) => (startedAt === null ? '–' : <Duration from={startedAt} to={at} />),
    },
    {
      id: 'shards',
      label: text('jobs.shards'),
      width: 'minmax(88px, 1fr)',
      cell: ({ shards }) => shards ?? '–',
    },
    {
      id: 'instance',
      label: text('job.instance'),
      width: 'minmax(128px, 1fr)',
      cell: ({ instance }) => (instance === null ? '–' : <CutName name={instance} />),
    },
  ];
  return (
    <div className={styles.beside}>
      <ListBody
        list={list}
        label={text('job.tab.history')}
        columns={columns}
        nameOf={({ id, cause, kind }) => `${text('job.cause', { cause: cause ?? kind })} ${id}`}
        empty={<EmptyState title={text(isRecorded ? 'job.noHistory' : 'job.notRecorded')} />}
      />
      {shown && <Shown event={shown} onClose={() => setShown(null)} />}
    </div>
  );
}

function Outcome({ event: { kind, succeeded, failures, moved, reasons, unseen } }: { event: Event }) {
  const text = useText();
  const said =
    kind === 'reshard'
      ? text('job.moved', { moved: moved ?? 0, reasons: reasons.join('; ') })
      : text('job.result', { succeeded: succeeded ?? 0, failures: failures ?? 0 });
  const state = kind === 'reshard' ? 'resharding' : (failures ?? 0) > 0 ? 'failed' : 'success';
  return (
    <span className={styles.holds}>
      <StateIcon state={state} />
      {said}
      {unseen > 0 && ` · ${text('job.unseen', { count: unseen })}`}
    </span>
  );
}

/** All about one event, beside the list. */
function Shown({ event, onClose }: { event: Event; onClose(): void }) {
  const text = useText();
  const { cause, kind, at, due, instance, shards, failures, failed, unseen } = event;
  const title = text('job.cause', { cause: cause ?? kind });
  return (
    <Inspector label={title} title={title} onClose={onClose}>
      <p>
        <Outcome event={{ ...event, unseen: 0 }} />
      </p>
      <p>
        <Time at={at} form="absolute" />
        {due !== null && (
          <>
            {' '}
            · {text('job.due')} <Time at={due} form="absolute" />
          </>
        )}
      </p>
      {instance !== null && <p>{instance}</p>}
      {shards !== null && (
        <p>
          {text('jobs.shards')}: {shards}
        </p>
      )}
      {failed.map(({ shard, error }) => (
        <p key={shard} className={styles.note} data-family="failed">
          {text('job.failed', { shard, error })}
        </p>
      ))}
      {(failures ?? 0) > failed.length && (
        <p>{text('job.more', { count: (failures ?? 0) - failed.length })}</p>
      )}
      {unseen > 0 && <p className={styles.note}>{text('job.unseen', { count: unseen })}</p>}
    </Inspector>
  );
}
