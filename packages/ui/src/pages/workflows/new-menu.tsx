/** Ways to a new workflow: written, from a file, or from an example. */
import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconPlus } from '@tabler/icons-react';
import { useText } from '../../i18n/text.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { examples } from './examples.ts';

interface NewMenuProps {
  /** Why the caller may not publish. */
  readonly refused?: string;
  onOpen(kind: 'blank' | 'new' | 'import' | `example-${string}`): void;
}

export function NewMenu({ refused, onOpen }: NewMenuProps) {
  const text = useText();
  if (refused !== undefined)
    return (
      <ActionButton
        action={{ name: 'new', allowed: false, reason: refused }}
        label={text('workflows.new')}
        icon={<IconPlus size={14} />}
        primary
        onRun={() => {}}
      />
    );
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
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
        <Menu.Item onClick={() => onOpen('blank')}>{text('workflows.blank')}</Menu.Item>
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
