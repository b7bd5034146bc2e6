/** The last runs of a workflow as bars. Arrows walk them, Enter opens one; the pointer does the same. */
import { useState } from 'react';
import { useLanguage } from '../i18n/text.tsx';
import {
  BAR_STEP,
  placeOf,
  runAt,
  STRIP_BARS,
  STRIP_HEIGHT,
  type StripRun,
  stripPaths,
} from '../model/strip.ts';
import { duration } from '../model/time.ts';
import { useStateWord } from './state-badge.tsx';
import styles from './strip.module.css';

interface StripProps {
  /** Of what: the name of the workflow. */
  readonly name: string;
  /** Oldest first. */
  readonly runs: readonly StripRun[];
  /** Whether it is a tab stop; in a list only the current row's is. */
  readonly focusable: boolean;
  onOpen(run: number): void;
}

export function Strip({ name, runs, focusable, onOpen }: StripProps) {
  const { text, units } = useLanguage();
  const word = useStateWord();
  /** By its id: its place changes with every run that starts. */
  const [chosen, setChosen] = useState<number | null>(null);
  const [focused, setFocused] = useState(false);
  if (runs.length === 0) return <span className="dim">{text('strip.none')}</span>;
  const known = chosen === null ? -1 : runs.findIndex(({ id }) => id === chosen);
  const at = known < 0 ? runs.length - 1 : known;
  const tell = ({ id, state, duration: time }: StripRun) =>
    text('strip.run', { id, state: word(state), time: time === null ? '…' : duration(time, units) });
  return (
    <span
      className={styles.strip}
      role="slider"
      aria-label={text('strip.label', { name })}
      aria-valuemin={1}
      aria-valuemax={runs.length}
      aria-valuenow={at + 1}
      aria-valuetext={tell(runs[at])}
      tabIndex={focusable ? 0 : -1}
      data-hint={tell(runs[at])}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      onPointerMove={({ nativeEvent }) => {
        const under = runAt(nativeEvent.offsetX, runs);
        if (under !== null) setChosen(runs[under].id);
      }}
      onClick={({ nativeEvent }) => {
        const under = runAt(nativeEvent.offsetX, runs);
        if (under !== null) onOpen(runs[under].id);
      }}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1, Home: -runs.length, End: runs.length }[event.key];
        if (by !== undefined) setChosen(runs[Math.max(0, Math.min(runs.length - 1, at + by))].id);
        if (event.key === 'Enter') onOpen(runs[at].id);
        if (by !== undefined || event.key === 'Enter') {
          event.preventDefault();
          event.stopPropagation();
        }
      }}
    >
      <svg width={STRIP_BARS * BAR_STEP} height={STRIP_HEIGHT} aria-hidden="true">
        {stripPaths(runs).map(({ family, filled, outlined }) => (
          <g key={family}>
            {filled !== '' && <path data-family={family} d={filled} fill="currentColor" />}
            {outlined !== '' && <path data-family={family} d={outlined} fill="none" stroke="currentColor" />}
          </g>
        ))}
        {focused && (
          <rect
            className={styles.cursor}
            x={placeOf(at, runs.length) - 0.5}
            y={0.5}
            width={BAR_STEP + 1}
            height={STRIP_HEIGHT - 1}
          />
        )}
      </svg>
    </span>
  );
}
