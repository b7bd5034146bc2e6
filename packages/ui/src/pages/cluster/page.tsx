/** Cluster: who is alive, what do they hold, and is it safe to touch? */
import { Button } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { nodeAddress, runsAddress, workerGroupAddress } from '../../app/addresses.ts';
import { Link, useGo } from '../../app/link.tsx';
import { useAction, useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useTellSame } from '../../data/same-as.ts';
import { useLanguage, useText } from '../../i18n/text.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Command } from '../../parts/copy.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { notify } from '../../parts/notices.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import styles from '../../parts/section.module.css';
import { Section } from '../../parts/section.tsx';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

type Nodes = AnswerOf<'listNodes'>;
const deedWords = {
  drain: 'cluster.drain',
  undrain: 'cluster.undrain',
  forget: 'cluster.forget',
} as const;

type Deed = keyof typeof deedWords;

/** Beats are told by no topic, or every node would fill it. */
const EVERY = 3_000;

export function Page() {
  const { text, sentence } = useLanguage();
  const { id } = useParams({ strict: false }) as { id?: string };
  const query = useApi('listNodes', {}, { every: EVERY });
  const { data } = query;
  const [asked, setAsked] = useState<{ readonly deed: Deed; readonly node: string } | null>(null);
  useTellSame({ request: '/nodes', command: 'orrery nodes list' });
  const ask = (deed: Deed, node: string) => setAsked({ deed, node });
  const alive = (of: readonly { readonly state: string }[]) =>
    of.filter(({ state }) => state === 'alive').length;
  const masters = data?.masters.filter((one) => id === undefined || one.id === id) ?? [];
  const workers = data?.workers.filter((one) => id === undefined || one.id === id) ?? [];
  return (
    <Frame
      title={id ?? text('nav.cluster')}
      crumbs={
        id === undefined
          ? [{ label: text('nav.cluster') }]
          : [{ label: text('nav.cluster'), to: '/cluster' }, { label: id }]
      }
      lines={
        data && (
          <p>
            {text('cluster.sum', {
              masters: alive(data.masters),
              allMasters: data.masters.length,
              workers: alive(data.workers),
              allWorkers: data.workers.length,
            })}
          </p>
        )
      }
    >
      <div className={styles.body}>
        {id !== undefined && data && masters.length + workers.length === 0 && (
          <EmptyState title={text('cluster.noNode', { id })} />
        )}
        {(masters.length > 0 || !data) && (
          <Section title={text('cluster.masters')} query={query}>
            <Table
              label={text('cluster.masters')}
              rows={masters}
              keyOf={({ id: node, epoch }) => `${node} ${epoch}`}
              columns={[
                {
                  label: text('cluster.node'),
                  head: true,
                  cell: ({ id: node }) => <Link to={nodeAddress(node)}>{node}</Link>,
                },
                { label: text('schedules.state'), cell: ({ state }) => <StateBadge state={state} /> },
                { label: text('cluster.address'), cell: ({ address }) => <code>{address}</code> },
                { label: text('cluster.beat'), cell: ({ beatAt }) => <Time at={beatAt} /> },
                {
                  label: text('cluster.runs'),
                  end: true,
                  cell: ({ id: node, runs }) => <Link to={runsAddress({ owner: node })}>{runs}</Link>,
                },
                {
                  label: text('cluster.why'),
                  cell: ({ reason, clockFault }) =>
                    [reason, clockFault]
                      .map((one) => one && sentence(one))
                      .filter(Boolean)
                      .join(' · '),
                },
                { label: text('cluster.epoch'), end: true, cell: ({ epoch }) => epoch },
                { label: '', tight: true, cell: (node) => <Deeds node={node} onAsk={ask} /> },
              ]}
            />
          </Section>
        )}
        {(workers.length > 0 || (data && id === undefined)) && (
          <Section title={text('cluster.workers')}>
            {workers.length === 0 && (
              <EmptyState title={text('groups.noWorkers')} commands={['orrery server --role worker']} />
            )}
            {workers.length > 0 && (
              <Table
                label={text('cluster.workers')}
                rows={workers}
                keyOf={({ id: node, epoch }) => `${node} ${epoch}`}
                columns={[
                  {
                    label: text('cluster.node'),
                    head: true,
                    cell: ({ id: node }) => <Link to={nodeAddress(node)}>{node}</Link>,
                  },
                  { label: text('schedules.state'), cell: ({ state }) => <StateBadge state={state} /> },
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
                    cell: ({ id: node, used, slots }) => (
                      <Link to={runsAddress({ worker: node })}>
                        {text('groups.slotsOf', { held: used, slots })}
                      </Link>
                    ),
                  },
                  { label: text('cluster.beat'), cell: ({ beatAt }) => <Time at={beatAt} /> },
                  {
                    label: text('cluster.why'),
                    cell: ({ unhealthy }) => unhealthy && sentence(unhealthy.reason),
                  },
                  { label: '', tight: true, cell: (node) => <Deeds node={node} onAsk={ask} /> },
                ]}
              />
            )}
          </Section>
        )}
        {id !== undefined && masters[0] && (
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
      {asked && <Question {...asked} onClose={() => setAsked(null)} />}
    </Frame>
  );
}

/** What suits the state of a node. */
function Deeds({
  node: { id, state },
  onAsk,
}: {
  node: Nodes['masters'][number] | Nodes['workers'][number];
  onAsk(deed: Deed, node: string): void;
}) {
  const text = useText();
  const deed: Deed = state === 'draining' ? 'undrain' : state === 'gone' ? 'forget' : 'drain';
  return (
    <Button
      size="compact-xs"
      aria-label={text('cluster.deedOf', { deed: text(deedWords[deed]), node: id })}
      onClick={() => onAsk(deed, id)}
    >
      {text(deedWords[deed])}
    </Button>
  );
}

/** Says first what would happen; what is not safe is refused with the sum. */
function Question({ deed, node, onClose }: { deed: Deed; node: string; onClose(): void }) {
  const text = useText();
  const go = useGo();
  const would = useApi('drainNode', deed === 'drain' ? { node, body: { dryRun: true } } : null);
  const drain = useAction('drainNode', ['listNodes']);
  const undrain = useAction('undrainNode', ['listNodes']);
  const forget = useAction('forgetNode', ['listNodes']);
  const pending = drain.isPending || undrain.isPending || forget.isPending;
  const after = {
    onSuccess: () => {
      notify(text('cluster.done', { deed: text(deedWords[deed]), node }), 'good');
      onClose();
      if (deed === 'forget') go('/cluster');
    },
    onError: (error: Error) => notify(error.message, 'bad'),
  };
  const confirm = () => {
    if (deed === 'drain') drain.mutate({ node, body: {} }, after);
    else if (deed === 'undrain') undrain.mutate({ node }, after);
    else forget.mutate({ node, body: {} }, after);
  };
  return (
    <Confirm
      title={text('cluster.deedOf', { deed: text(deedWords[deed]), node })}
      deed={text(deedWords[deed])}
      pending={pending}
      onConfirm={confirm}
      onClose={onClose}
    >
      {deed === 'drain' && would.error && <ErrorPanel error={would.error} />}
      {deed === 'drain' && !would.data && !would.error && <SkeletonBlock height={40} />}
      {would.data && (
        <p>
          {text('cluster.would', { runs: would.data.runs, attempts: would.data.attempts })} {would.data.sum}
        </p>
      )}
      {deed !== 'drain' && <p>{text(deed === 'undrain' ? 'cluster.undrainNote' : 'cluster.forgetNote')}</p>}
      <Command line={`orrery nodes ${deed} ${node}`} />
    </Confirm>
  );
}
