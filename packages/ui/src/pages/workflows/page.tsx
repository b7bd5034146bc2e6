/** Workflows: which exist, and how are they doing? */
import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconPlus } from '@tabler/icons-react';
import { useMemo } from 'react';
import { runAddress, workflowAddress } from '../../app/addresses.ts';
import { useGo } from '../../app/link.tsx';
import { formatQuery, namesField, oneOf, textField } from '../../app/search-fields.ts';
import { useSearch } from '../../app/use-search.ts';
import { usePages } from '../../data/api.ts';
import { useTellSame } from '../../data/same-as.ts';
import { useText } from '../../i18n/text.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { ChosenBar } from '../../parts/list/chosen-bar.tsx';
import { FilteredEmpty } from '../../parts/list/filtered-empty.tsx';
import { useListPlace } from '../../parts/list/use-list-place.ts';
import { VirtualList } from '../../parts/list/virtual-list.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { useColumns } from './columns.tsx';
import { examples } from './examples.ts';
import { FirstWorkflows } from './first-workflows.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { PublishDialog } from './publish-dialog.tsx';
import { nameOf, type Row } from './row.ts';
import { RunDialog } from './run-dialog.tsx';
import { useWorkflowActions } from './use-workflow-actions.ts';

const fields = {
  q: textField(200),
  project: textField(),
  /** The workflow whose run form is open. */
  run: textField(600),
  /** The workflows that are about to be moved, by their full names. */
  move: namesField,
  open: oneOf(['new', 'import', ...examples.map(({ name }) => `example-${name}` as const)]),
};

export function Page() {
  const text = useText();
  const go = useGo();
  const [{ q, project, run, move, open }, setSearch] = useSearch(fields);
  const input = useMemo(() => ({ q, project, include: ['strip', 'next'] as const }), [q, project]);
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage, isPlaceholderData } =
    usePages('listWorkflows', input);
  useTellSame({ request: `/workflows${formatQuery({ q, project })}` });
  const rows = useMemo(() => data?.pages.flatMap(({ workflows }) => workflows) ?? [], [data]);
  const byId = (id: string | null) => rows.find((row) => nameOf(row) === id);
  const openRow = (id: string) => {
    const row = byId(id);
    if (row) go(workflowAddress(row.project, row.name));
  };
  const control = useListPlace({ onOpen: openRow, choosable: true });
  const { current, chosen } = control.place;
  const actions = useWorkflowActions();
  const askMove = (list: readonly Row[]) => setSearch({ move: list.map(nameOf) }, { push: true });
  const askRun = (row: Row) => setSearch({ run: nameOf(row) }, { push: true });
  const currentRow = byId(current);
  const refused = (name: string) => currentRow?.actions.find((action) => action.name === name)?.reason;
  useKeys([
    { keys: 'n', label: text('workflows.new'), run: () => setSearch({ open: 'new' }, { push: true }) },
    ...(currentRow
      ? [
          { keys: 'r', label: text('workflows.run'), refused: refused('run'), run: () => askRun(currentRow) },
          {
            keys: 'p',
            label: text('workflows.togglePause'),
            run: () => void actions.togglePause(currentRow),
          },
          {
            keys: 'm',
            label: text('workflows.moveTo'),
            refused: refused('move'),
            run: () => askMove([currentRow]),
          },
          { keys: 'y', label: text('workflows.export'), run: () => void actions.exportFiles([currentRow]) },
        ]
      : []),
  ]);
  const columns = useColumns({
    current,
    onRun: askRun,
    onMove: (row) => askMove([row]),
    onOpenRun: (id) => go(runAddress(id)),
    actions,
  });
  const filters = [
    { name: 'q', label: text('workflows.name') },
    { name: 'project', label: text('workflows.project') },
  ];
  const set = filters.filter(({ name }) => ({ q, project })[name] !== undefined);
  const chosenRows = rows.filter((row) => chosen.has(nameOf(row)));
  const close = () => setSearch({ run: undefined, open: undefined, move: undefined });
  return (
    <Frame
      title={text('nav.workflows')}
      crumbs={[{ label: text('nav.workflows') }]}
      fixed
      actions={<NewMenu onOpen={(next) => setSearch({ open: next }, { push: true })} />}
      lines={<FilterBar fields={filters} textField="q" search={{ q, project }} onChange={setSearch} />}
    >
      {error && !data && <ErrorPanel error={error} retry={() => void refetch()} />}
      {!data && !error && <SkeletonRows />}
      {data && rows.length === 0 && set.length > 0 && (
        <FilteredEmpty
          filters={set}
          onDrop={(names) => setSearch(Object.fromEntries(names.map((name) => [name, undefined])))}
        />
      )}
      {data && rows.length === 0 && set.length === 0 && (
        <FirstWorkflows
          onExample={(name) => setSearch({ open: `example-${name}` }, { push: true })}
          onNew={() => setSearch({ open: 'new' }, { push: true })}
        />
      )}
      {rows.length > 0 && (
        <>
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
            onEnd={hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined}
          />
          <ChosenBar count={chosenRows.length} onClear={() => control.chooseAll([])}>
            <Button onClick={() => void actions.runAll(chosenRows)}>{text('workflows.run')}</Button>
            <Button onClick={() => void actions.setPaused(chosenRows, true)}>
              {text('workflows.pause')}
            </Button>
            <Button onClick={() => void actions.setPaused(chosenRows, false)}>
              {text('workflows.resume')}
            </Button>
            <Button onClick={() => askMove(chosenRows)}>{text('workflows.moveTo')}</Button>
            <Button onClick={() => void actions.exportFiles(chosenRows)}>{text('workflows.export')}</Button>
          </ChosenBar>
        </>
      )}
      {run !== undefined && <RunDialog workflow={run} onClose={close} />}
      {move !== undefined && move.length > 0 && (
        <MoveDialog workflows={move} onLeft={(left) => setSearch({ move: left })} onClose={close} />
      )}
      {open !== undefined && <PublishDialog kind={open} onClose={close} />}
    </Frame>
  );
}

function NewMenu({ onOpen }: { onOpen: (kind: 'new' | 'import' | `example-${string}`) => void }) {
  const text = useText();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="filled"
          leftSection={<IconPlus size={14} />}
          rightSection={<IconChevronDown size={14} />}
          data-hint="n"
        >
          {text('workflows.new')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onOpen('new')}>{text('workflows.paste')}</Menu.Item>
        <Menu.Item onClick={() => onOpen('import')}>{text('workflows.import')}</Menu.Item>
        <Menu.Divider />
        <Menu.Label>{text('workflows.examples')}</Menu.Label>
        {examples.map(({ name, title }) => (
          <Menu.Item key={name} onClick={() => onOpen(`example-${name}`)}>
            {text(title)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
