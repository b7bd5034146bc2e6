/** A name that is cut in the middle when there is no room: names of one family differ at their ends. */
import styles from './parts.module.css';

const TAIL = 8;
/** Shorter names are shown whole: there is nothing to win by cutting them. */
const SHORT = 14;

/** The name; in full on hover, and always in full to screen readers and when copied. */
export function CutName({ name }: { name: string }) {
  const letters = Array.from(name);
  const at = letters.length <= SHORT ? 0 : letters.length - TAIL;
  return (
    <span className={styles.cut} data-hint={at > 0 ? name : undefined} data-hint-when="cut">
      {at > 0 && <span className={styles.cutHead}>{letters.slice(0, at).join('')}</span>}
      <span className={styles.cutTail}>{letters.slice(at).join('')}</span>
    </span>
  );
}
