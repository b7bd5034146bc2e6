/** Masters and workers: whether each is alive, what it holds, and what can be done with it. */
import { nodeAddress, runsAddress, workerGroupAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useLanguage, useText } from '../../i18n/text.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Meter } from '../../parts/meter.tsx';
import { Section } from '../../parts/section.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Deeds } from './deeds.tsx';

type Answer = AnswerOf<'listNodes'>;
type Master = Answer['masters'][number];
type Worker = Answer['workers'][number];

/** Beats are in no topic, since every node would fill it. */
export const EVERY = 3_000;

/** How masters divide the schedules. */
export const modeWords = { scope: 'cluster.mode.scope', claim: 'cluster.mode.claim' } as const;

/** Whether a node takes part as a master, and does not only serve the API. */
export const isMaster = ({ roles }: Master) => roles.includes('master');

/** What needs someone comes first. */
const order = ['silent', 'unhealthy', 'paused', 'draining', 'alive', 'gone'];
const worstFirst = (a: Master | Worker, b: Master | Worker) =>
  order.indexOf(a.state) - order.indexOf(b.state) || a.id.localeCompare(b.id);

export function Nodes() {
  const text = useText();
  const query = useApi('listNodes', {}, { every: EVERY });
  const workers = query.data?.workers.toSorted(worstFirst) ?? [];
  const nodes = query.data?.masters.toSorted(worstFirst) ?? [];
  const servers = nodes.filter((node) => !isMaster(node));
  return (
    <>
      <Section title={text('cluster.masters')} query={query}>
        <Masters masters={nodes.filter(isMaster)} />
      </Section>
      {servers.length > 0 && (
        <Section title={text('cluster.servers')}>
          <Servers servers={servers} />
        </Section>
      )}
      {query.data && (
        <Section title={text('cluster.workers')}>
          {workers.length === 0 ? (
            <EmptyState title={text('groups.noWorkers')} commands={['orrery server --role worker']} />
          ) : (
            <Workers workers={workers} />
          )}
        </Section>
      )}
    </>
  );
}

/** How many schedules each master fires, by plan or by claims, and how many it may. */
function useHoldings() {
  const text = useText();
  const { data: cluster } = useApi('showCluster', {}, { every: EVERY });
  const isClaim = cluster?.mode === 'claim';
  const { data: ownership } = useApi('showOwnership', isClaim ? {} : null, { every: EVERY });
  return (id: string) => {
    const claimant = ownership?.masters.find((one) => one.id === id);
    if (isClaim && claimant)
      return claimant.state === 'dead'
        ? ''
        : text('cluster.share', { held: claimant.held, limit: claimant.limit });
    return cluster?.masters.find((one) => one.id === id)?.share ?? '';
  };
}

/** The columns that tables of nodes share. */
function useNodeColumns() {
  const text = useText();
  const node: readonly TableColumn<Master | Worker>[] = [
    {
      label: text('cluster.node'),
      head: true,
      cell: ({ id }) => <Link to={nodeAddress(id)}>{id}</Link>,
    },
    { label: text('schedules.state'), cell: ({ state }) => <StateBadge state={state} /> },
  ];
  const address: TableColumn<Master> = {
    label: text('cluster.address'),
    cell: ({ address }) => <code>{address}</code>,
  };
  const beat: TableColumn<Master | Worker> = {
    label: text('cluster.beat'),
    cell: ({ beatAt }) => <Time at={beatAt} />,
  };
  return { node, address, beat };
}

export function Masters({ masters }: { masters: readonly Master[] }) {
  const { text, sentence } = useLanguage();
  const { data: cluster } = useApi('showCluster', {}, { every: EVERY });
  const holdings = useHoldings();
  const { node, address, beat } = useNodeColumns();
  return (
    <Table<Master>
      label={text('cluster.masters')}
      rows={masters}
      keyOf={({ id, epoch }) => `${id} ${epoch}`}
      columns={[
        ...node,
        address,
        { label: text('cluster.progress'), cell: ({ progressAt }) => <Time at={progressAt} /> },
        beat,
        {
          label: text('cluster.runs'),
          end: true,
          cell: ({ id, runs }) => <Link to={runsAddress({ owner: id })}>{runs}</Link>,
        },
        { label: text('cluster.schedules'), end: true, cell: ({ id }) => holdings(id) },
        {
          label: text('cluster.why'),
          cell: ({ id, reason, clockFault }) =>
            [cluster?.leader === id && `★ ${text('cluster.leads')}`]
              .concat([reason, clockFault].map((one) => one !== null && sentence(one)))
              .filter(Boolean)
              .join(' · '),
        },
        { label: text('cluster.epoch'), end: true, cell: ({ epoch }) => epoch },
        { label: '', tight: true, cell: (row) => <Deeds node={row} /> },
      ]}
    />
  );
}

/** Nodes that only serve the API and the console. */
export function Servers({ servers }: { servers: readonly Master[] }) {
  const text = useText();
  const { node, address, beat } = useNodeColumns();
  return (
    <Table<Master>
      label={text('cluster.servers')}
      rows={servers}
      keyOf={({ id, epoch }) => `${id} ${epoch}`}
      columns={[
        ...node,
        address,
        beat,
        { label: '', tight: true, cell: (row) => row.state === 'gone' && <Deeds node={row} /> },
      ]}
    />
  );
}

export function Workers({ workers }: { workers: readonly Worker[] }) {
  const { text, sentence } = useLanguage();
  const { node, beat } = useNodeColumns();
  return (
    <Table<Worker>
      label={text('cluster.workers')}
      rows={workers}
      keyOf={({ id, epoch }) => `${id} ${epoch}`}
      wordsOf={({ id, groups }) => [id, ...groups].join(' ')}
      columns={[
        ...node,
        {
          label: text('groups.workers'),
          cell: ({ groups }) =>
            groups.map((group) => (
              <span key={group}>
                <Link to={workerGroupAddress(group)}>{group}</Link>{' '}
              </span>
            )),
        },
        {
          label: text('groups.held'),
          cell: ({ id, used, slots }) => {
            const said = text('groups.slotsOf', { held: used, slots });
            return (
              <Meter held={used} slots={slots} said={said}>
                <Link to={runsAddress({ worker: id })}>{said}</Link>
              </Meter>
            );
          },
        },
        { label: text('cluster.progress'), cell: ({ progressAt }) => <Time at={progressAt} /> },
        beat,
        { label: text('cluster.load'), cell: ({ load }) => load && <Load load={load} /> },
        { label: text('cluster.why'), cell: ({ unhealthy }) => unhealthy && sentence(unhealthy.reason) },
        { label: text('cluster.epoch'), end: true, cell: ({ epoch }) => epoch },
        { label: '', tight: true, cell: (row) => <Deeds node={row} /> },
      ]}
    />
  );
}

/** How busy the machine of a worker is. */
function Load({ load: { cpu, memory } }: { load: NonNullable<Worker['load']> }) {
  const text = useText();
  const percent = (share: number) => Math.round(100 * share);
  return text('cluster.loadOf', { cpu: percent(cpu), memory: percent(memory) });
}
