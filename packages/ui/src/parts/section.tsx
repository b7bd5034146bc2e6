/** A section of a page: its heading with what can be done, and its table in whichever state it is. */
import type { ReactNode } from 'react';
import { ErrorPanel } from './error-panel.tsx';
import styles from './section.module.css';
import { SkeletonBlock } from './skeleton.tsx';

/** What a section shows. */
export interface SectionProps {
  readonly title: string;
  readonly actions?: ReactNode;
  /** Where it comes from: while there are no data it is loading, or says why there are none. */
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
