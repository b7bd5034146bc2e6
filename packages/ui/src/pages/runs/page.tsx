/** The list of runs: which runs, and what to do with them. Its filters are its address and its request. */
import { Button, Menu, SegmentedControl } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useEffect, useMemo, useState } from 'react';
import { runAddress } from '../../app/addresses.ts';
import { useGo } from '../../app/link.tsx';
import { formatQuery } from '../../app/search-fields.ts';
import { useSearch } from '../../app/use-search.ts';
import { usePages } from '../../data/api.ts';
import { useNow } from '../../data/clock.ts';
import { curlOf, useTellSame } from '../../data/same-as.ts';
import { keepTrail } from '../../data/trail.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { count as countText } from '../../model/number.ts';
import { type RunsFilter, runsCommand } from '../../model/runs.ts';
import { useCopy } from '../../parts/copy.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { ChosenBar } from '../../parts/list/chosen-bar.tsx';
import { FilteredEmpty } from '../../parts/list/filtered-empty.tsx';
import { NewPill } from '../../parts/list/new-pill.tsx';
import { useListPlace } from '../../parts/list/use-list-place.ts';
import { VirtualList } from '../../parts/list/virtual-list.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { type BulkChoice, BulkDialog } from './bulk-dialog.tsx';
import { BulkPanel } from './bulk-panel.tsx';
import { type BulkAction, bulkActions, bulkWords } from './bulk-words.ts';
import { useColumns, useShownColumns } from './columns.tsx';
import { ColumnsMenu } from './columns-menu.tsx';
import { GroupMenu } from './group-menu.tsx';
import { Groups } from './groups.tsx';
import { Histogram } from './histogram.tsx';
import { RangeSelect } from './range-select.tsx';
import { RecentBulks } from './recent-bulks.tsx';
import { RunPreview } from './run-preview.tsx';
import style from './runs.module.css';
import { fieldWords, filterNames, filterOf, instantOf, runsFields } from './runs-fields.ts';
import { SavedViews } from './saved-views.tsx';
import { Scatter } from './scatter.tsx';
import { useCalmRows } from './use-calm-rows.ts';
import { useFilterFields } from './use-filter-fields.ts';
import { ViewBadges } from './view-badges.tsx';

