/**
 * Why a log is missing: the rule that removed it, or the worker that is gone and since when. Shows the stored
 * end.
 */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AnswerOf } from '../../data/client.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { interval } from '../../model/time.ts';
import { Time } from '../../parts/time.tsx';
import style from './log.module.css';

type Piece = AnswerOf<'readLog'>;

interface LossNoteProps {
  readonly loss: NonNullable<Piece['loss']>;
  readonly source: Piece['source'];
  readonly worker: string;
  /** The attempt has ended: nothing will come any more. */
  readonly ended: boolean;
  /** Asks again: a worker that was gone may be back. */
  readonly onRetry: () => void;
}

export function LossNote({ loss, source, worker, ended, onRetry }: LossNoteProps): ReactNode {
  const { text } = useLanguage();
  return (
    <p className={style.note}>
      <span>
        <Why {...{ loss, worker, ended }} />{' '}
        {source === 'tail' ? text('log.keptEnd') : ended && text('log.keptNothing')}
      </span>
      {loss.reason === 'worker-gone' && (
        <Button size="compact-xs" onClick={onRetry}>
          {text('error.retry')}
        </Button>
      )}
    </p>
  );
}

function Why({
  loss: { reason, rule, seenAt },
  worker,
  ended,
}: Pick<LossNoteProps, 'loss' | 'worker' | 'ended'>): ReactNode {
  const { text, units } = useLanguage();
  if (reason === 'removed') return text('log.removed', { worker });
  if (rule)
    return rule.setting === 'keep-logs'
      ? text('log.expiredAge', { worker, time: interval(rule.value, units) })
      : text('log.expiredCount', { worker, count: rule.value });
  return (
    <>
      {text(ended ? 'log.workerGone' : 'log.workerAway', { worker })}
      {seenAt !== null && (
        <>
          {' '}
          {text('log.lastSeen')} <Time at={seenAt} focusable />.
        </>
      )}
    </>
  );
}
