/** What the palette knows: pages, recent ones, the actions of this page, ids, and what the server finds. */
import { useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import { bindingsNow } from '../../parts/keys/use-keys.ts';
import { addressOfId } from '../addresses.ts';
import { pages } from '../routes.tsx';
import { type Entry, joined, type Query, ranked } from './entries.ts';
import { recentVisits } from './recent.ts';
import { useFound } from './use-found.ts';

const MOST = 20;

export function useEntries({ scope, text: typed }: Query): readonly Entry[] {
  const text = useText();
  const [actions] = useState(() =>
    bindingsNow()
      .filter(({ onlyKey }) => !onlyKey)
      .map(
        ({ keys, label, refused, run }): Entry => ({
          id: `action ${keys}`,
          kind: 'action',
          label,
          keys,
          refused,
          run: () => run(),
        }),
      ),
  );
  const [recent] = useState(() =>
    recentVisits().map(
      ({ title, to }): Entry => ({ id: `recent ${to}`, kind: 'recent', label: title, detail: to, to }),
    ),
  );
  const found = useFound(scope === 'all' || scope === 'nodes' ? typed : '', scope === 'nodes');
  if (scope === 'why') return [];
  if (scope === 'actions') return ranked(actions, typed, MOST);
  if (scope === 'nodes') return found;
  const address = addressOfId(typed);
  const id: readonly Entry[] =
    address === null
      ? []
      : [
          {
            id: 'id',
            kind: 'id',
            label: text('palette.openId', { id: typed }),
            detail: address,
            to: address,
          },
        ];
  if (scope === 'ids') return id;
  const places = pages.flatMap(({ path, nav }): Entry[] =>
    nav ? [{ id: `page ${path}`, kind: 'page', label: text(nav.label), keys: `g ${nav.key}`, to: path }] : [],
  );
  const known =
    typed === '' ? [...recent.slice(1, 6), ...places, ...actions] : [...places, ...recent, ...actions];
  return joined([...id, ...ranked(known, typed, MOST)], found);
}
