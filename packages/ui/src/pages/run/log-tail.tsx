/** The end of a log, right where one looks: read again while it grows, said plainly when there is none. */
import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useRef } from 'react';
import { call } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { LineText } from '../log/line-text.tsx';
import style from './run.module.css';

/** Lines shown. */
const LINES = 50;
const READ_EVERY = 1_000;

interface LogTailProps {
  /** As the API names it: `12.extract.2`. */
  readonly attempt: string;
  /** Fills the inspector. */
  readonly full?: boolean;
}

export function LogTail({ attempt, full = false }: LogTailProps) {
  const text = useText();
  const box = useRef<HTMLDivElement>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ['logTail', attempt],
    queryFn: ({ signal }) => readTail(attempt, signal),
    refetchInterval: ({ state }) => (state.data?.done ? false : READ_EVERY),
  });
  // The end is what one came for.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the text is another
  useLayoutEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [data?.lines]);
  if (error) return <ErrorPanel error={error} retry={() => void refetch()} />;
  if (!data) return null;
  if (data.lines.length === 0) return <p className="dim">{text('task.noLog')}</p>;
  return (
    <>
      {data.source === 'tail' && <p className={style.asked}>{text('task.logKept')}</p>}
      <div
        ref={box}
        className={style.tail}
        data-full={full}
        role="region"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must do so by keyboard too
        tabIndex={0}
        aria-label={text('task.tab.log')}
      >
        {data.lines.map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names of their own
          <div key={i}>
            <LineText line={line} find="" current={false} />
          </div>
        ))}
      </div>
    </>
  );
}

interface Tail {
  readonly lines: readonly string[];
  readonly source: string;
  readonly done: boolean;
}

async function readTail(id: string, signal: AbortSignal): Promise<Tail> {
  const { text, source, done } = await call('readLog', { id, line: `-${LINES}` }, { signal });
  return { lines: text === '' ? [] : text.replace(/\n$/, '').split('\n'), source, done };
}
