/** What the list of runs is filtered by, each with values to choose from: those of the rows, and some from the server. */
import { runKinds, runTriggers } from '@orrery/sdk/client';
import { useState } from 'react';
import { useApi } from '../../data/api.ts';
import { useText } from '../../i18n/text.tsx';
import type { FilterField } from '../../parts/filter-bar.tsx';
import type { RunRow } from './columns.tsx';
import { ranges } from './range-select.tsx';
import { fieldWords, filterNames, orderedStates } from './runs-fields.ts';

/** Fields that take several values. */
const many: readonly string[] = ['state', 'trigger', 'version', 'param', 'tag'];

const spans = ['10s', '1m', '10m', '1h', '..10s', '..1m', '1m..10m'];

/** The fields, and what the filter bar tells while one types; the values are those of the field that is typed. */
export function useFilterFields(rowsNow: () => readonly RunRow[]) {
  const text = useText();
  const [typing, setTyping] = useState<{ field?: string; begun: string }>({ begun: '' });
  const { field, begun } = typing;
  const nodes = useApi('listNodes', field === 'owner' || field === 'worker' ? {} : null);
  const workflows = useApi(
    'listWorkflows',
    field === 'workflow' ? { q: begun || undefined, limit: 12 } : null,
    {
      keep: true,
    },
  );
  const of = (list: (row: RunRow) => readonly (string | number | null | undefined)[]) =>
    [...new Set(rowsNow().flatMap(list))].filter((value) => value != null && value !== '').map(String);
  const values: Readonly<Record<string, () => readonly string[]>> = {
    state: () => orderedStates,
    trigger: () => runTriggers,
    kind: () => runKinds,
    from: () => ranges,
    duration: () => spans,
    wait: () => spans,
    workflow: () => [
      ...of(({ project }) => [`${project}/*`]),
      ...(workflows.data?.workflows.map(({ project, name }) => `${project}/${name}`) ?? []),
    ],
    project: () => of(({ project }) => [project]),
    owner: () => nodes.data?.masters.map(({ id }) => id) ?? [],
    worker: () => nodes.data?.workers.map(({ id }) => id) ?? [],
    version: () => of(({ version }) => [version]).sort((a, b) => Number(b) - Number(a)),
    param: () => of(({ params }) => Object.entries(params).map(([name, value]) => `${name}=${value}`)),
    tag: () => of(({ tags }) => tags),
    error: () => of(({ failed }) => [failed?.error]),
    parent: () => of(({ parent }) => [parent]),
    backfill: () => of(({ id, kind }) => (kind === 'backfill' ? [id] : [])),
  };
  const fields = filterNames.map(
    (name): FilterField => ({
      name,
      label: text(fieldWords[name]),
      many: many.includes(name),
      // A comma would make two of one.
      values:
        name === field
          ? values[name]?.().filter((value) => !many.includes(name) || !value.includes(','))
          : undefined,
    }),
  );
  return {
    fields,
    onTyping: (name: string | undefined, typed: string) => setTyping({ field: name, begun: typed }),
  };
}
