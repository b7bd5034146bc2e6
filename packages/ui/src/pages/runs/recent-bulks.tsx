/** The latest bulks, to find one whose link is lost. */
import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import { useProject } from '../../app/use-project.ts';
import { useApi } from '../../data/api.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { StateIcon } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { bulkStates, bulkWords } from './bulk-words.ts';

const SHOWN = 10;

export function RecentBulks({ onOpen }: { onOpen(bulk: number): void }) {
  const { text } = useLanguage();
  const project = useProject();
  const [opened, setOpened] = useState(false);
  const input = { limit: SHOWN, project };
  const { data, error } = useApi('listBulks', opened ? input : null);
  return (
    <Menu position="bottom-end" opened={opened} onChange={setOpened}>
      <Menu.Target>
        <Button rightSection={<IconChevronDown size={14} />}>{text('runs.bulk.recent')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {data?.bulks.map(({ id, action, state, total, at }) => (
          <Menu.Item
            key={id}
            leftSection={<StateIcon state={bulkStates[state].look} />}
            rightSection={
              <span className="dim">
                <Time at={at} />
              </span>
            }
            onClick={() => onOpen(id)}
          >
            {text('runs.bulk.what', { action: text(bulkWords[action]), count: total })} · {id}
          </Menu.Item>
        ))}
        {(error || !data || data.bulks.length === 0) && (
          <Menu.Label>{error ? error.message : text(data ? 'runs.bulk.noneYet' : 'loading')}</Menu.Label>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
