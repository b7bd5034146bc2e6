/** The list of runs: which runs, and what to do with them. Its filters are its address and its request. */
import { useCallback, useMemo, useRef } from 'react';
import { runAddress } from '../../app/addresses.ts';
import { useGo } from '../../app/link.tsx';
import { formatQuery } from '../../app/search-fields.ts';
import { useSearch } from '../../app/use-search.ts';
import { useTellCurrent, useTellSame } from '../../data/same-as.ts';
import { useText } from '../../i18n/text.tsx';
import { type RunsFilter, runsCommand } from '../../model/runs.ts';
import { useListPlace } from '../../parts/list/use-list-place.ts';
import { Page as Frame } from '../../parts/page.tsx';
import { type BulkChoice, BulkDialog } from './bulk-dialog.tsx';
import { BulkPanel } from './bulk-panel.tsx';
import { ChosenRuns } from './chosen-runs.tsx';
import { useColumns, useShownColumns } from './columns.tsx';
import { Groups } from './groups.tsx';
import { HeadTools } from './head-tools.tsx';
import { ListBody } from './list-body.tsx';
import { NoRuns } from './no-runs.tsx';
import { Picture } from './picture.tsx';
import { RunPreview } from './run-preview.tsx';
import style from './runs.module.css';
import { filterOf, meant, type RunsSearch, runsFields } from './runs-fields.ts';
import { RunsFilterBar } from './runs-filter-bar.tsx';
import { useRuns } from './use-runs.ts';

export function Page() {
  const text = useText();
  const go = useGo();
  const [search, setSearch] = useSearch(runsFields);
  const { group, order } = search;
  const filter = useMemo<RunsFilter>(() => filterOf(search), [search]);
  const runs = useRuns(filter, search.order);
  const [names] = useShownColumns(search.columns, () => {});
  const columns = useColumns(runs.rows, names);
  // For what needs the rows only when it is opened: a further page of the list draws nothing of it again.
  const latest = useRef(runs.rows);
  latest.current = runs.rows;
  const rowsNow = useCallback(() => latest.current, []);
  const open = (id: string) => {
    if (group === undefined) go(runAddress(id));
    else
      setSearch({ group: undefined, [group === 'error' ? 'fingerprint' : 'workflow']: id }, { push: true });
  };
  const inspect = (id: string) =>
    group === undefined && setSearch({ run: id, bulk: undefined, outcome: undefined }, { push: true });
  const control = useListPlace({
    choosable: group === undefined,
    onOpen: open,
    onInspect: inspect,
    list: runs.list,
  });
  const bulk = bulkOf(search, filter, [...control.place.chosen].map(Number));
  const request =
    group === undefined
      ? `/runs${formatQuery({ ...filter, order })}`
      : `/runs/groups${formatQuery({ by: group, ...filter })}`;
  useTellSame(
    search.bulk === undefined
      ? { request, command: runsCommand({ ...filter, order }) }
      : { request: `/bulks/${search.bulk}`, command: `orrery bulk show ${search.bulk}` },
  );
  const current = runs.rows.find(({ id }) => String(id) === control.place.current);
  useTellCurrent(
    current && {
      name: `${current.project}/${current.name} ${current.id}`,
      address: runAddress(current.id),
      request: `/runs/${current.id}`,
      command: `orrery runs show ${current.id}`,
    },
  );
  const nothing = <NoRuns search={search} setSearch={setSearch} />;
  return (
    <Frame
      fixed
      title={text('runs.title')}
      crumbs={[{ label: text('runs.title') }]}
      actions={<HeadTools total={runs.total} {...{ filter, search, setSearch, request, rowsNow }} />}
      lines={
        <>
          <RunsFilterBar {...{ search, setSearch, rowsNow }} />
          <Picture {...{ filter, search, setSearch }} />
        </>
      }
      inspector={
        search.bulk !== undefined ? (
          <BulkPanel
            key={search.bulk}
            id={search.bulk}
            outcome={search.outcome}
            onOutcome={(outcome) => setSearch({ outcome })}
            onClose={() => setSearch({ bulk: undefined, outcome: undefined })}
          />
        ) : (
          search.run !== undefined && (
            <RunPreview
              key={search.run}
              id={search.run}
              row={runs.rows.find(({ id }) => id === search.run)}
              onClose={() => setSearch({ run: undefined })}
            />
          )
        )
      }
    >
      {group === undefined && (
        <ChosenRuns
          runs={runs}
          control={control}
          onAsk={(ask, of) => setSearch({ ask, of: of === 'all' ? of : meant(of) }, { push: true })}
        />
      )}
      <div className={style.list}>
        {group === undefined ? (
          <ListBody
            {...{ runs, columns, control, nothing }}
            onOpen={open}
            onInspect={inspect}
            onOrder={(next) => setSearch({ order: next }, { push: true })}
          />
        ) : (
          <Groups filter={filter} by={group} control={control} onOpen={open} nothing={nothing} />
        )}
      </div>
      {bulk && (
        <BulkDialog
          {...bulk}
          onMade={(id) => {
            control.chooseAll([]);
            setSearch({ ask: undefined, of: undefined, bulk: id, outcome: undefined });
          }}
          onClose={() => setSearch({ ask: undefined, of: undefined })}
        />
      )}
    </Frame>
  );
}

/** The bulk action that the address asks about; none where it names no runs. */
function bulkOf({ ask, of }: RunsSearch, filter: RunsFilter, chosen: readonly number[]) {
  if (ask === undefined || ask === 'save' || of === undefined) return undefined;
  const ids = of === 'chosen' ? chosen : of;
  if (ids.length === 0) return undefined;
  const choice: BulkChoice = ids === 'all' ? { filter } : { ids };
  return { action: ask, choice };
}
