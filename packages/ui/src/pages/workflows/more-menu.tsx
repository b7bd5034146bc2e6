/** The actions on one workflow; an unavailable one shows its reason to every reader. */
import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useText } from '../../i18n/text.tsx';
import { ActionItem } from '../../parts/action-item.tsx';
import { nameOf, type Row } from './row.ts';
import type { WorkflowActions } from './use-workflow-actions.ts';
import { useWatch } from './watch.ts';

interface MoreMenuProps {
  readonly row: Row;
  readonly tabStop: boolean;
  readonly actions: WorkflowActions;
  onRun(): void;
  onMove(): void;
}

export function MoreMenu({ row, tabStop, actions, onRun, onMove }: MoreMenuProps) {
  const text = useText();
  const watch = useWatch();
  const name = nameOf(row);
  const item = (action: string, label: string, run: () => void) => (
    <ActionItem action={row.actions.find((each) => each.name === action)} label={label} onRun={run} />
  );
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          size={24}
          tabIndex={tabStop ? 0 : -1}
          aria-label={text('workflows.actions', { name })}
        >
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {item('run', text('workflows.run'), onRun)}
        {item('pause-schedules', text('workflows.pause'), () => void actions.setPaused([row], true))}
        {item('resume-schedules', text('workflows.resume'), () => void actions.setPaused([row], false))}
        {row.offlineSince === null
          ? item('take-offline', text('workflows.takeOffline'), () => void actions.setOnline([row], false))
          : item('put-online', text('workflows.putOnline'), () => void actions.setOnline([row], true))}
        {item('move', text('workflows.moveTo'), onMove)}
        {item('export', text('workflows.export'), () => void actions.exportFiles([row]))}
        {item('watch', text(watch.isWatched(name) ? 'workflows.unwatch' : 'workflows.watch'), () =>
          watch.toggle(name),
        )}
        {item('copy', text('workflows.copyName'), () => actions.copyName(row))}
      </Menu.Dropdown>
    </Menu>
  );
}
