/** The shape of what is being loaded, shown only when loading takes longer than a blink. */
import type { ReactNode } from 'react';
import { useText } from '../i18n/text.tsx';
import styles from './parts.module.css';

const widths = ['38%', '12%', '18%', '9%'];

interface SkeletonProps {
  readonly className?: string;
  /** One of several on a page, of which another one is announced. */
  readonly silent?: boolean;
  readonly children: ReactNode;
}

/** What stands where something will be; it is announced as one thing, however many bones it has. */
export function Skeleton({ className = '', silent = false, children }: SkeletonProps) {
  const text = useText();
  const told = silent ? { 'aria-hidden': true } : { role: 'status', 'aria-label': text('loading') };
  return (
    <div className={`${styles.skeleton} ${className}`} {...told}>
      {children}
    </div>
  );
}

/** One piece of it. */
export function Bone({ width, height }: { width?: string; height?: number }) {
  return <div className={styles.bone} style={{ width, height }} />;
}

/** Rows as a list will have them, so that nothing moves when they come. */
export function SkeletonRows({ rows = 12 }: { rows?: number }) {
  return (
    <Skeleton>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bones are all alike and never move
        <div key={row} className={styles.skeletonRow}>
          {widths.map((width) => (
            <Bone key={width} width={width} />
          ))}
        </div>
      ))}
    </Skeleton>
  );
}

/** A block of a known height. */
export function SkeletonBlock({ height }: { height: number }) {
  return (
    <Skeleton>
      <Bone height={height} />
    </Skeleton>
  );
}
