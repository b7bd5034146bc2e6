/** The head of every page: breadcrumbs, one h1, one line of facts, and the actions. */
import { type ReactNode, useEffect } from 'react';
import { setPlaceName } from '../data/place-name.ts';
import styles from './page.module.css';

/** A step of the way here; the last one has no address. */
interface Crumb {
  readonly label: string;
  readonly to?: string;
}

interface PageProps {
  /** What this page is about: the h1 and the title of the window. */
  readonly title: string;
  /** The content of the h1 if it is more than text. */
  readonly heading?: ReactNode;
  readonly crumbs: readonly Crumb[];
  /** To what comes before and after, at the end of the title's row however narrow that is. */
  readonly steps?: ReactNode;
  /** Below the title and before what can be done: what one came for, where there is no room beside. */
  readonly first?: ReactNode;
  /** Beside the title. */
  readonly actions?: ReactNode;
  /** Below the title: state, reason, filters. */
  readonly lines?: ReactNode;
  /** Fills the room that is left; the page scrolls inside it. */
  readonly children: ReactNode;
  readonly inspector?: ReactNode;
  /** The body scrolls by itself, as a list does. */
  readonly fixed?: boolean;
}

export function Page(props: PageProps) {
  const { title, heading, crumbs, steps, first, actions, lines, children, inspector, fixed } = props;
  const named = JSON.stringify({ title, crumbs });
  useEffect(() => setPlaceName(JSON.parse(named)), [named]);
  return (
    <div className={styles.page}>
      <div className={styles.column}>
        <div className={styles.head}>
          <div className={styles.titleRow}>
            <div className={styles.named}>
              <h1 className={styles.title}>{heading ?? title}</h1>
              {steps && <div className={styles.steps}>{steps}</div>}
            </div>
            {first && <div className={styles.first}>{first}</div>}
            {actions && <div className={styles.actions}>{actions}</div>}
          </div>
          {lines}
        </div>
        <div className={styles.body} data-fixed={fixed || undefined}>
          {children}
        </div>
      </div>
      {inspector}
    </div>
  );
}