export function Page() {
  const { text, locale } = useLanguage();
  const go = useGo();
  const copy = useCopy();
  const now = useNow();
  const [search, setSearch] = useSearch(runsFields);
  const filter = useMemo<RunsFilter>(() => filterOf(search), [search]);
  const input = { ...(filter as object), count: true, limit: 100 };
  const pages = usePages('listRuns', input);
  const all = useMemo(() => pages.data?.pages.flatMap(({ runs }) => runs) ?? [], [pages.data]);
  const { rows, fresh, showNew } = useCalmRows(all, filter, {
    settled: !pages.isPlaceholderData,
    refetch: pages.refetch,
  });
  useEffect(() => keepTrail(rows.map(({ id }) => id)), [rows]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  // A filter that few runs match may find none among those that one request looks at: then it looks on.
  const looksOn = all.length === 0 && hasNextPage;
  useEffect(() => {
    if (looksOn && !isFetchingNextPage) void fetchNextPage();
  }, [looksOn, isFetchingNextPage, fetchNextPage]);
  const [names, switchColumn] = useShownColumns();
  const columns = useColumns(rows, names, now);
  const { fields, onTyping } = useFilterFields(rows);
  const open = (id: string) => {
    const { group } = search;
    if (group === undefined) go(runAddress(id));
    else
      setSearch({ group: undefined, [group === 'error' ? 'fingerprint' : 'workflow']: id }, { push: true });
  };
  const control = useListPlace({
    choosable: search.group === undefined,
    onOpen: (id) => open(id),
    onInspect: (id) =>
      search.group === undefined && setSearch({ run: id, bulk: undefined, outcome: undefined }),
  });
  const [bulk, setBulk] = useState<{ action: BulkAction; choice: BulkChoice }>();
  const openBulk = (id: number) => setSearch({ bulk: id, outcome: undefined }, { push: true });
  const chosen = [...control.place.chosen].map(Number);
  const start = (action: BulkAction) => {
    if (search.group !== undefined) return;
    const ids =
      chosen.length > 0 ? chosen : control.place.current === null ? [] : [Number(control.place.current)];
    if (ids.length > 0) setBulk({ action, choice: { ids } });
  };
  const query = formatQuery(filter as Record<string, unknown>);
  const request =
    search.group === undefined
      ? `/runs${query}`
      : `/runs/groups${formatQuery({ by: search.group, ...filter })}`;
  useTellSame(
    search.bulk === undefined
      ? { request, command: runsCommand(filter) }
      : { request: `/bulks/${search.bulk}`, command: `orrery bulk show ${search.bulk}` },
  );
  useKeys([
    { keys: 'R', label: text('run.recover'), run: () => start('recover') },
    { keys: 'r', label: text('run.rerun'), run: () => start('rerun') },
    { keys: 'p', label: text('run.pause'), run: () => start('pause') },
    { keys: 's', label: text('run.stop'), run: () => start('stop') },
    { keys: 't', label: text('runs.bulk.tag'), run: () => start('tag') },
  ]);

  const total = pages.data?.pages[0]?.count;
  const totalText =
    total === undefined
      ? undefined
      : total.more
        ? text('runs.countMore', { count: countText(total.value, locale) })
        : text('runs.count', { count: total.value });
  const set = filterNames.filter((name) => search[name] !== undefined);
  const inspected = rows.find(({ id }) => id === search.run);
  return (
    <Frame
      fixed
      title={text('runs.title')}
      crumbs={[{ label: text('runs.title') }]}
      actions={
        <>
          {totalText && (
            <span className="dim" role="status">
              {totalText}
            </span>
          )}
          <RecentBulks onOpen={openBulk} />
          <SavedViews search={query} project={filter.project ?? filter.workflow?.split('/').at(-2)} />
          <GroupMenu group={search.group} onGroup={(group) => setSearch({ group }, { push: true })} />
          <ColumnsMenu rows={rows} shown={names} onSwitch={switchColumn} />
          <Menu position="bottom-end">
            <Menu.Target>
              <Button rightSection={<IconChevronDown size={14} />}>{text('runs.copy')}</Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => copy(location.href)}>{text('runs.copyLink')}</Menu.Item>
              <Menu.Item onClick={() => copy(curlOf(request))}>{text('runs.copyCurl')}</Menu.Item>
              <Menu.Item onClick={() => copy(runsCommand(filter))}>{text('runs.copyCommand')}</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </>
      }
      lines={
        <>
          <FilterBar
            fields={fields}
            textField="q"
            search={search}
            onChange={(change) => setSearch(change)}
            onTyping={onTyping}
          >
            <ViewBadges />
          </FilterBar>
          <div className={style.strip}>
            {search.plot === 'scatter' ? (
              <Scatter
                filter={filter}
                onRange={(from, to) => setSearch({ from, to }, { push: true })}
                onOpen={(id) => go(runAddress(id))}
              />
            ) : (
              <Histogram filter={filter} onRange={(from, to) => setSearch({ from, to }, { push: true })} />
            )}
            <div className={style.side}>
              <RangeSelect
                from={search.from}
                to={search.to}
                onRange={(from, to) => setSearch({ from, to })}
                onPin={() =>
                  setSearch({
                    from: new Date(instantOf(search.from ?? '-24h', now)).toISOString(),
                    to: new Date(now).toISOString(),
                  })
                }
              />
              <SegmentedControl
                size="xs"
                aria-label={text('runs.plot')}
                value={search.plot ?? 'bars'}
                data={[
                  { value: 'bars', label: text('runs.plot.bars') },
                  { value: 'scatter', label: text('runs.plot.scatter') },
                ]}
                onChange={(plot) => setSearch({ plot: plot === 'scatter' ? plot : undefined })}
              />
            </div>
          </div>
        </>
      }
      inspector={
        search.bulk !== undefined ? (
          <BulkPanel
            id={search.bulk}
            outcome={search.outcome}
            onOutcome={(outcome) => setSearch({ outcome })}
            onClose={() => setSearch({ bulk: undefined, outcome: undefined })}
          />
        ) : (
          inspected && <RunPreview run={inspected} onClose={() => setSearch({ run: undefined })} />
        )
      }
    >
      <ChosenBar count={chosen.length} onClear={() => control.chooseAll([])}>
        {totalText && total && total.value > chosen.length && (
          <Menu>
            <Menu.Target>
              <Button variant="subtle" rightSection={<IconChevronDown size={14} />}>
                {text('runs.chosenOfAll', {
                  count: countText(total.value, locale) + (total.more ? '+' : ''),
                })}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Label>{text('runs.allMatching')}</Menu.Label>
              {bulkActions.map((action) => (
                <Menu.Item key={action} onClick={() => setBulk({ action, choice: { filter } })}>
                  {text(bulkWords[action])}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
        {bulkActions.map((action) => (
          <Button key={action} color={action === 'stop' ? 'red' : undefined} onClick={() => start(action)}>
            {text(bulkWords[action])}
          </Button>
        ))}
      </ChosenBar>
      <div className={style.list}>
        <NewPill count={fresh} onShow={() => void showNew()} />
        {search.group !== undefined ? (
          <Groups filter={filter} by={search.group} control={control} onOpen={open} />
        ) : pages.error && !pages.data ? (
          <ErrorPanel error={pages.error} retry={() => void pages.refetch()} />
        ) : pages.isPending || looksOn ? (
          <SkeletonRows rows={20} />
        ) : rows.length === 0 && !pages.hasNextPage ? (
          set.length > 0 ? (
            <FilteredEmpty
              filters={set.map((name) => ({ name, label: text(fieldWords[name]) }))}
              onDrop={(dropped) => setSearch(Object.fromEntries(dropped.map((name) => [name, undefined])))}
            />
          ) : (
            <EmptyState
              title={text('runs.empty')}
              commands={['orrery apply -f hello.yaml', 'orrery run hello --wait']}
            />
          )
        ) : (
          <VirtualList
            label={text('runs.list')}
            rows={rows}
            columns={columns}
            control={control}
            choosable
            dimmed={pages.isPlaceholderData}
            idOf={({ id }) => String(id)}
            nameOf={({ id, name }) => `${name} ${id}`}
            onOpen={open}
            onEnd={() => pages.hasNextPage && !pages.isFetchingNextPage && void pages.fetchNextPage()}
          />
        )}
      </div>
      {bulk && (
        <BulkDialog
          {...bulk}
          onMade={(id) => {
            setBulk(undefined);
            control.chooseAll([]);
            openBulk(id);
          }}
          onClose={() => setBulk(undefined)}
        />
      )}
    </Frame>
  );
}
