/** Compares the ends of two attempts' logs: the lines that only one of them has. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { call } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { diffLines } from '../../model/line-diff.ts';
import { plainText } from '../../model/log-ansi.ts';
import { untimed } from '../../model/log-line.ts';
import { readLastLines } from '../../model/log-read.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import style from './log.module.css';
import type { Attempt } from './log-search.ts';

/** Compared lines of each log: errors are at the end. */
const LINES = 2_000;
/** Lines of the comparison that are shown at once. */
const PAGE = 500;
const marks = { same: ' ', gone: '−', new: '+' } as const;

interface AttemptDiffProps {
  readonly before: Attempt;
  readonly attempt: Attempt;
}

export function AttemptDiff({ before, attempt }: AttemptDiffProps) {
  const text = useText();
  const [shown, setShown] = useState(PAGE);
  const { data, error, refetch } = useQuery({
    queryKey: ['logCompared', before.id, attempt.id],
    queryFn: ({ signal }) => Promise.all([before.id, attempt.id].map((id) => lastLines(id, signal))),
  });
  const diff = useMemo(() => data && diffLines(data[0], data[1], untimed), [data]);
  const title = text('log.compare', { number: before.number });
  return (
    <section className={style.section} aria-label={title}>
      <h3>{title}</h3>
      {error && <ErrorPanel error={error} retry={() => void refetch()} />}
      {!diff && !error && <SkeletonBlock height={240} />}
      {diff?.every(({ kind }) => kind === 'same') && <p className={style.note}>{text('log.compareSame')}</p>}
      {diff && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must do so by keyboard too
        <ol className={style.diff} tabIndex={0} aria-label={title}>
          {diff.slice(0, shown).map(({ kind, text: line }, index) => (
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
      {diff && diff.length > shown && (
        <Button onClick={() => setShown(shown + PAGE)}>
          {text('log.compareMore', { count: diff.length - shown })}
        </Button>
      )}
    </section>
  );
}

async function lastLines(id: string, signal: AbortSignal): Promise<readonly string[]> {
  const { last } = await readLastLines(({ line }) => call('readLog', { id, line }, { signal }), LINES);
  return last.map(plainText);
}
