/** The ends of the logs of several shards as one log, by the times their lines carry. Each line leads to its place. */
import { useRef } from 'react';
import { Link } from '../../app/link.tsx';
import { useLayoutEffectWhen } from '../../data/when.ts';
import { useText } from '../../i18n/text.tsx';
import { levelOf } from '../../model/log-line.ts';
import type { MergedLine } from '../../model/log-merge.ts';
import { LineText } from './line-text.tsx';
import style from './log.module.css';

/** A view closer to the end than this follows new lines. */
const AT_END = 40;

interface ShardsByTimeProps {
  readonly lines: readonly MergedLine[];
  readonly addressOf: (line: MergedLine) => string;
}

export function ShardsByTime({ lines, addressOf }: ShardsByTimeProps) {
  const text = useText();
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  // Whenever there are other lines.
  useLayoutEffectWhen(() => {
    if (box.current && atEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const onScroll = () => {
    if (!box.current) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    atEnd.current = scrollHeight - clientHeight - scrollTop < AT_END;
  };
  return (
    <div
      ref={box}
      className={`${style.scroll} ${style.wrapped}`}
      role="region"
      aria-label={text('log.merged')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must do so by keyboard too
      tabIndex={0}
      onScroll={onScroll}
    >
      <div className={style.lines}>
        {lines.map((merged) => {
          const { shard, number, line } = merged;
          return (
            <div key={`${shard}:${number}`} className={style.line} data-level={levelOf(line)}>
              <Link
                to={addressOf(merged)}
                className={style.number}
                tabIndex={-1}
                aria-description={text('log.mergedLine', { shard, line: number })}
                data-hint={text('log.mergedLine', { shard, line: number })}
              >
                {shard}:{number}
              </Link>
              <LineText line={line} find="" current={false} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
