/**
 * The views that show their count of runs, beside the filters: one click away, and recounted periodically.
 */
import { Button } from '@mantine/core';
import { useGo } from '../../app/link.tsx';
import { parseQuery, readSearch } from '../../app/search-fields.ts';
import { useApi } from '../../data/api.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { count as countText } from '../../model/number.ts';
import { filterOf, runsFields } from './runs-fields.ts';
import { useViews, type View } from './use-views.ts';

/** Views that are counted: each costs a request. */
const MOST = 5;

export function ViewBadges() {
  const { mine, shared } = useViews();
  return [...mine, ...shared]
    .filter(({ badge }) => badge)
    .slice(0, MOST)
    .map((view) => <ViewBadge key={`${view.project ?? ''}/${view.name}`} view={view} />);
}

function ViewBadge({ view: { name, query } }: { view: View }) {
  const { text, locale } = useLanguage();
  const go = useGo();
  // Only what filters: how it is shown is nothing to the server.
  const filter = filterOf(readSearch(runsFields, parseQuery(query)).search);
  const input = { ...(filter as object), count: true, limit: 1 };
  const { data } = useApi('listRuns', input, { keep: true, every: 30_000 });
  const { value, more } = data?.count ?? {};
  const shown = value === undefined ? '…' : `${countText(value, locale)}${more ? '+' : ''}`;
  return (
    <Button
      size="compact-xs"
      aria-label={text('runs.view.counted', { name, count: value ?? 0 })}
      onClick={() => go(`/runs${query}`)}
    >
      {name} <b style={{ marginInlineStart: 6 }}>{shown}</b>
    </Button>
  );
}
