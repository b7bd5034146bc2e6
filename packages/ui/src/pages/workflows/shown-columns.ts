/** Which columns of the list of workflows are shown: kept in the browser. */
import type { Key } from '../../i18n/en.ts';
import { keepColumns } from '../../parts/list/shown-columns.ts';

/** Columns that can be left out, with their words. */
export const optionalColumns = {
  live: 'workflows.live',
  draft: 'workflows.draft',
  owner: 'workflows.owner',
  tags: 'workflows.tags',
  schedule: 'workflows.schedule',
  next: 'workflows.next',
  strip: 'workflows.strip',
  ok: 'workflows.ok',
  time: 'workflows.time',
  last: 'workflows.last',
} as const satisfies Record<string, Key>;

const usual = Object.keys(optionalColumns).filter((name) => name !== 'owner' && name !== 'tags');

/** The columns that are shown, and a switch for each. */
export const useShownColumns = keepColumns('workflows', usual);
