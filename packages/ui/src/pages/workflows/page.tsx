/** Workflows: which exist, and how are they doing? */
import { useCallback, useMemo } from 'react';
import { runAddress, workflowAddress } from '../../app/addresses.ts';
import { useGo } from '../../app/link.tsx';
import { formatQuery, namesField, oneOf, textField } from '../../app/search-fields.ts';
import { useSearch } from '../../app/use-search.ts';
import { useApi, usePages } from '../../data/api.ts';
import type { InputOf } from '../../data/client.ts';
import { useTellCurrent, useTellSame } from '../../data/same-as.ts';
import { useText } from '../../i18n/text.tsx';
import { commandLine } from '../../model/command-line.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { ColumnsMenu } from '../../parts/list/columns-menu.tsx';
import { FilteredEmpty } from '../../parts/list/filtered-empty.tsx';
import { NewPill } from '../../parts/list/new-pill.tsx';
import { useCalmPages } from '../../parts/list/use-calm-pages.ts';
import { useListPlace } from '../../parts/list/use-list-place.ts';
import { VirtualList } from '../../parts/list/virtual-list.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { ChosenWorkflows } from './chosen-workflows.tsx';
import { useColumns } from './columns.tsx';
import { examples } from './examples.ts';
import { FirstWorkflows } from './first-workflows.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { NewMenu } from './new-menu.tsx';
import { PublishDialog } from './publish-dialog.tsx';
import { nameOf, type Row, refusalOf, thingOf } from './row.ts';
import { RunDialog } from './run-dialog.tsx';
import { optionalColumns, useShownColumns } from './shown-columns.ts';
import { filterFields, filterNames, useFilterFields } from './use-filter-fields.ts';
import { useWorkflowActions } from './use-workflow-actions.ts';
import { useWatch } from './watch.ts';
import styles from './workflows.module.css';

const fields = {
  ...filterFields,
  /** The workflow whose run form is open. */
  run: textField(600),
  /** The workflows that are about to be moved, by their full names. */
  move: namesField,
  open: oneOf(['new', 'import', ...examples.map(({ name }) => `example-${name}` as const)]),
};

