/** The versions of a workflow: who published each, what changed, when and why, and its number of runs. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { runAddress, runsAddress, versionsAddress } from '../../app/addresses.ts';
import { Link, useGo } from '../../app/link.tsx';
import { useAction } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { quoted } from '../../model/again.ts';
import { exact } from '../../model/number.ts';
import { FormDialog } from '../../parts/form.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { ListBody } from '../../parts/list/list-body.tsx';
import { useList, usePagedRows } from '../../parts/list/use-list.ts';
import type { Column } from '../../parts/list/virtual-list.tsx';
import { notify } from '../../parts/notices.tsx';
import { Time } from '../../parts/time.tsx';
import type { Shown } from './search.ts';
import style from './workflow.module.css';

type Version = AnswerOf<'listVersions'>['versions'][number];

const idOf = ({ version }: Version) => String(version);

export function Versions({ shown }: { shown: Shown }) {
  const { text, locale } = useLanguage();
  const go = useGo();
  const { project, name, live } = shown;
  const [restored, setRestored] = useState<number | null>(null);
  const source = usePagedRows('listVersions', { project, name }, ({ versions }) => versions);
  const compare = (from: number, to: number) => go(versionsAddress(project, name, from, to));
  /** With the version before it; the first has none. */
  const open = ({ version }: Version) => compare(Math.max(1, version - 1), version);
  const list = useList(source, { idOf, onOpen: open, choosable: true });
  const [one, other] = list.chosen.map(({ version }) => version).sort((a, b) => a - b);
  useKeys([
    {
      keys: '=',
      label: text('workflow.compare'),
      refused: list.chosen.length === 2 ? undefined : text('workflow.chooseTwo'),
      run: () => compare(one, other),
    },
    {
      keys: 'b',
      label: text('workflow.restore'),
      refused: list.current && list.current.version !== live ? undefined : text('workflow.restoreOlder'),
      run: () => list.current && setRestored(list.current.version),
    },
  ]);
  const columns: readonly Column<Version>[] = [
    {
      id: 'version',
      label: text('workflow.version'),
      width: '88px',
      cell: ({ version, live: isLive }) => (
        <span>
          v{version} {isLive && <strong>{text('workflow.liveMark')}</strong>}
        </span>
      ),
    },
    {
      id: 'note',
      label: text('workflow.note'),
      width: 'minmax(140px, 3fr)',
      cell: ({ note }) => note || '–',
    },
    {
      id: 'author',
      label: text('workflow.author'),
      width: 'minmax(80px, 1fr)',
      cell: ({ author }) => author,
    },
    { id: 'source', label: text('workflow.source'), width: '72px', cell: ({ source: from }) => from },
    {
      id: 'at',
      label: text('workflow.published'),
      width: '176px',
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      id: 'runs',
      label: text('workflow.runs'),
      width: '64px',
      end: true,
      cell: ({ version, runs }) =>
        runs === 0 ? (
          '0'
        ) : (
          <Link tabIndex={-1} to={runsAddress({ workflow: `${project}/${name}`, version: String(version) })}>
            {exact(runs, locale)}
          </Link>
        ),
    },
    {
      id: 'last',
      label: text('workflow.lastRun'),
      width: '72px',
      cell: ({ lastRun }) =>
        lastRun === null ? (
          '–'
        ) : (
          <Link tabIndex={-1} to={runAddress(lastRun)}>
            {lastRun}
          </Link>
        ),
    },
    {
      id: 'do',
      label: '',
      width: '172px',
      cell: (row) => (
        <span className={style.rowActions}>
          {row.version > 1 && (
            <Button size="compact-xs" tabIndex={-1} onClick={() => open(row)}>
              {text('workflow.changes')}
            </Button>
          )}
          {row.version !== live && (
            <Button size="compact-xs" tabIndex={-1} onClick={() => setRestored(row.version)}>
              {text('workflow.restore')}
            </Button>
          )}
        </span>
      ),
    },
  ];
  return (
    <>
      <ListBody
        list={list}
        label={text('workflow.tab.versions')}
        columns={columns}
        nameOf={({ version }) => `v${version}`}
        empty={null}
        bulk={
          list.chosen.length > 0 && (
            <div className={style.bulk}>
              <Button disabled={list.chosen.length !== 2} onClick={() => compare(one, other)}>
                {list.chosen.length === 2
                  ? text('workflow.compareTwo', { from: one, to: other })
                  : text('workflow.chooseTwo')}
              </Button>
            </div>
          )
        }
      />
      {restored !== null && (
        <RestoreDialog shown={shown} version={restored} onClose={() => setRestored(null)} />
      )}
    </>
  );
}

/** Publishes an earlier version again, as a new one: history is never edited. */
function RestoreDialog({
  shown: { project, name, live },
  version,
  onClose,
}: {
  shown: Shown;
  version: number;
  onClose(): void;
}) {
  const { text } = useLanguage();
  const [note, setNote] = useState('');
  const restore = useAction('restoreVersion', ['listVersions', 'showWorkflow', 'listWorkflows']);
  const flag = note === '' ? '' : ` --note ${quoted(note)}`;
  return (
    <FormDialog
      title={text('workflow.restoreTitle', { version })}
      fields={[{ name: 'note', label: text('workflow.note'), placeholder: `v${version}` }]}
      values={{ note }}
      onChange={(change) => setNote(change.note)}
      command={`orrery workflows restore ${quoted(`${project}/${name}`)} ${version}${flag}`}
      error={restore.error}
      pending={restore.isPending}
      deed={text('workflow.restore')}
      onSubmit={() =>
        restore.mutate(
          { project, name, version, body: note === '' ? {} : { note } },
          {
            onSuccess: (published) => {
              notify(text('workflow.restored', { version, now: published.version ?? live }), 'good');
              onClose();
            },
          },
        )
      }
      onClose={onClose}
    >
      <p className="dim">{text('workflow.restoreNote')}</p>
    </FormDialog>
  );
}
