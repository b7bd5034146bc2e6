/** The shape of what is being loaded, shown only when loading takes longer than a blink. */
import { useText } from '../i18n/text.tsx';
import styles from './parts.module.css';

const widths = ['38%', '12%', '18%', '9%'];

/** Rows as a list will have them, so that nothing moves when they come. */
export function SkeletonRows({ rows = 12 }: { rows?: number }) {
  const text = useText();
  return (
    <div className={styles.skeleton} role="status" aria-label={text('loading')}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bones are all alike and never move
        <div key={row} className={styles.skeletonRow}>
          {widths.map((width) => (
            <div key={width} className={styles.bone} style={{ width }} />
          ))}
        </div>
      ))}
    </div>
  );
}

/** A block of a known height. */
export function SkeletonBlock({ height }: { height: number }) {
  const text = useText();
  return (
    <div className={styles.skeleton} role="status" aria-label={text('loading')}>
      <div className={styles.bone} style={{ height }} />
    </div>
  );
}
