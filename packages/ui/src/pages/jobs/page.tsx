/** Jobs: the elastic jobs, and whether an instance runs each. */
import { useMemo } from 'react';
import { jobAddress } from '../../app/addresses.ts';
import { Link, useGo } from '../../app/link.tsx';
import { formatQuery, listOf, textField } from '../../app/search-fields.ts';
import { useSearch } from '../../app/use-search.ts';
import { useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useTellSame } from '../../data/same-as.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { exact } from '../../model/number.ts';
import { CutName } from '../../parts/cut-name.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { ListBody } from '../../parts/list/list-body.tsx';
import { useList, wholeRows } from '../../parts/list/use-list.ts';
import type { Column } from '../../parts/list/virtual-list.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import styles from './jobs.module.css';

type Row = AnswerOf<'listJobs'>['jobs'][number];

const statuses = ['ok', 'disabled', 'idle', 'crashed', 'resharding', 'broken'] as const;
const fields = { q: textField(), center: textField(), status: listOf(statuses) };
const idOf = ({ center, name }: Row) => `${center}/${name}`;
/** No live topic tells of registries. */
const EVERY = 3_000;

const SNIPPET = `import { elastic } from 'orrery-scheduler/elastic';

const jobs = await elastic({ registry: 'postgres://db/app', namespace: 'billing' });
await jobs.schedule({
  name: 'settle',
  cron: '0 0/5 * * * ?',
  shards: 10,
  failover: true,
  run: async ({ shard, parameter, signal, token }) => {
    // the work of one shard
  },
});`;

export function Page() {
  const { text, locale } = useLanguage();
  const go = useGo();
  const [search, setSearch] = useSearch(fields);
  const query = useApi('listJobs', {}, { every: EVERY });
  const { q = '', center, status } = search;
  const all = useMemo(
    () =>
      query.data?.jobs.filter(
        (job) =>
          idOf(job).toLowerCase().includes(q.toLowerCase()) &&
          (center === undefined || job.center === center) &&
          (status === undefined || status.includes(job.status)),
      ),
    [query.data, q, center, status],
  );
  const list = useList(wholeRows(query, all, formatQuery({ q, center, status: status?.join() })), {
    idOf,
    onOpen: (row) => go(jobAddress(row.center, row.name)),
  });
  useTellSame({ request: '/jobs', command: 'orrery jobs list' });
  const centers = query.data?.centers ?? [];
  const filters: readonly FilterField[] = [
    { name: 'q', label: text('jobs.name') },
    { name: 'center', label: text('jobs.namespace'), values: centers.map(({ name }) => name) },
    { name: 'status', label: text('jobs.status'), many: true, values: statuses },
  ];
  const columns: readonly Column<Row>[] = [
    {
      id: 'status',
      label: text('jobs.status'),
      width: '112px',
      cell: (row) => <StateBadge state={row.status} />,
    },
    {
      id: 'job',
      label: text('jobs.job'),
      width: 'minmax(140px, 2fr)',
      cell: (row) => (
        <Link to={jobAddress(row.center, row.name)} tabIndex={-1}>
          <CutName name={idOf(row)} />
        </Link>
      ),
    },
    {
      id: 'shards',
      label: text('jobs.shards'),
      width: 'minmax(96px, 1fr)',
      cell: ({ shards, unowned }) => (
        <span data-family={unowned > 0 ? 'failed' : undefined} className={styles.count}>
          {unowned > 0 ? text('jobs.unowned', { shards, unowned }) : exact(shards, locale)}
        </span>
      ),
    },
    {
      id: 'running',
      label: text('jobs.running'),
      width: '72px',
      end: true,
      cell: ({ running }) => exact(running, locale),
    },
    {
      id: 'instances',
      label: text('jobs.instances'),
      width: '72px',
      end: true,
      cell: ({ instances }) => exact(instances, locale),
    },
    {
      id: 'next',
      label: text('jobs.next'),
      width: '144px',
      cell: ({ nextTick }) => (nextTick === null ? '–' : <Time at={nextTick} />),
    },
    {
      id: 'cron',
      label: text('jobs.cron'),
      width: 'minmax(120px, 1fr)',
      cell: ({ cron, fault }) => (fault === null ? <code>{cron ?? '–'}</code> : fault),
    },
  ];
  const set = filters.filter(({ name }) => search[name as keyof typeof fields] !== undefined);
  return (
    <Frame
      fixed
      title={text('nav.jobs')}
      crumbs={[{ label: text('nav.jobs') }]}
      lines={
        <>
          <FilterBar
            fields={filters}
            textField="q"
            search={search}
            onChange={(change) => setSearch(change)}
          />
          {centers.map(
            ({ name, error }) =>
              error !== null && (
                <p key={name} role="alert" className={styles.note} data-family="failed">
                  {text('jobs.away', { name, error })}
                </p>
              ),
          )}
        </>
      }
    >
      <ListBody
        list={list}
        label={text('nav.jobs')}
        columns={columns}
        nameOf={idOf}
        set={set}
        onDrop={(names) => setSearch(Object.fromEntries(names.map((name) => [name, undefined])))}
        empty={
          <EmptyState
            title={text(centers.length === 0 ? 'jobs.noCenter' : 'jobs.none')}
            commands={
              centers.length === 0 ? ['orrery dev --jobs billing=postgres://db/app'] : ['orrery jobs list']
            }
          >
            <div>
              <p>{text('jobs.docs')}</p>
              <p>{text('jobs.snippet')}</p>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide text scrolls, and must do so by keyboard too */}
              <pre className={styles.snippet} tabIndex={0} aria-label={text('jobs.snippet')} role="region">
                {SNIPPET}
              </pre>
            </div>
          </EmptyState>
        }
      />
    </Frame>
  );
}
