/** The filters of the list of runs, and the views that are counted beside them. */
import { memo } from 'react';
import { FilterBar } from '../../parts/filter-bar.tsx';
import type { RunRow } from './columns.tsx';
import type { RunsSearch, SetRunsSearch } from './runs-fields.ts';
import { useFilterFields } from './use-filter-fields.ts';
import { ViewBadges } from './view-badges.tsx';

interface RunsFilterBarProps {
  readonly search: RunsSearch;
  readonly setSearch: SetRunsSearch;
  /** Returns the listed runs on request. */
  rowsNow(): readonly RunRow[];
}

/** Drawn again with another filter, not with every page of the list. */
export const RunsFilterBar = memo(function RunsFilterBar(props: RunsFilterBarProps) {
  const { search, setSearch, rowsNow } = props;
  const { fields, onTyping } = useFilterFields(rowsNow);
  return (
    <FilterBar
      fields={fields}
      textField="q"
      search={search}
      onChange={(change) => setSearch(change, { push: true })}
      onTyping={onTyping}
    >
      <ViewBadges />
    </FilterBar>
  );
});
