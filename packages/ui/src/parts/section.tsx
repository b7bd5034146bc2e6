/** A section of a page: its heading with actions, and its table in any state. */
import type { ReactNode } from 'react';
import { ErrorPanel } from './error-panel.tsx';
import styles from './section.module.css';
import { SkeletonBlock } from './skeleton.tsx';

/** What a section shows. */
export interface SectionProps {
  readonly title: string;
  readonly actions?: ReactNode;
  /** Its query: without data it shows the loading state, or the error. */
  readonly query?: { readonly data: unknown; readonly error: Error | null; refetch(): unknown };
  readonly children?: ReactNode;
}

export function Section({ title, actions, query, children }: SectionProps) {
  const isThere = !query || query.data !== undefined;
  return (
    <section className={styles.section} aria-label={title}>
      <div className={styles.head}>
        <h2>{title}</h2>
        {actions}
      </div>
      {query?.error && !isThere && <ErrorPanel error={query.error} retry={() => void query.refetch()} />}
      {!isThere && !query?.error && <SkeletonBlock height={96} />}
      {isThere && children}
    </section>
  );
}
