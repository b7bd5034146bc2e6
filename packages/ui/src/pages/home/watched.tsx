/** The workflows that someone keeps an eye on; the first ones where none are starred. */
import { Button } from '@mantine/core';
import { runAddress, workflowAddress } from '../../app/addresses.ts';
import { Link, useGo } from '../../app/link.tsx';
import { useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { setPreferences, usePreferences } from '../../data/preferences.ts';
import { tellInFocus } from '../../data/same-as.ts';
import { useText } from '../../i18n/text.tsx';
import { CutName } from '../../parts/cut-name.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Strip } from '../../parts/strip.tsx';
import { Time } from '../../parts/time.tsx';
import { isPaused, thingOf } from '../workflows/row.ts';
import styles from './home.module.css';

type Row = AnswerOf<'listWorkflows'>['workflows'][number];

const MOST = 8;
const include = ['strip', 'next'] as const;

/** Requested with the page, shown or not, so that the request sent before the scripts loaded is reused. */
export function useWatched(project?: string) {
  const { watched } = usePreferences();
  const own = watched.filter((name) => project === undefined || name.startsWith(`${project}/`));
  const names = own.slice(0, MOST);
  const starred = watched.length > 0;
  const first = { project, include, limit: MOST };
  const chosen = names.length === 0 ? null : { names, include, limit: MOST };
  const workflows = useApi('listWorkflows', starred ? chosen : first, { keep: true });
  return { own, names, starred, workflows };
}

export function Watched({ watched }: { watched: ReturnType<typeof useWatched> }) {
  const text = useText();
  const { own, names, starred, workflows } = watched;
  const { data, error, refetch } = workflows;
  const rows = new Map(data?.workflows.map((row) => [`${row.project}/${row.name}`, row]));
  return (
    <section className={styles.panel}>
      <h2>
        {text(starred ? 'home.watched' : 'home.workflows')}
        {!starred && <small>{text('home.star')}</small>}
        {own.length > MOST && <small>{text('home.watchedSome', { shown: MOST, count: own.length })}</small>}
      </h2>
      {error && <ErrorPanel error={error} retry={() => void refetch()} />}
      {starred && names.length === 0 && <p className="dim">{text('home.noneWatched')}</p>}
      <ul className={styles.rows}>
        {(starred ? names : [...rows.keys()]).map((name) => {
          const row = rows.get(name);
          if (row) return <WatchedRow key={name} row={row} />;
          return data && starred ? <Missing key={name} name={name} /> : null;
        })}
      </ul>
    </section>
  );
}

function WatchedRow({ row }: { row: Row }) {
  const go = useGo();
  const text = useText();
  const { project, name, strip, nextDue, schedules } = row;
  return (
    <li {...tellInFocus(thingOf(row))}>
      <span className={styles.grow}>
        <Link to={workflowAddress(project, name)}>
          <CutName name={`${project}/${name}`} />
        </Link>
      </span>
      <Strip name={name} runs={strip?.runs ?? []} focusable onOpen={(run) => go(runAddress(run))} />
      <span className={styles.next}>
        {nextDue ? (
          <Time at={nextDue} zone={zoneOfNext(nextDue, schedules)} />
        ) : isPaused(schedules) ? (
          text('state.paused')
        ) : (
          '–'
        )}
      </span>
    </li>
  );
}

/** A starred workflow that is not there: it was deleted or renamed, or is not for this caller. */
function Missing({ name }: { name: string }) {
  const text = useText();
  const { watched } = usePreferences();
  return (
    <li>
      <span className={styles.grow}>
        <CutName name={name} /> <span className="dim">{text('home.watchedGone')}</span>
      </span>
      <Button
        onClick={() => setPreferences({ watched: watched.filter((other) => other !== name) })}
        aria-label={text('home.unstarLabel', { name })}
      >
        {text('home.unstar')}
      </Button>
    </li>
  );
}

/** A due time is shown in the zone of its schedule. */
function zoneOfNext(due: string, schedules: Row['schedules']): string | undefined {
  return schedules?.find(({ nextDue }) => nextDue === due)?.timezone;
}
