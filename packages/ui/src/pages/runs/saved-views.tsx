/** Filters under a name: a few that everybody needs, and those that a person keeps with the server. */
import { ActionIcon, Button, Menu, TextInput } from '@mantine/core';
import { IconChevronDown, IconTrash } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useGo } from '../../app/link.tsx';
import { useAction, useApi } from '../../data/api.ts';
import { useText } from '../../i18n/text.tsx';
import { notify } from '../../parts/notices.tsx';

const builtIn = [
  ['runs.view.failed', '?state=failed,broken&from=-24h'],
  ['runs.view.open', '?state=running,pausing,paused,stopping,failing'],
  ['runs.view.waiting', '?state=queued,waiting'],
] as const;

/** Where views are among the preferences. */
const KEY = 'runs.views';

export function SavedViews({ search }: { search: string }) {
  const text = useText();
  const go = useGo();
  const me = useApi('showMe', {});
  const save = useAction('savePreferences', ['showMe']);
  const [name, setName] = useState('');
  const views = viewsOf(me.data?.preferences[KEY]);
  const keep = (next: Readonly<Record<string, string>>) => {
    if (!me.data) return;
    save.mutate(
      { body: { ...me.data.preferences, [KEY]: { ...next } } },
      { onError: (error) => notify(error.message, 'bad') },
    );
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    keep({ ...views, [name.trim()]: search });
    setName('');
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button rightSection={<IconChevronDown size={14} />}>{text('runs.views')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {builtIn.map(([label, query]) => (
          <Menu.Item key={label} onClick={() => go(`/runs${query}`)}>
            {text(label)}
          </Menu.Item>
        ))}
        {Object.entries(views).map(([view, query]) => (
          <Menu.Item
            key={view}
            onClick={() => go(`/runs${query}`)}
            rightSection={
              <ActionIcon
                component="span"
                role="button"
                tabIndex={0}
                size="sm"
                variant="subtle"
                aria-label={text('runs.view.drop', { name: view })}
                onClick={(event) => {
                  event.stopPropagation();
                  keep(Object.fromEntries(Object.entries(views).filter(([other]) => other !== view)));
                }}
              >
                <IconTrash size={12} />
              </ActionIcon>
            }
          >
            {view}
          </Menu.Item>
        ))}
        {me.data && search !== '' && (
          <form onSubmit={submit}>
            <TextInput
              size="xs"
              m={8}
              aria-label={text('runs.view.name')}
              placeholder={text('runs.view.save')}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              onKeyDown={(event) => event.stopPropagation()}
            />
          </form>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function viewsOf(stored: unknown): Readonly<Record<string, string>> {
  if (typeof stored !== 'object' || stored === null) return {};
  return Object.fromEntries(
    Object.entries(stored).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
