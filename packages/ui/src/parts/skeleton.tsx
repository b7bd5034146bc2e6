/** A placeholder of loading content, shown only if loading takes longer than a moment. */
import type { ReactNode } from 'react';
import { useText } from '../i18n/text.tsx';
import styles from './parts.module.css';

const widths = ['38%', '12%', '18%', '9%'];

interface SkeletonProps {
  readonly className?: string;
  /** Whether another placeholder on the page is announced instead of this one. */
  readonly silent?: boolean;
  readonly children: ReactNode;
}

/** A placeholder of content, announced once, however many bones it has. */
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

/** A placeholder of a known height. */
export function SkeletonBlock({ height }: { height: number }) {
  return (
    <Skeleton>
      <Bone height={height} />
    </Skeleton>
  );
}
