/** What is shown instead of a log, or beside it, and why. */
import type { ReactNode } from 'react';
import { useLanguage } from '../../i18n/text.tsx';
import style from './log.module.css';
import type { Attempt } from './log-search.ts';
import type { Log } from './use-log.ts';

export function LogNote({ log: { state }, attempt }: { log: Log; attempt: Attempt }): ReactNode {
  const { text } = useLanguage();
  if (!state) return null;
  const worker = state.worker ?? attempt.worker ?? '?';
  if (state.source === 'tail') return <p className={style.note}>{text('log.tail', { worker })}</p>;
  if (state.lines > 0) return null;
  if (attempt.startedAt === null && attempt.assignedAt === null && !state.done)
    return <p className={style.note}>{text('log.notStarted', { number: attempt.number })}</p>;
  if (!state.done)
    return (
      <p className={style.note}>
        {text('log.noOutput', { time: attempt.startedAt ?? attempt.assignedAt ?? '' })}
      </p>
    );
  return (
    <p className={style.note}>{state.source === 'none' ? text('log.none', { worker }) : text('log.empty')}</p>
  );
}
