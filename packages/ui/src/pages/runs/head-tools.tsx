/** Beside the title of the list: how many runs there are, views, groups, columns, and the list as a link or a command. */
import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { memo } from 'react';
import { formatQuery } from '../../app/search-fields.ts';
import { base } from '../../data/client.ts';
import { useCurl } from '../../data/same-as.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { typedLines } from '../../model/command-line.ts';
import { count as countText } from '../../model/number.ts';
import { type RunsFilter, runsCommand } from '../../model/runs.ts';
import { useCopy } from '../../parts/copy.tsx';
import { type RunRow, useShownColumns } from './columns.tsx';
import { GroupMenu } from './group-menu.tsx';
import { RecentBulks } from './recent-bulks.tsx';
import { RunColumns } from './run-columns.tsx';
import type { RunsSearch, SetRunsSearch } from './runs-fields.ts';
import { SavedViews } from './saved-views.tsx';
import type { Runs } from './use-runs.ts';

interface HeadToolsProps {
  readonly total: Runs['total'];
  readonly filter: RunsFilter;
  readonly search: RunsSearch;
  readonly setSearch: SetRunsSearch;
  /** The path of the same request. */
  readonly request: string;
  /** Returns the listed runs on request. */
  rowsNow(): readonly RunRow[];
}

/** Drawn again with another filter, not with every page of the list. */
export const HeadTools = memo(function HeadTools(props: HeadToolsProps) {
  const { total, filter, search, setSearch, request, rowsNow } = props;
  const { text, locale } = useLanguage();
  const copy = useCopy();
  const curl = useCurl();
  const { group, plot, order } = search;
  const [names, switchColumn] = useShownColumns(search.columns, (columns) => setSearch({ columns }));
  return (
    <>
      {total && (
        <span className="dim" role="status">
          {total.more
            ? text('runs.countMore', { count: countText(total.value, locale) })
            : text('runs.count', { count: total.value })}
        </span>
      )}
      <RecentBulks onOpen={(bulk) => setSearch({ bulk, outcome: undefined }, { push: true })} />
      <SavedViews
        query={formatQuery({ ...filter, group, plot, order, columns: names })}
        project={filter.project ?? filter.workflow?.split('/').at(-2)}
        saving={search.ask === 'save'}
        onSaving={(saving) => setSearch({ ask: saving ? 'save' : undefined }, { push: saving })}
      />
      <GroupMenu group={group} onGroup={(next) => setSearch({ group: next }, { push: true })} />
      <RunColumns rowsNow={rowsNow} shown={names} onSwitch={switchColumn} />
      <Menu position="bottom-end">
        <Menu.Target>
          <Button rightSection={<IconChevronDown size={14} />}>{text('runs.copy')}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => copy(location.href)}>{text('runs.copyLink')}</Menu.Item>
          <Menu.Item onClick={() => copy(curl(request))}>{text('runs.copyCurl')}</Menu.Item>
          <Menu.Item onClick={() => copy(typedLines(runsCommand({ ...filter, order }), base))}>
            {text('runs.copyCommand')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
});
