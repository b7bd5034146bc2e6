/** Which columns of the list of workflows are shown: kept in the browser. */
import { keep } from '../../data/kept.ts';
import { useShared } from '../../data/shared.ts';
import type { Key } from '../../i18n/en.ts';

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

const shown = keep<readonly string[]>('orrery.workflows.columns', (stored) =>
  Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : usual,
);

/** The columns that are shown, and a switch for each. */
export function useShownColumns(): [readonly string[], (name: string) => void] {
  const names = useShared(shown);
  return [
    names,
    (name) => shown.set(names.includes(name) ? names.filter((other) => other !== name) : [...names, name]),
  ];
}
