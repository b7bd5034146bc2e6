/** What the list of workflows is filtered by, each with values to choose from. */

import { listOf, namesField, oneOf, textField } from '../../app/search-fields.ts';
import { useApi } from '../../data/api.ts';
import type { Key } from '../../i18n/en.ts';
import { useText } from '../../i18n/text.tsx';
import type { FilterField } from '../../parts/filter-bar.tsx';
import { orderedStates } from '../runs/runs-fields.ts';
import type { Row } from './row.ts';

const scheduleStates = ['on', 'paused', 'none'] as const;

/** The filters in the address, as the API takes them. */
export const filterFields = {
  q: textField(200),
  project: textField(),
  tag: namesField,
  owner: textField(),
  state: listOf(orderedStates),
  schedule: oneOf(scheduleStates),
};

/** Their names, in the order they are offered. */
export const filterNames = Object.keys(filterFields) as (keyof typeof filterFields)[];

/** Their words. */
const filterWords = {
  q: 'workflows.name',
  project: 'workflows.project',
  tag: 'workflows.tag',
  owner: 'workflows.owner',
  state: 'workflows.state',
  schedule: 'workflows.schedule',
} as const satisfies Record<keyof typeof filterFields, Key>;

export function useFilterFields(rows: readonly Row[]): readonly FilterField[] {
  const text = useText();
  const { data: me } = useApi('showMe', {});
  const of = (values: (row: Row) => readonly string[]) => [...new Set(rows.flatMap(values))].sort();
  const values: Partial<Record<keyof typeof filterFields, readonly string[]>> = {
    project: me?.projects,
    // A comma would make two of one.
    tag: of(({ tags }) => tags).filter((tag) => !tag.includes(',')),
    owner: of(({ owner }) => [owner]),
    state: orderedStates,
    schedule: scheduleStates,
  };
  return filterNames.map((name) => ({
    name,
    label: text(filterWords[name]),
    many: name === 'tag' || name === 'state',
    values: values[name],
  }));
}
