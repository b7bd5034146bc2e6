/** One node: its state, its attempts, its history, and its settings. */
import { useApi } from '../../data/api.ts';
import { useTellSame } from '../../data/same-as.ts';
import { useText } from '../../i18n/text.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import styles from '../../parts/section.module.css';
import { Section } from '../../parts/section.tsx';
import { Table } from '../../parts/table.tsx';
import { History } from './history.tsx';
import { EVERY, isMaster, Masters, Servers, Workers } from './nodes.tsx';
import { Slots } from './slots.tsx';

export function NodePage({ id }: { id: string }) {
  const text = useText();
  const query = useApi('listNodes', {}, { every: EVERY });
  useTellSame({ request: '/nodes', command: 'orrery nodes list' });
  const masters = query.data?.masters.filter((one) => one.id === id) ?? [];
  const workers = query.data?.workers.filter((one) => one.id === id) ?? [];
  return (
    <Frame title={id} crumbs={[{ label: text('nav.cluster'), to: '/cluster' }, { label: id }]}>
      <div className={styles.body}>
        {query.data && masters.length + workers.length === 0 && (
          <EmptyState title={text('cluster.noNode', { id })} />
        )}
        {(masters.length > 0 || !query.data) && (
          <Section title={text('cluster.masters')} query={query}>
            {masters.every(isMaster) ? <Masters masters={masters} /> : <Servers servers={masters} />}
          </Section>
        )}
        {workers.length > 0 && (
          <>
            <Section title={text('cluster.workers')}>
              <Workers workers={workers} />
            </Section>
            {workers.map((worker) => (
              <Slots key={worker.epoch} worker={worker} />
            ))}
          </>
        )}
        <History node={id} />
        {masters[0] && (
          <Section title={text('cluster.settings')}>
            <Table
              label={text('cluster.settings')}
              rows={Object.entries(masters[0].settings)}
              keyOf={([name]) => name}
              columns={[
                { label: text('settings.name'), head: true, cell: ([name]) => <code>{name}</code> },
                { label: text('settings.value'), cell: ([, value]) => <code>{value}</code> },
              ]}
            />
          </Section>
        )}
      </div>
    </Frame>
  );
}
