/** The server's results for the palette, requested once typing has paused for 80 ms. */
import { useDebouncedValue } from '@mantine/hooks';
import { useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import type { Key } from '../../i18n/en.ts';
import type { Entry } from './entries.ts';

const PAUSE = 80;

type Hit = AnswerOf<'search'>['hits'][number];

const words: Readonly<Record<Hit['kind'], Key>> = {
  workflow: 'palette.workflow',
  schedule: 'palette.schedule',
  run: 'palette.run',
  'task-run': 'palette.taskRun',
  attempt: 'palette.attempt',
  master: 'palette.master',
  worker: 'palette.worker',
  'worker-group': 'palette.workerGroup',
  'task-group': 'palette.taskGroup',
  bulk: 'palette.bulk',
};

/** What was found, and whether that is all there is. */
export interface Finds {
  readonly entries: readonly Entry[];
  /** `looking` while the answer for the typed text is in flight, `failed` if there is none. */
  readonly state: 'settled' | 'looking' | 'failed';
}

/** The exact match first; with `onlyIds`, only ids. */
export function useFound(typed: string, onlyIds = false): Finds {
  const [q] = useDebouncedValue(typed, PAUSE);
  const { data, isPlaceholderData, failureCount } = useApi('search', q === '' ? null : { q }, { keep: true });
  if (typed === '') return { entries: [], state: 'settled' };
  const answered = q === typed && data !== undefined && !isPlaceholderData;
  const state = answered ? 'settled' : failureCount > 0 && q === typed ? 'failed' : 'looking';
  if (!data || q === '') return { entries: [], state };
  const { exact } = data;
  const isExact = ({ kind, id }: Hit) => kind === exact?.kind && id === exact.id;
  const hits = exact ? [exact, ...data.hits.filter((hit) => !isExact(hit))] : data.hits;
  const entries = hits
    .filter(({ kind }) => !onlyIds || ['run', 'task-run', 'attempt', 'bulk'].includes(kind))
    .map(
      ({ kind, id, title, address }): Entry => ({
        id: `found ${kind} ${id}`,
        kind: words[kind] ?? 'palette.id',
        label: title,
        detail: title.includes(id) ? undefined : id,
        to: address,
      }),
    );
  return { entries, state };
}
