/** A name that is cut in the middle when there is no room: names of one family differ at their ends. */
import styles from './parts.module.css';

const TAIL = 8;

/** The name; in full on hover, and always in full to screen readers and when copied. */
export function CutName({ name }: { name: string }) {
  const letters = Array.from(name);
  const at = Math.max(0, letters.length - TAIL);
  return (
    <span className={styles.cut} data-hint={letters.length > TAIL ? name : undefined} data-hint-when="cut">
      {at > 0 && <span className={styles.cutHead}>{letters.slice(0, at).join('')}</span>}
      <span className={styles.cutTail}>{letters.slice(at).join('')}</span>
    </span>
  );
}
