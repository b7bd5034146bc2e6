/** Audit: who did it? */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { type AnswerOf, client } from '../../data/client.ts';
import { useTellSame } from '../../data/same-as.ts';
import { saveFile } from '../../data/save-file.ts';
import { useText } from '../../i18n/text.tsx';
import { csvOf } from '../../model/csv.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
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

const idOf = ({ id }: Entry) => String(id);

export function Page() {
  const text = useText();
  const [shown, setShown] = useState<Entry | null>(null);
  const [pending, setPending] = useState(false);
  const source = usePagedRows('listAudit', {}, ({ entries }) => entries);
  const list = useList(source, { idOf, onOpen: setShown, onInspect: setShown });
  useTellSame({ request: '/audit' });
  const save = async (form: 'csv' | 'json') => {
    setPending(true);
    try {
      const entries: Entry[] = [];
      for await (const entry of client.all.listAudit({ limit: 1_000 })) {
        entries.push(entry);
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
      notify((error as Error).message, 'bad');
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
      inspector={
        shown && (
          <Inspector
            label={text('audit.entry', { id: shown.id })}
            title={text('audit.entry', { id: shown.id })}
            onClose={() => setShown(null)}
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
        empty={<EmptyState title={text('audit.none')} />}
      />
    </Frame>
  );
}
