/** Home: is anything wrong, and what do I do next? */
import { useState } from 'react';
import { formatQuery, oneOf, textField } from '../../app/search-fields.ts';
import { useSearch } from '../../app/use-search.ts';
import { lastVisit } from '../../data/last-visit.ts';
import { useOverview } from '../../data/overview.ts';
import { useTellSame } from '../../data/same-as.ts';
import { useText } from '../../i18n/text.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import { Calm } from './calm.tsx';
import { Changes } from './changes.tsx';
import { Counters } from './counters.tsx';
import { FirstUse } from './first-use.tsx';
import styles from './home.module.css';
import { HomeSkeleton } from './home-skeleton.tsx';
import { MutedNeeds } from './muted-needs.tsx';
import { Needs } from './needs.tsx';
import { NextTicks } from './next-ticks.tsx';
import { RunsChart } from './runs-chart.tsx';
import { SinceMenu } from './since-menu.tsx';
import { useWatched, Watched } from './watched.tsx';

const fields = {
  project: textField(),
  since: oneOf(['visit']),
  /** The needs that were muted are listed too. */
  muted: oneOf(['shown']),
};

export function Page() {
  const text = useText();
  const [{ project, since, muted }, setSearch] = useSearch(fields);
  const [visit] = useState(() => lastVisit());
  const { data, error, refetch, isPlaceholderData } = useOverview(project);
  const watched = useWatched(project);
  useTellSame({ request: `/overview${formatQuery({ project })}` });
  // On a first visit with this filter in the address, everything is new.
  const after = since === 'visit' ? (visit ?? 0) : 0;
  const isNew = (at: string | null) => at === null || Date.parse(at) >= after;
  const needs = data?.needs.filter((need) => isNew(need.since)) ?? [];
  const more = needs.length === data?.needs.length ? data.moreNeeds : 0;
  const count = needs.length + more;
  const fresh = data !== undefined && !data.everRun && count === 0;
  const title = !data
    ? text('nav.home')
    : after > 0
      ? text('home.newNeeds', { count })
      : count > 0
        ? text('home.needs', { count })
        : text('home.calm');
  return (
    <Frame
      title={title}
      crumbs={[{ label: text('nav.home') }]}
      actions={
        <SinceMenu
          visit={visit}
          onlyNew={after > 0}
          onChange={(onlyNew) => setSearch({ since: onlyNew ? 'visit' : undefined }, { push: true })}
        />
      }
    >
      <div className={styles.home} data-dimmed={isPlaceholderData || undefined}>
        {error && <ErrorPanel error={error} retry={() => void refetch()} />}
        {!data && !error && <HomeSkeleton />}
        {data && fresh && <FirstUse />}
        {data && !fresh && (
          <>
            {needs.length > 0 ? <Needs needs={needs} more={more} /> : <Calm lastFailure={data.lastFailure} />}
            <MutedNeeds
              count={data.mutedNeeds}
              project={project}
              open={muted === 'shown'}
              onOpen={(open) => setSearch({ muted: open ? 'shown' : undefined }, { push: true })}
            />
            <Counters counters={data.counters} project={project} />
            <div className={styles.columns}>
              <RunsChart runs={data.runs} project={project} />
              <NextTicks ticks={data.nextTicks} due={data.dueSchedules} />
              <Watched watched={watched} />
              <Changes changes={data.changes.filter(({ at }) => isNew(at))} />
            </div>
          </>
        )}
      </div>
    </Frame>
  );
}
