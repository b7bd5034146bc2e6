/** The end of a log, inline: polled while it grows, with a plain message if there is none. */
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useLayoutEffectWhen } from '../../data/when.ts';
import { useText } from '../../i18n/text.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { LineText } from '../log/line-text.tsx';
import { LossNote } from '../log/loss-note.tsx';
import style from './run.module.css';
import { tailQuery } from './tail-query.ts';

interface LogTailProps {
  /** As the API names it: `12.extract.2`. */
  readonly attempt: string;
  /** Fills the inspector. */
  readonly full?: boolean;
  /** A few lines: more is to be seen beside it. */
  readonly short?: boolean;
}

export function LogTail({ attempt, full = false, short = false }: LogTailProps) {
  const text = useText();
  const box = useRef<HTMLDivElement>(null);
  const { data, error, refetch } = useQuery(tailQuery(attempt));
  // The end is what one came for.
  // Whenever the text is another.
  useLayoutEffectWhen(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [data?.lines]);
  if (error) return <ErrorPanel error={error} retry={() => void refetch()} />;
  if (!data) return null;
  const lost = data.loss && (
    <LossNote
      loss={data.loss}
      source={data.source}
      worker={data.worker ?? '?'}
      ended={data.done}
      onRetry={() => void refetch()}
    />
  );
  if (data.lines.length === 0) return lost ?? <p className="dim">{text('task.noLog')}</p>;
  return (
    <>
      {lost}
      <div
        ref={box}
        className={style.tail}
        data-full={full}
        data-short={short || undefined}
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
