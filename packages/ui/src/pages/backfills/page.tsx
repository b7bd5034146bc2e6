/** Backfills: how far is history, and may it go on? */
import { Button } from '@mantine/core';
import { useMemo } from 'react';
import { backfillAddress, runAddress, workflowAddress } from '../../app/addresses.ts';
import { Link, useGo } from '../../app/link.tsx';
import { formatQuery, listOf, textField } from '../../app/search-fields.ts';
import { useSearch } from '../../app/use-search.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useTellSame } from '../../data/same-as.ts';
import { useText } from '../../i18n/text.tsx';
import { commandLine } from '../../model/command-line.ts';
import { CutName } from '../../parts/cut-name.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { ListBody } from '../../parts/list/list-body.tsx';
import { useList, usePagedRows } from '../../parts/list/use-list.ts';
import type { Column } from '../../parts/list/virtual-list.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Duration, Time } from '../../parts/time.tsx';
import { orderedStates } from '../runs/runs-fields.ts';

type Row = AnswerOf<'listRuns'>['runs'][number];

const fields = { workflow: textField(600), state: listOf(orderedStates), project: textField() };
const idOf = ({ id }: Row) => String(id);

export function Page() {
  const text = useText();
  const go = useGo();
  const [search, setSearch] = useSearch(fields);
  const { workflow, state, project } = search;
  const input = useMemo(
    () => ({ kind: 'backfill' as const, workflow, state, project }),
    [workflow, state, project],
  );
  const source = usePagedRows('listRuns', input, ({ runs }) => runs);
  const list = useList(source, { idOf, onOpen: ({ id }) => go(`/backfills/${id}`) });
  const query = { kind: 'backfill', workflow, state, project };
  useTellSame({ request: `/runs${formatQuery(query)}`, command: commandLine('orrery runs list', query) });
  const start = () => go(backfillAddress({ workflow }));
  useKeys([{ keys: 'n', label: text('backfills.new'), run: start }]);
  const filters: readonly FilterField[] = [
    { name: 'workflow', label: text('schedules.workflow') },
    { name: 'state', label: text('schedules.state'), many: true, values: orderedStates },
    { name: 'project', label: text('workflows.project') },
  ];
  const columns: readonly Column<Row>[] = [
    {
      id: 'state',
      label: text('schedules.state'),
      width: '112px',
      cell: (row) => <StateBadge state={row.state} />,
    },
    {
      id: 'id',
      label: text('backfills.id'),
      width: '72px',
      cell: ({ id }) => (
        <Link to={`/backfills/${id}`} tabIndex={-1}>
          {id}
        </Link>
      ),
    },
    {
      id: 'workflow',
      label: text('schedules.workflow'),
      width: 'minmax(160px, 2fr)',
      cell: (row) => (
        <Link to={workflowAddress(row.project, row.name)} tabIndex={-1}>
          <CutName name={`${row.project}/${row.name}`} />
        </Link>
      ),
    },
    {
      id: 'created',
      label: text('backfills.created'),
      width: '176px',
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      id: 'took',
      label: text('backfills.took'),
      width: '112px',
      end: true,
      cell: ({ startedAt, endedAt, idle }) =>
        startedAt === null ? '–' : <Duration from={startedAt} to={endedAt} idle={idle} />,
    },
    {
      id: 'why',
      label: text('backfills.why'),
      width: 'minmax(120px, 2fr)',
      cell: ({ reason }) => reason ?? '',
    },
    {
      id: 'run',
      label: '',
      width: '72px',
      cell: ({ id }) => (
        <Link to={runAddress(id)} tabIndex={-1}>
          {text('backfills.asRun')}
        </Link>
      ),
    },
  ];
  const set = filters.filter(({ name }) => search[name as keyof typeof fields] !== undefined);
  return (
    <Frame
      fixed
      title={text('nav.backfills')}
      crumbs={[{ label: text('nav.backfills') }]}
      actions={
        <Button variant="filled" data-hint="n" onClick={start}>
          {text('backfills.new')}
        </Button>
      }
      lines={
        <FilterBar
          fields={filters}
          textField="workflow"
          search={search}
          onChange={(change) => setSearch(change)}
        />
      }
    >
      <ListBody
        list={list}
        label={text('nav.backfills')}
        columns={columns}
        nameOf={({ id, project: of, name }) => `${of}/${name} ${id}`}
        set={set}
        onDrop={(names) => setSearch(Object.fromEntries(names.map((name) => [name, undefined])))}
        empty={
          <EmptyState
            title={text('backfills.none')}
            commands={['orrery backfill NAME --from 2026-01-01 --to 2026-01-31']}
          >
            <Button variant="filled" onClick={start}>
              {text('backfills.new')}
            </Button>
          </EmptyState>
        }
      />
    </Frame>
  );
}
