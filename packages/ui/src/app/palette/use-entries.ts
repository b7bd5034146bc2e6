/** What the palette knows: pages, recent ones, the actions of this page, ids, and what the server finds. */
import { useState } from 'react';
import { useApi } from '../../data/api.ts';
import { useLanguage, useText } from '../../i18n/text.tsx';
import { useBindings } from '../../parts/keys/use-keys.ts';
import { useStateWord } from '../../parts/state-badge.tsx';
import { addressOfId, nodeAddress, runAddress } from '../addresses.ts';
import { pages } from '../routes.tsx';
import { useNarrowed } from '../use-project.ts';
import { type Entry, joined, type Query, ranked } from './entries.ts';
import { recentVisits } from './recent.ts';
import { type Finds, useFound } from './use-found.ts';

const MOST = 20;
const NEWEST_RUNS = 8;

export function useEntries({ scope, text: typed }: Query): Finds {
  const { text, sentence } = useLanguage();
  const narrowed = useNarrowed();
  const actions = useBindings()
    .filter(({ onlyKey }) => !onlyKey)
    .map(
      ({ keys, label, refused, run }): Entry => ({
        id: `action ${keys ?? label}`,
        kind: 'palette.action',
        label,
        keys,
        refused: typeof refused === 'object' ? sentence(refused.reason ?? '', refused) : refused,
        run: () => run(),
      }),
    );
  const [recent] = useState(() =>
    recentVisits().map(
      ({ title, to }): Entry => ({
        id: `recent ${to}`,
        kind: 'palette.recent',
        label: title,
        detail: to,
        to,
      }),
    ),
  );
  const asked = scope === 'all' || scope === 'ids' ? typed : '';
  const found = useFound(asked, scope === 'ids');
  const nodes = useNodes(scope === 'nodes');
  const newest = useNewestRuns(scope === 'ids' && typed === '');
  if (scope === 'why') return settled([]);
  if (scope === 'actions') return settled(ranked(actions, typed, MOST));
  if (scope === 'nodes') return { ...nodes, entries: ranked(nodes.entries, typed, MOST) };
  const address = addressOfId(typed);
  const id: readonly Entry[] =
    address === null
      ? []
      : [
          {
            id: 'id',
            kind: 'palette.id',
            label: text('palette.openId', { id: typed }),
            detail: address,
            to: address,
          },
        ];
  if (scope === 'ids' && typed === '') {
    const seen = recent.filter(({ to = '' }) => /^\/(?:runs|task-runs)\/./.test(to));
    return { ...newest, entries: joined(seen.slice(0, MOST - NEWEST_RUNS), newest.entries) };
  }
  if (scope === 'ids') return { ...found, entries: joined(id, found.entries) };
  const places = pages.flatMap(({ path, nav }): Entry[] =>
    nav
      ? [
          {
            id: `page ${path}`,
            kind: 'palette.page',
            label: text(nav.label),
            keys: `g ${nav.key}`,
            to: narrowed(path),
          },
        ]
      : [],
  );
  const known =
    typed === '' ? [...recent.slice(1, 6), ...places, ...actions] : [...places, ...recent, ...actions];
  return { ...found, entries: joined([...id, ...ranked(known, typed, MOST)], found.entries) };
}

function settled(entries: readonly Entry[]): Finds {
  return { entries, state: 'settled' };
}

/** Every master and worker. */
function useNodes(wanted: boolean): Finds {
  const text = useText();
  const word = useStateWord();
  const { data, failureCount } = useApi('listNodes', wanted ? {} : null);
  const entry =
    (kind: 'palette.master' | 'palette.worker') =>
    ({ id, address, state }: { readonly id: string; readonly address: string; readonly state: string }) => ({
      id: `${kind} ${id}`,
      kind,
      label: text('palette.nodeAt', { id, address }),
      detail: word(state),
      to: nodeAddress(id),
    });
  const entries = [
    ...(data?.masters.map(entry('palette.master')) ?? []),
    ...(data?.workers.map(entry('palette.worker')) ?? []),
  ];
  return { entries, state: stateOf(data, failureCount) };
}

/** The runs that began last. */
function useNewestRuns(wanted: boolean): Finds {
  const text = useText();
  const word = useStateWord();
  const { data, failureCount } = useApi('listRuns', wanted ? { limit: NEWEST_RUNS } : null);
  const entries = (data?.runs ?? []).map(
    ({ id, project, name, state }): Entry => ({
      id: `run ${id}`,
      kind: 'palette.run',
      label: text('palette.runOf', { id, workflow: `${project}/${name}` }),
      detail: word(state),
      to: runAddress(id),
    }),
  );
  return { entries, state: stateOf(data, failureCount) };
}

function stateOf(data: unknown, failureCount: number): Finds['state'] {
  if (data !== undefined) return 'settled';
  return failureCount > 0 ? 'failed' : 'looking';
}