export function Page() {
  const text = useText();
  const go = useGo();
  const [search, setSearch] = useSearch(fields);
  const { run, move, open } = search;
  const filter = useMemo(
    () => Object.fromEntries(filterNames.map((name) => [name, search[name]])) as InputOf<'listWorkflows'>,
    [search],
  );
  const input = useMemo(() => ({ ...filter, include: ['strip', 'next', 'draft'] as const }), [filter]);
  const pages = usePages('listWorkflows', input);
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = pages;
  const { isPlaceholderData, refused } = pages;
  const query = formatQuery(filter as Record<string, unknown>);
  useTellSame({ request: `/workflows${query}`, command: commandLine('orrery workflows list', filter) });
  const all = useMemo(() => data?.pages.flatMap(({ workflows }) => workflows) ?? [], [data]);
  const list = `${query} ${isPlaceholderData}`;
  const { rows, waiting, showNew } = useCalmPages(all, data?.pages.length ?? 0, list, nameOf);
  const { data: me } = useApi('showMe', {});
  const mayNotPublish = me && !me.rights.includes('publishWorkflows') ? text('workflows.mayNot') : undefined;
  const byId = (id: string | null) => rows.find((row) => nameOf(row) === id);
  const openRow = (id: string) => {
    const row = byId(id);
    if (row) go(workflowAddress(row.project, row.name));
  };
  const control = useListPlace({ onOpen: openRow, choosable: true, list });
  const { current, chosen } = control.place;
  const actions = useWorkflowActions();
  const watch = useWatch();
  const askMove = (list: readonly Row[]) => setSearch({ move: list.map(nameOf) }, { push: true });
  const askRun = (row: Row) => setSearch({ run: nameOf(row) }, { push: true });
  const currentRow = byId(current);
  useTellCurrent(currentRow && thingOf(currentRow));
  useKeys([
    {
      keys: 'n',
      label: text('workflows.new'),
      refused: mayNotPublish,
      run: () => setSearch({ open: 'new' }, { push: true }),
    },
    {
      label: text('workflows.import'),
      refused: mayNotPublish,
      run: () => setSearch({ open: 'import' }, { push: true }),
    },
    ...examples.map(({ name, title }) => ({
      label: text(title),
      refused: mayNotPublish,
      run: () => setSearch({ open: `example-${name}` as const }, { push: true }),
    })),
    ...(currentRow
      ? [
          {
            keys: 'r',
            label: text('workflows.run'),
            refused: refusalOf(currentRow, 'run'),
            run: () => askRun(currentRow),
          },
          {
            keys: 'p',
            label: text('workflows.togglePause'),
            refused:
              refusalOf(currentRow, 'resume-schedules') === undefined
                ? undefined
                : refusalOf(currentRow, 'pause-schedules'),
            run: () => void actions.togglePause(currentRow),
          },
          {
            keys: 'm',
            label: text('workflows.moveTo'),
            refused: refusalOf(currentRow, 'move'),
            run: () => askMove([currentRow]),
          },
          {
            keys: 'd',
            label: text('workflows.export'),
            run: () => void actions.exportFiles([currentRow]),
          },
          { keys: 'y', label: text('workflows.copyName'), run: () => actions.copyName(currentRow) },
          {
            keys: '*',
            label: text('workflows.toggleWatch'),
            run: () => watch.toggle(nameOf(currentRow)),
          },
        ]
      : []),
  ]);
  const [shown, switchColumn] = useShownColumns();
  const columns = useColumns({
    current,
    shown,
    onRun: askRun,
    onMove: (row) => askMove([row]),
    onOpenRun: (id) => go(runAddress(id)),
    actions,
  });
  const filters = useFilterFields(rows);
  const set = filters.filter(({ name }) => search[name as keyof typeof filterFields] !== undefined);
  const chosenRows = rows.filter((row) => chosen.has(nameOf(row)));
  const isEmpty = data !== undefined && !isPlaceholderData && rows.length === 0;
  // A page that was refused is asked for again by hand alone.
  const goOn = hasNextPage && !isFetchingNextPage && !refused;
  const nextPage = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const close = () => setSearch({ run: undefined, open: undefined, move: undefined });
  return (
    <Frame
      title={text('nav.workflows')}
      crumbs={[{ label: text('nav.workflows') }]}
      fixed
      actions={
        <>
          <ColumnsMenu
            columns={() => Object.entries(optionalColumns).map(([name, word]) => [name, text(word)])}
            shown={shown}
            onSwitch={switchColumn}
          />
          <NewMenu refused={mayNotPublish} onOpen={(next) => setSearch({ open: next }, { push: true })} />
        </>
      }
      lines={
        <FilterBar fields={filters} textField="q" search={search} onChange={(change) => setSearch(change)} />
      }
    >
      {error && !data && <ErrorPanel error={error} retry={() => void refetch()} />}
      {((!data && !error) || (isPlaceholderData && rows.length === 0)) && <SkeletonRows />}
      {isEmpty && set.length > 0 && (
        <FilteredEmpty
          filters={set}
          onDrop={(names) => setSearch(Object.fromEntries(names.map((name) => [name, undefined])))}
        />
      )}
      {isEmpty && set.length === 0 && (
        <FirstWorkflows
          onExample={(name) => setSearch({ open: `example-${name}` }, { push: true })}
          onNew={() => setSearch({ open: 'new' }, { push: true })}
        />
      )}
      {rows.length > 0 && (
        <div className={styles.list}>
          <NewPill count={waiting} onShow={showNew} />
          <VirtualList
            label={text('nav.workflows')}
            rows={rows}
            columns={columns}
            control={control}
            idOf={nameOf}
            nameOf={nameOf}
            onOpen={openRow}
            choosable
            dimmed={isPlaceholderData}
            onEnd={goOn ? nextPage : undefined}
            foot={refused && <ErrorPanel error={refused} retry={nextPage} />}
          />
          <ChosenWorkflows
            rows={chosenRows}
            actions={actions}
            onMove={askMove}
            onClear={() => control.chooseAll([])}
          />
        </div>
      )}
      {run !== undefined && <RunDialog workflow={run} onClose={close} />}
      {move !== undefined && move.length > 0 && (
        <MoveDialog workflows={move} onLeft={(left) => setSearch({ move: left })} onClose={close} />
      )}
      {open !== undefined && <PublishDialog kind={open} onClose={close} />}
    </Frame>
  );
}
