/** The history of a run, newest first: every action with its author, task, worker and process. */
import { Button } from '@mantine/core';
import { usePages } from '../../data/api.ts';
import { useText } from '../../i18n/text.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { StateIcon } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { type HistoryEvent, useEventWords } from './history-words.ts';
import style from './run.module.css';

const PAGE = 100;

interface HistoryPanelProps {
  readonly run: number;
  readonly onTask: (name: string) => void;
  readonly onClose: () => void;
}

export function HistoryPanel({ run, onTask, onClose }: HistoryPanelProps) {
  const text = useText();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = usePages('listRunEvents', {
    id: run,
    order: 'newest',
    limit: PAGE,
  });
  const events = data?.pages.flatMap((page) => page.events);
  return (
    <Inspector label={text('history.title')} title={<h2>{text('history.title')}</h2>} onClose={onClose}>
      <div className={style.stack}>
        {error && <ErrorPanel error={error} retry={() => void refetch()} />}
        {!events && !error && <SkeletonRows rows={8} />}
        <ol className={style.history} aria-label={text('history.title')}>
          {events?.map((event) => (
            <Row key={placeOf(event)} event={event} onTask={onTask} />
          ))}
        </ol>
        {hasNextPage && (
          <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {text('history.older')}
          </Button>
        )}
      </div>
    </Inspector>
  );
}

function Row({ event, onTask }: { event: HistoryEvent; onTask: (name: string) => void }) {
  const words = useEventWords();
  const { task } = event;
  return (
    <li>
      <Time at={event.at} form="absolute" />
      <span className={style.row}>
        {event.state !== null && event.kind !== 'created' && <StateIcon state={event.state} size={12} />}
        {task !== null && (
          <button type="button" className={style.count} onClick={() => onTask(task)}>
            {task}
          </button>
        )}
        <span>{words(event)}</span>
      </span>
      {event.text !== null && <span className={style.reason}>{event.text}</span>}
    </li>
  );
}

/** No two things are at one place of a history. */
function placeOf({ at, kind, task, shard, number, round, action, actor }: HistoryEvent): string {
  return [at, kind, task, shard, number, round, action, actor].join(' ');
}
