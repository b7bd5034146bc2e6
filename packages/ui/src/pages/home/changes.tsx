/** What people and nodes did last. */
import { Link } from '../../app/link.tsx';
import type { AnswerOf } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { Time } from '../../parts/time.tsx';
import styles from './home.module.css';

export function Changes({ changes }: { changes: AnswerOf<'showOverview'>['changes'] }) {
  const text = useText();
  const words = (action: string) => {
    const [, version] = /^publish v(\d+)$/.exec(action) ?? [];
    return text('home.change', version ? { action: 'publish', version } : { action, version: '' });
  };
  return (
    <section className={styles.panel}>
      <h2>{text('home.changes')}</h2>
      {changes.length === 0 && <p className="dim">{text('home.noChanges')}</p>}
      <ul className={styles.rows}>
        {changes.slice(0, 8).map(({ at, actor, subject, action, address }) => (
          <li key={`${at} ${subject} ${action}`}>
            <span className={styles.grow} data-hint={`${words(action)} ${subject}, ${actor}`}>
              {words(action)} {address === null ? subject : <Link to={address}>{subject}</Link>}{' '}
              <span className="dim">{actor}</span>
            </span>
            <Time at={at} />
          </li>
        ))}
      </ul>
    </section>
  );
}
