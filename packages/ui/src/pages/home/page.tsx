/** Home: is anything wrong, and what do I do next? */
import { textField } from '../../app/search-fields.ts';
import { useSearch } from '../../app/use-search.ts';
import { useApi } from '../../data/api.ts';
import { useText } from '../../i18n/text.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import { ProjectMenu } from '../../parts/project-menu.tsx';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import { Changes } from './changes.tsx';
import { Counters } from './counters.tsx';
import { FirstUse } from './first-use.tsx';
import styles from './home.module.css';
import { Needs } from './needs.tsx';
import { NextTicks } from './next-ticks.tsx';
import { RunsChart } from './runs-chart.tsx';
import { Watched } from './watched.tsx';

const fields = { project: textField() };

export function Page() {
  const text = useText();
  const [{ project }, setSearch] = useSearch(fields);
  const { data, error, refetch } = useApi('showOverview', { project });
  const { data: workflows } = useApi('listWorkflows', { project, include: ['strip', 'next'], limit: 8 });
  const count = data ? data.needs.length + data.moreNeeds : 0;
  const idle = workflows?.workflows.every(({ strip }) => strip?.runs.length === 0) ?? false;
  const fresh = idle && count === 0 && data?.lastFailure === null;
  const title = !data ? text('nav.home') : count > 0 ? text('home.needs', { count }) : text('home.calm');
  return (
    <Frame
      title={title}
      crumbs={[{ label: text('nav.home') }]}
      actions={
        <ProjectMenu
          project={project}
          onChange={(chosen) => setSearch({ project: chosen }, { push: true })}
        />
      }
    >
      <div className={styles.home}>
        {error && <ErrorPanel error={error} retry={() => void refetch()} />}
        {!data && !error && <SkeletonBlock height={480} />}
        {data && fresh && <FirstUse />}
        {data && !fresh && (
          <>
            <Needs needs={data.needs} more={data.moreNeeds} lastFailure={data.lastFailure} />
            <Counters counters={data.counters} />
            <div className={styles.columns}>
              <RunsChart runs={data.runs} project={project} />
              <NextTicks ticks={data.nextTicks} />
              <Watched rows={workflows?.workflows} project={project} />
              <Changes changes={data.changes} />
            </div>
          </>
        )}
      </div>
    </Frame>
  );
}
