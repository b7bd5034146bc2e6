/** The end of an attempt's log beside that of the attempt before: what it printed that the other did not. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { diffLines } from '../../model/line-diff.ts';
import { plainText } from '../../model/log-ansi.ts';
import { untimed } from '../../model/log-line.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import style from './log.module.css';
import type { Attempt } from './log-search.ts';

/** Lines of each that are compared: what went wrong stands at the end. */
const LINES = 2_000;
const marks = { same: ' ', gone: '−', new: '+' } as const;

interface AttemptDiffProps {
  readonly before: Attempt;
  readonly attempt: Attempt;
  readonly onClose: () => void;
}

export function AttemptDiff({ before, attempt, onClose }: AttemptDiffProps) {
  const text = useText();
  const { data, error, refetch } = useQuery({
    queryKey: ['logCompared', before.id, attempt.id],
    queryFn: ({ signal }) => Promise.all([before.id, attempt.id].map((id) => lastLines(id, signal))),
  });
  const diff = useMemo(() => data && diffLines(data[0], data[1], untimed), [data]);
  const title = text('log.compare', { number: before.number });
  return (
    <Inspector label={title} title={<h2>{title}</h2>} onClose={onClose}>
      {error && <ErrorPanel error={error} retry={() => void refetch()} />}
      {!diff && !error && <SkeletonBlock height={240} />}
      {diff?.every(({ kind }) => kind === 'same') && <p className={style.note}>{text('log.compareSame')}</p>}
      {diff && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must do so by keyboard too
        <ol className={style.diff} tabIndex={0} aria-label={title}>
          {diff.map(({ kind, text: line }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names of their own
            <li key={index} data-kind={kind}>
              <span aria-hidden="true">{marks[kind]}</span>
              {kind !== 'same' && (
                <span className="visually-hidden">
                  {text(kind === 'new' ? 'log.onlyNow' : 'log.onlyBefore')}
                </span>
              )}
              {line}
            </li>
          ))}
        </ol>
      )}
    </Inspector>
  );
}

async function lastLines(id: string, signal: AbortSignal): Promise<readonly string[]> {
  const { text } = await call('readLog', { id, line: `-${LINES}` }, { signal });
  return text === '' ? [] : text.replace(/\n$/, '').split('\n').map(plainText);
}
