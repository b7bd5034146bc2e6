/** The note shown instead of a log, or beside it, with the reason. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLanguage } from '../../i18n/text.tsx';
import { isOwnLine } from '../../model/log-line.ts';
import { Time } from '../../parts/time.tsx';
import { WhyLine } from '../../parts/why-line.tsx';
import style from './log.module.css';
import type { Attempt } from './log-search.ts';
import { LossNote } from './loss-note.tsx';
import type { Hits } from './use-hits.ts';
import type { Log } from './use-log.ts';

interface LogNoteProps {
  /** As the API names the task run. */
  readonly id: string;
  readonly log: Log;
  readonly attempt: Attempt;
}

export function LogNote({ id, log: { state, lineOf, retry }, attempt }: LogNoteProps): ReactNode {
  const { text } = useLanguage();
  if (!state) return null;
  const { source, done, process } = state;
  const worker = state.worker ?? attempt.worker ?? '?';
  if (state.loss) return <LossNote loss={state.loss} ended={done} onRetry={retry} {...{ source, worker }} />;
  const silent = state.lines === 0 || (state.lines === 1 && isOwnLine(lineOf(0) ?? ''));
  if (!silent) return null;
  if (done) return state.lines === 0 && <p className={style.note}>{text('log.empty')}</p>;
  const since = attempt.startedAt ?? attempt.assignedAt;
  if (since === null)
    return (
      <div className={style.note}>
        {text('log.notStarted', { number: attempt.number })} <WhyLine id={id} />
      </div>
    );
  return (
    <p className={style.note}>
      <span>
        {text('log.noOutput')} <Time at={since} focusable />.
      </span>
      {process !== null && <span>{text('log.process', { process: String(process), worker })}</span>}
    </p>
  );
}

/** A temporary fault; the shown content stays. */
export function TroubleNote({ trouble, onNow }: { trouble: Error; onNow: () => void }): ReactNode {
  const { text } = useLanguage();
  return (
    <p className={style.note} role="status">
      {text('log.reconnecting', { reason: trouble.message })}{' '}
      <Button size="compact-xs" onClick={onNow}>
        {text('error.retry')}
      </Button>
    </p>
  );
}

/** Searches that failed, with a way to make them again. */
export function SearchNote({ searches }: { searches: readonly Hits[] }): ReactNode {
  const { text } = useLanguage();
  const failed = searches.filter(({ error }) => error !== null);
  if (failed.length === 0) return null;
  return (
    <p className={style.note} role="alert">
      {text('log.searchFailed', { reason: failed[0].error?.message ?? '' })}{' '}
      <Button
        size="compact-xs"
        onClick={() => {
          for (const { retry } of failed) retry();
        }}
      >
        {text('error.retry')}
      </Button>
    </p>
  );
}

/** What a filter by level has left of a log. */
export function LevelNote({
  picked,
  lines,
  onAll,
}: {
  picked: Hits;
  lines: number;
  onAll: () => void;
}): ReactNode {
  const { text } = useLanguage();
  const count = picked.lines.length;
  return (
    <p className={style.note} role="status">
      {(picked.pending || picked.error) && count === 0
        ? text('log.level.looking')
        : text(picked.more ? 'log.level.shownMore' : 'log.level.shown', { count, lines })}{' '}
      {picked.more && (
        <Button size="compact-xs" loading={picked.pending} onClick={picked.readMore}>
          {text('log.level.more')}
        </Button>
      )}{' '}
      <Button size="compact-xs" onClick={onAll}>
        {text('log.level.drop')}
      </Button>
    </p>
  );
}
