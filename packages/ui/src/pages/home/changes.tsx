/** What people and nodes did last; what one did to many runs is one line. */
import { Link } from '../../app/link.tsx';
import type { AnswerOf } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { Time } from '../../parts/time.tsx';
import styles from './home.module.css';

type Change = AnswerOf<'showOverview'>['changes'][number];

export function Changes({ changes }: { changes: readonly Change[] }) {
  const text = useText();
  const words = ({ action }: Change) => {
    const [, version] = /^publish v(\d+)$/.exec(action) ?? [];
    return text('home.change', version ? { action: 'publish', version } : { action, version: '' });
  };
  const about = ({ kind, subject, count }: Change) => {
    if (kind !== 'bulk') return subject;
    return count === null ? text('home.bulk', { id: subject }) : text('home.manyRuns', { count });
  };
  return (
    <section className={styles.panel}>
      <h2>{text('home.changes')}</h2>
      {changes.length === 0 && <p className="dim">{text('home.noChanges')}</p>}
      <ul className={styles.rows}>
        {changes.slice(0, 8).map((change) => {
          const { at, actor, kind, subject, action, address } = change;
          return (
            <li key={`${at} ${kind} ${subject} ${action}`}>
              <span className={styles.grow} data-hint={`${words(change)} ${about(change)}, ${actor}`}>
                {words(change)} {address === null ? about(change) : <Link to={address}>{about(change)}</Link>}{' '}
                <span className="dim">{actor}</span>
              </span>
              <Time at={at} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
