/** What the server finds for the palette, asked for when typing has paused for 80 ms. */
import { useDebouncedValue } from '@mantine/hooks';
import { useApi } from '../../data/api.ts';
import type { Entry } from './entries.ts';

const PAUSE = 80;

/** The exact one first; only nodes where only they are asked for. */
export function useFound(typed: string, onlyNodes: boolean): readonly Entry[] {
  const [q] = useDebouncedValue(typed, PAUSE);
  const { data } = useApi('search', q === '' ? null : { q }, { keep: true });
  if (!data || q === '') return [];
  const { exact } = data;
  const isExact = ({ kind, id }: (typeof data.hits)[number]) => kind === exact?.kind && id === exact.id;
  const hits = exact ? [exact, ...data.hits.filter((hit) => !isExact(hit))] : data.hits;
  return hits
    .filter(({ kind }) => !onlyNodes || kind === 'master' || kind === 'worker')
    .map(({ kind, id, title, address }) => ({
      id: `found ${kind} ${id}`,
      kind: kind === 'master' || kind === 'worker' ? 'node' : 'found',
      label: title,
      detail: title === id ? kind : `${kind} ${id}`,
      to: address,
    }));
}
