/** Audit: who did what, and when. */
import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { formatQuery, numberField, textField } from '../../app/search-fields.ts';
import { useSearch } from '../../app/use-search.ts';
import { useApi } from '../../data/api.ts';
import { type AnswerOf, client } from '../../data/client.ts';
import { useTellSame } from '../../data/same-as.ts';
import { saveFile } from '../../data/save-file.ts';
import { useText } from '../../i18n/text.tsx';
import { commandLine } from '../../model/command-line.ts';
import { csvOf } from '../../model/csv.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { ListBody } from '../../parts/list/list-body.tsx';
import { useList, usePagedRows } from '../../parts/list/use-list.ts';
import type { Column } from '../../parts/list/virtual-list.tsx';
import { notify } from '../../parts/notices.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';

type Entry = AnswerOf<'listAudit'>['entries'][number];

/** Entries that one file has at most. */
const MOST = 100_000;

/** No live topic tells of entries. */
const EVERY = 5_000;

const idOf = ({ id }: Entry) => String(id);
const fields = {
  actor: textField(),
  action: textField(),
  subject: textField(),
  entry: numberField(1, Number.MAX_SAFE_INTEGER),
};

export function Page() {
  const text = useText();
  const [{ entry, ...search }, setSearch] = useSearch(fields);
  const { actor, action, subject } = search;
  const filter = useMemo(() => ({ actor, action, subject }), [actor, action, subject]);
  const [pending, setPending] = useState(false);
  const source = usePagedRows('listAudit', filter, ({ entries }) => entries, EVERY);
  const open = ({ id }: Entry) => setSearch({ entry: String(id) });
  const list = useList(source, { idOf, onOpen: open, onInspect: open });
  // One that was linked to may be far below what has been read.
  const linked = useApi('listAudit', entry === undefined ? null : { before: entry + 1, limit: 1 });
  const shown =
    list.rows.find(({ id }) => id === entry) ?? linked.data?.entries.find(({ id }) => id === entry);
  useTellSame({
    request: `/audit${formatQuery(filter)}`,
    command: commandLine('orrery audit list', filter),
  });
  const filters: readonly FilterField[] = [
    { name: 'actor', label: text('audit.actor') },
    { name: 'action', label: text('audit.action') },
    { name: 'subject', label: text('audit.subject') },
  ];
  const save = async (form: 'csv' | 'json') => {
    setPending(true);
    try {
      const entries: Entry[] = [];
      for await (const one of client.all.listAudit({ ...filter, limit: 1_000 })) {
        entries.push(one);
        if (entries.length === MOST) break;
      }
      if (form === 'json') saveFile('audit.json', JSON.stringify(entries, null, 2), 'application/json');
      else
        saveFile(
          'audit.csv',
          csvOf(
            ['id', 'at', 'actor', 'token', 'address', 'request', 'action', 'subject', 'detail'],
            entries.map(({ id, at, actor, token, address, request, action, subject, detail }) => [
              String(id),
              at,
              actor,
              String(token ?? ''),
              address ?? '',
              request ?? '',
              action,
              subject,
              JSON.stringify(detail),
            ]),
          ),
          'text/csv',
        );
    } catch (error) {
      notify(error as Error, 'bad');
    } finally {
      setPending(false);
    }
  };
  const columns: readonly Column<Entry>[] = [
    { id: 'at', label: text('audit.at'), width: '176px', cell: ({ at }) => <Time at={at} form="absolute" /> },
    { id: 'actor', label: text('audit.actor'), width: 'minmax(96px, 1fr)', cell: ({ actor }) => actor },
    {
      id: 'address',
      label: text('audit.address'),
      width: 'minmax(96px, 1fr)',
      cell: ({ address }) => <span className="mono">{address ?? '–'}</span>,
    },
    {
      id: 'action',
      label: text('audit.action'),
      width: 'minmax(120px, 1fr)',
      cell: ({ action }) => <code>{action}</code>,
    },
    {
      id: 'subject',
      label: text('audit.subject'),
      width: 'minmax(120px, 2fr)',
      cell: ({ subject }) => subject,
    },
    {
      id: 'detail',
      label: text('audit.detail'),
      width: 'minmax(120px, 3fr)',
      cell: ({ detail }) => <span className="dim mono">{JSON.stringify(detail)}</span>,
    },
  ];
  return (
    <Frame
      fixed
      title={text('nav.audit')}
      crumbs={[{ label: text('nav.audit') }]}
      actions={
        <>
          <Button loading={pending} onClick={() => void save('csv')}>
            {text('audit.csv')}
          </Button>
          <Button loading={pending} onClick={() => void save('json')}>
            {text('audit.json')}
          </Button>
        </>
      }
      lines={
        <FilterBar
          fields={filters}
          textField="subject"
          search={search}
          onChange={(change) => setSearch(change)}
        />
      }
      inspector={
        shown && (
          <Inspector
            label={text('audit.entry', { id: shown.id })}
            title={text('audit.entry', { id: shown.id })}
            onClose={() => setSearch({ entry: undefined })}
          >
            <p>
              <Time at={shown.at} form="absolute" /> · {shown.actor} · <code>{shown.action}</code> ·{' '}
              {shown.subject}
            </p>
            {shown.request !== null && (
              <p className="dim">
                {text('audit.asked', {
                  token: shown.token ?? 'none',
                  address: shown.address ?? '–',
                  request: shown.request,
                })}
              </p>
            )}
            <JsonView label={text('audit.detail')} value={shown.detail} />
          </Inspector>
        )
      }
    >
      <ListBody
        list={list}
        label={text('nav.audit')}
        columns={columns}
        nameOf={({ action, subject }) => `${action} ${subject}`}
        set={filters.filter(({ name }) => filter[name as keyof typeof filter] !== undefined)}
        onDrop={(names) => setSearch(Object.fromEntries(names.map((name) => [name, undefined])))}
        empty={<EmptyState title={text('audit.none')} commands={['orrery audit']} />}
      />
    </Frame>
  );
}
