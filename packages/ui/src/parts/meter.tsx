/** How full something is: a bar beside its words. Full looks different from filling. */
import type { ReactNode } from 'react';
import styles from './parts.module.css';

interface MeterProps {
  readonly held: number;
  readonly slots: number;
  /** What the bar says, also to screen readers. */
  readonly said: string;
  /** Shown instead of the words, such as a link with them. */
  readonly children?: ReactNode;
}

export function Meter({ held, slots, said, children = said }: MeterProps) {
  const max = Math.max(1, slots);
  return (
    <span className={styles.meter}>
      <meter min={0} max={max} high={max - 0.5} optimum={0} value={Math.min(held, max)} aria-label={said} />{' '}
      {children}
    </span>
  );
}
