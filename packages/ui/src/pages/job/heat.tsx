/** What each shard of a large job did at its last ticks. A cell opens its shard. */
import { useMemo } from 'react';
import { useApi } from '../../data/api.ts';
import { usePreferences } from '../../data/preferences.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { stateAt } from '../../model/grid.ts';
import { isShardSought } from '../../model/shard-bands.ts';
import { failedAt, heatGrid } from '../../model/shard-heat.ts';
import { absoluteTime, duration, zoneOf } from '../../model/time.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import styles from '../jobs/jobs.module.css';
import { GridView } from '../workflow/grid-view.tsx';
import type { Job } from './job.ts';

/** A tick is over before it is shown. */
const EVERY = 5_000;

export function Heat({ job, sought, onOpen }: { job: Job; sought: string; onOpen(sought: string): void }) {
  const { text, units } = useLanguage();
  const { zone } = usePreferences();
  const { center, name, shardList } = job;
  const { data, error, refetch } = useApi('showJobHeat', { center, job: name }, { every: EVERY });
  const rows = useMemo(() => {
    const failed = failedAt((sought === 'failed' && data?.ticks) || []);
    return shardList
      .filter((one) => isShardSought(one, sought) || failed.has(one.shard))
      .map(({ shard }) => shard);
  }, [shardList, sought, data]);
  const grid = useMemo(
    () => data && heatGrid(data.ticks, rows, (shard) => text('job.shardOf', { shard })),
    [data, rows, text],
  );
  if (error && !data) return <ErrorPanel error={error} retry={() => void refetch()} />;
  if (!grid) return <SkeletonBlock height={320} />;
  if (grid.runs.length === 0 || rows.length === 0) return <EmptyState title={text('job.noHistory')} />;
  const tell = ({ run, task }: { run: number; task: number }) => {
    const { startedAt, duration: took, state } = grid.runs[run];
    const at = absoluteTime(Date.parse(startedAt ?? ''), zoneOf(zone));
    return task < 0
      ? text('job.heat.tick', { at, state, took: duration(took ?? 0, units) })
      : text('job.heat.cell', { at, shard: grid.tasks[task], state: stateAt(grid, run, task) });
  };
  return (
    <div className={styles.heat}>
      <GridView
        grid={grid}
        colour="state"
        task={undefined}
        words={{ title: text('job.heat', { count: grid.runs.length }), tell }}
        onTask={() => {}}
        onOpenRun={() => {}}
        onOpenTask={(_, shard) => onOpen(String(rows[grid.tasks.indexOf(shard)]))}
      />
    </div>
  );
}
