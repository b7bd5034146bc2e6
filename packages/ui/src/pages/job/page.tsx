/** Job: which instance runs each shard, and what happened to the rest. */
import { useParams } from '@tanstack/react-router';
import { jobAddress } from '../../app/addresses.ts';
import { useApi } from '../../data/api.ts';
import { useTellSame } from '../../data/same-as.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { quoted } from '../../model/again.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { Page as Frame } from '../../parts/page.tsx';
import { useScheduleWords } from '../../parts/schedule-when.ts';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import styles from '../jobs/jobs.module.css';
import { History } from './history.tsx';
import { Instances } from './instances.tsx';
import { EVERY, type Job } from './job.ts';
import { Settings } from './settings.tsx';
import { Shards } from './shards.tsx';
import { useJobActions } from './use-job-actions.tsx';

const tabWords = {
  shards: 'job.tab.shards',
  instances: 'job.tab.instances',
  history: 'job.tab.history',
  config: 'job.tab.config',
} as const;
const tabs = Object.keys(tabWords) as (keyof typeof tabWords)[];

export function Page() {
  const { text } = useLanguage();
  const { center = '', job: name = '', tab: asked } = useParams({ strict: false }) as Record<string, string>;
  const query = useApi('showJob', { center, job: name }, { every: EVERY });
  const { data: job } = query;
  const full = `${center}/${name}`;
  const tab = tabs.find((one) => one === asked) ?? 'shards';
  const actions = useJobActions(job);
  useKeys(actions.keys);
  useTellSame({
    request: `/jobs/${encodeURIComponent(center)}/${encodeURIComponent(name)}`,
    command: `orrery jobs ${tab === 'config' || tab === 'shards' ? tab : 'show'} ${quoted(full)}`,
  });
  return (
    <Frame
      fixed
      title={full}
      crumbs={[{ label: text('nav.jobs'), to: '/jobs' }, { label: full }]}
      actions={actions.buttons}
      lines={
        <>
          {job && <Facts job={job} />}
          <Tabs
            label={text('job.tabs')}
            current={tab}
            tabs={tabs.map((one) => ({
              name: one,
              label: text(tabWords[one]),
              to: jobAddress(center, name, one === 'shards' ? undefined : one),
            }))}
          />
        </>
      }
    >
      {!job && query.error && <ErrorPanel error={query.error} retry={() => void query.refetch()} />}
      {!job && !query.error && <SkeletonRows />}
      {job && tab === 'shards' && <Shards job={job} act={actions} />}
      {job && tab === 'instances' && <Instances job={job} act={actions} />}
      {job && tab === 'history' && <History job={job} />}
      {job && tab === 'config' && <Settings key={full} job={job} />}
      {actions.question}
    </Frame>
  );
}

function Facts({ job }: { job: Job }) {
  const { text } = useLanguage();
  const words = useScheduleWords();
  const { status, cron, timezone, nextTick, shards, running, instances, mark, faults } = job;
  return (
    <>
      <div className={styles.facts}>
        <StateBadge state={status} />
        <span>
          {cron === null ? text('job.onTrigger') : words({ cron, timezone: timezone ?? 'UTC' }, true)}
        </span>
        {nextTick !== null && (
          <span>
            {text('job.next')} <Time at={nextTick} focusable />
          </span>
        )}
        <span>{text('job.sum', { shards, running, instances })}</span>
      </div>
      {faults.map((fault) => (
        <p key={fault} className={styles.note} data-family="failed">
          {text('job.fault', { fault })}
        </p>
      ))}
      {instances === 0 && (
        <p className={styles.note} data-family="failed">
          {text('job.noInstance')}
        </p>
      )}
      {mark && instances > 0 && (
        <p className={styles.note}>
          {text('job.mark', { reasons: mark.reasons.join('; ') })} <Time at={mark.since} />
        </p>
      )}
    </>
  );
}
