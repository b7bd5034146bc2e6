/** The slots of a worker: a box for each attempt with how long it has been there, and one for each free slot. */
import { addressOfId } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { Section } from '../../parts/section.tsx';
import { Time } from '../../parts/time.tsx';
import styles from './cluster.module.css';
import { EVERY } from './nodes.tsx';

/** Free slots drawn as boxes; of more only the number is said. */
const MOST_FREE = 64;

export function Slots({ worker }: { worker: AnswerOf<'listNodes'>['workers'][number] }) {
  const text = useText();
  const { id, slots, used } = worker;
  const query = useApi('listNodeAttempts', { node: id }, { every: EVERY });
  const title = text('cluster.slots', { held: used, slots });
  const attempts = query.data?.attempts ?? [];
  const hidden = Math.max(0, used - attempts.length);
  const free = Math.max(0, slots - Math.max(used, attempts.length));
  const boxes = Array.from({ length: Math.min(free, MOST_FREE) }, (_, box) => box);
  return (
    <Section title={title} query={query}>
      <ul className={styles.slots} aria-label={title}>
        {attempts.map(({ id: attempt, project, workflow, assignedAt, ending }) => (
          <li key={attempt} data-ending={ending || undefined}>
            <Link to={addressOfId(attempt) ?? ''}>{attempt}</Link>
            <span className="dim">{`${project}/${workflow}`}</span>
            <span className="dim">
              <Time at={assignedAt} />
              {ending && ` · ${text('cluster.ending')}`}
            </span>
          </li>
        ))}
        {hidden > 0 && <li className="dim">{text('cluster.hiddenAttempts', { count: hidden })}</li>}
      </ul>
      {free > 0 && (
        <p className={styles.free}>
          {boxes.map((box) => (
            <i key={box} />
          ))}
          <span className="dim">{text('cluster.freeSlots', { count: free })}</span>
        </p>
      )}
    </Section>
  );
}
