/** Cluster: live nodes, who fires what, recent events, and whether it is safe to intervene. */
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useTellSame } from '../../data/same-as.ts';
import type { Key } from '../../i18n/en.ts';
import { useLanguage, useText } from '../../i18n/text.tsx';
import { Command } from '../../parts/copy.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import styles from '../../parts/section.module.css';
import { Tabs } from '../../parts/tabs.tsx';
import { History } from './history.tsx';
import { NodePage } from './node.tsx';
import { EVERY, isMaster, modeWords, Nodes } from './nodes.tsx';
import { PlanSection } from './plan.tsx';

const sections = {
  nodes: ['cluster.nodes', Nodes, '/nodes', 'orrery nodes list'],
  plan: ['cluster.plan', PlanSection, '/plans', 'orrery plan'],
  history: ['cluster.history', History, '/cluster/events', 'orrery cluster events'],
} as const satisfies Record<string, readonly [Key, (props: object) => ReactNode, string, string]>;

type SectionName = keyof typeof sections;

export function Page() {
  const { id, section } = useParams({ strict: false }) as { id?: string; section?: string };
  if (id !== undefined) return <NodePage id={id} />;
  const name = section !== undefined && Object.hasOwn(sections, section) ? (section as SectionName) : 'nodes';
  return <ClusterPage name={name} />;
}

function ClusterPage({ name }: { name: SectionName }) {
  const text = useText();
  const [label, Body, request, command] = sections[name];
  useTellSame({ request, command });
  const here = text('nav.cluster');
  return (
    <Frame
      title={here}
      crumbs={
        name === 'nodes' ? [{ label: here }] : [{ label: here, to: '/cluster' }, { label: text(label) }]
      }
      lines={
        <>
          <Lines />
          <Tabs
            label={text('cluster.sections')}
            current={name}
            tabs={(Object.keys(sections) as SectionName[]).map((one) => ({
              name: one,
              label: text(sections[one][0]),
              to: one === 'nodes' ? '/cluster' : `/cluster/${one}`,
            }))}
          />
        </>
      }
    >
      <div className={styles.body}>
        <Body />
      </div>
    </Frame>
  );
}

/** The state of the cluster: live nodes, leaders, and problems. */
function Lines() {
  const { text, sentence } = useLanguage();
  const { data: nodes } = useApi('listNodes', {}, { every: EVERY });
  const { data: cluster } = useApi('showCluster', {}, { every: EVERY });
  if (!nodes || !cluster) return null;
  const { registry, leader, plan, mode, problems } = cluster;
  const masters = nodes.masters.filter(isMaster);
  const facts = [
    text('cluster.sum', {
      masters: alive(masters),
      allMasters: masters.length,
      workers: alive(nodes.workers),
      allWorkers: nodes.workers.length,
    }),
    registry
      ? text('cluster.registry', {
          server: registry.server,
          timeout: registry.sessionTimeout,
          onLoss: registry.onLoss,
        })
      : text('cluster.noRegistry'),
    ...(registry && mode === 'scope'
      ? [leader === null ? text('cluster.noLeader') : text('cluster.leader', { leader })]
      : []),
    text(modeWords[mode]),
    ...(plan ? [text('cluster.planNow', { number: plan.number })] : []),
  ];
  return (
    <>
      <p>{facts.join(' · ')}</p>
      {problems.map((problem) => (
        <p key={problem} role="alert">
          {sentence(problem)}
        </p>
      ))}
      {isEmbedded(nodes) && (
        <>
          <p className="dim">{text('cluster.embedded')}</p>
          <Command line="orrery server --role worker" />
        </>
      )}
    </>
  );
}

function alive(nodes: readonly { readonly state: string }[]): number {
  return nodes.filter(({ state }) => state === 'alive').length;
}

/** One process is all there is: master and API in one node. */
function isEmbedded({ masters }: AnswerOf<'listNodes'>): boolean {
  return masters.length === 1 && masters[0].roles.length > 1;
}
