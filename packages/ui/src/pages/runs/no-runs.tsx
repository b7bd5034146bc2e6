/** Where the list has no run: how many there are without its filters and ways to see them, or how to start the first. */
import { Button } from '@mantine/core';
import { useGo } from '../../app/link.tsx';
import { useNow } from '../../data/clock.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { FIRST_WORKFLOW } from '../../model/command-line.ts';
import { count as countText } from '../../model/number.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FilteredEmpty } from '../../parts/list/filtered-empty.tsx';
import { fieldWords, filterNames, instantOf, type RunsSearch, type SetRunsSearch } from './runs-fields.ts';
import { useUnfiltered } from './use-runs.ts';

interface NoRunsProps {
  readonly search: RunsSearch;
  readonly setSearch: SetRunsSearch;
}

const WEEK = 7 * 86_400_000;

export function NoRuns({ search, setSearch }: NoRunsProps) {
  const { text, locale } = useLanguage();
  const go = useGo();
  const now = useNow();
  const { total } = useUnfiltered(true);
  // That none ended with an error does not say that none matches.
  const title = search.group === 'error' ? text('runs.groups.none') : undefined;
  const set = filterNames.filter((name) => search[name] !== undefined);
  if (set.length === 0)
    return title === undefined ? (
      <EmptyState title={text('runs.empty')} commands={[FIRST_WORKFLOW, 'orrery run hello --wait']}>
        <Button variant="filled" onClick={() => go('/workflows')}>
          {text('runs.openWorkflows')}
        </Button>
      </EmptyState>
    ) : (
      <EmptyState title={title} />
    );
  const ranged = search.from !== undefined || search.to !== undefined;
  const short = search.from !== undefined && instantOf(search.from, now) > now - WEEK;
  const range = (from: string | undefined) => setSearch({ from, to: undefined }, { push: true });
  return (
    <FilteredEmpty
      title={title}
      total={total && countText(total.value, locale) + (total.more ? '+' : '')}
      filters={set
        .filter((name) => name !== 'from' && name !== 'to')
        .map((name) => ({ name, label: text(fieldWords[name]) }))}
      onDrop={(names) =>
        setSearch(Object.fromEntries(names.map((name) => [name, undefined])), { push: true })
      }
    >
      {short && <Button onClick={() => range('-7d')}>{text('runs.widen.7d')}</Button>}
      {ranged && <Button onClick={() => range(undefined)}>{text('runs.widen.all')}</Button>}
    </FilteredEmpty>
  );
}
