/** Workflows: which exist, and how are they doing? */
import { useMemo } from 'react';
import { editAddress, runAddress, workflowAddress } from '../../app/addresses.ts';
import { useGo } from '../../app/link.tsx';
import { formatQuery, namesField, oneOf, textField } from '../../app/search-fields.ts';
import { useSearch } from '../../app/use-search.ts';
import { useApi } from '../../data/api.ts';
import type { InputOf } from '../../data/client.ts';
import { useTellCurrent, useTellSame } from '../../data/same-as.ts';
import { useText } from '../../i18n/text.tsx';
import { commandLine } from '../../model/command-line.ts';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { ColumnsMenu } from '../../parts/list/columns-menu.tsx';
import { ListBody } from '../../parts/list/list-body.tsx';
import { useList, usePagedRows } from '../../parts/list/use-list.ts';
import { Page as Frame } from '../../parts/page.tsx';
import { BlankDialog } from './blank-dialog.tsx';
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

const fields = {
  ...filterFields,
  /** The workflow whose run form is open. */
  run: textField(600),
  /** The workflows that are about to be moved, by their full names. */
  move: namesField,
  open: oneOf(['blank', 'new', 'import', ...examples.map(({ name }) => `example-${name}` as const)]),
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
  const source = usePagedRows('listWorkflows', input, ({ workflows }) => workflows);
  const query = formatQuery(filter as Record<string, unknown>);
  useTellSame({ request: `/workflows${query}`, command: commandLine('orrery workflows list', filter) });
  const list = useList(source, {
    idOf: nameOf,
    choosable: true,
    onOpen: ({ project, name }) => go(workflowAddress(project, name)),
  });
  const { data: me } = useApi('showMe', {});
  const mayNotPublish = me && !me.rights.includes('publishWorkflows') ? text('workflows.mayNot') : undefined;
  const actions = useWorkflowActions();
  const watch = useWatch();
  const askMove = (rows: readonly Row[]) => setSearch({ move: rows.map(nameOf) }, { push: true });
  const askRun = (row: Row) => setSearch({ run: nameOf(row) }, { push: true });
  const currentRow = list.current;
  useTellCurrent(currentRow && thingOf(currentRow));
  useKeys([
    {
      keys: 'n',
      label: text('workflows.new'),
      refused: mayNotPublish,
      run: () => setSearch({ open: 'new' }, { push: true }),
    },
    {
      label: text('workflows.blank'),
      refused: mayNotPublish,
      run: () => setSearch({ open: 'blank' }, { push: true }),
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
          {
            keys: 'e',
            label: text('editor.edit'),
            run: () => go(editAddress(currentRow.project, currentRow.name)),
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
    current: list.control.place.current,
    shown,
    onRun: askRun,
    onMove: (row) => askMove([row]),
    onOpenRun: (id) => go(runAddress(id)),
    actions,
  });
  const filters = useFilterFields(list.rows);
  const set = filters.filter(({ name }) => search[name as keyof typeof filterFields] !== undefined);
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
      <ListBody
        list={list}
        label={text('nav.workflows')}
        columns={columns}
        nameOf={nameOf}
        set={set}
        onDrop={(names) => setSearch(Object.fromEntries(names.map((name) => [name, undefined])))}
        empty={
          <FirstWorkflows
            onExample={(name) => setSearch({ open: `example-${name}` }, { push: true })}
            onBlank={() => setSearch({ open: 'blank' }, { push: true })}
            onNew={() => setSearch({ open: 'new' }, { push: true })}
          />
        }
        bulk={
          <ChosenWorkflows
            rows={list.chosen}
            actions={actions}
            onMove={askMove}
            onClear={() => list.control.chooseAll([])}
          />
        }
      />
      {run !== undefined && <RunDialog workflow={run} onClose={close} />}
      {move !== undefined && move.length > 0 && (
        <MoveDialog workflows={move} onLeft={(left) => setSearch({ move: left })} onClose={close} />
      )}
      {open === 'blank' && <BlankDialog onClose={close} />}
      {open !== undefined && open !== 'blank' && <PublishDialog kind={open} onClose={close} />}
    </Frame>
  );
}
