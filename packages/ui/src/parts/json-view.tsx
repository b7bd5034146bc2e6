/** A value as formatted JSON. */
import styles from './section.module.css';

export function JsonView({ label, value }: { label: string; value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is long scrolls, and must do so by keyboard too
    <section className={styles.json} tabIndex={0} aria-label={label}>
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </section>
  );
}
