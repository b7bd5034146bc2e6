/** The workflows that someone keeps an eye on; the first ones where none are starred. */
import { useQueries } from '@tanstack/react-query';
import { runAddress, workflowAddress } from '../../app/addresses.ts';
import { Link, useGo } from '../../app/link.tsx';
import { type AnswerOf, call } from '../../data/client.ts';
import { usePreferences } from '../../data/preferences.ts';
import { useText } from '../../i18n/text.tsx';
import { CutName } from '../../parts/cut-name.tsx';
import { Strip } from '../../parts/strip.tsx';
import { Time } from '../../parts/time.tsx';
import styles from './home.module.css';

type Row = AnswerOf<'listWorkflows'>['workflows'][number];

const MOST = 8;
const include = ['strip', 'next'] as const;

export function Watched({ rows = [], project }: { rows?: readonly Row[]; project?: string }) {
  const text = useText();
  const go = useGo();
  const { watched } = usePreferences();
  const starred = useStarred(
    watched.filter((name) => project === undefined || name.startsWith(`${project}/`)),
  );
  const shown = watched.length === 0 ? rows : starred;
  return (
    <section className={styles.panel}>
      <h2>
        {text(watched.length === 0 ? 'home.workflows' : 'home.watched')}
        {watched.length === 0 && <small>{text('home.star')}</small>}
      </h2>
      <ul className={styles.rows}>
        {shown.map(({ project: own, name, strip, nextDue }) => (
          <li key={`${own}/${name}`}>
            <span className={styles.grow}>
              <Link to={workflowAddress(own, name)}>
                <CutName name={`${own}/${name}`} />
              </Link>
            </span>
            <Strip name={name} runs={strip?.runs ?? []} focusable onOpen={(run) => go(runAddress(run))} />
            <span className={styles.next}>{nextDue ? <Time at={nextDue} /> : '–'}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The starred workflows, each found by its full name. */
function useStarred(names: readonly string[]): readonly Row[] {
  const results = useQueries({
    queries: names.slice(0, MOST).map((name) => {
      const [project, ...rest] = name.split('/');
      const input = { project, q: rest.join('/'), include, limit: 20 };
      return { queryKey: ['listWorkflows', input], queryFn: () => call('listWorkflows', input) };
    }),
  });
  return results.flatMap(
    ({ data }, at) => data?.workflows.filter((row) => `${row.project}/${row.name}` === names[at]) ?? [],
  );
}
