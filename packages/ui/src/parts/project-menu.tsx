/** Narrows a page to one project; it only sets `project=`. */
import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useApi } from '../data/api.ts';
import { useText } from '../i18n/text.tsx';

interface ProjectMenuProps {
  readonly project?: string;
  onChange(project: string | undefined): void;
}

export function ProjectMenu({ project, onChange }: ProjectMenuProps) {
  const text = useText();
  const { data } = useApi('showMe', {});
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button rightSection={<IconChevronDown size={14} />}>{project ?? text('project.all')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item rightSection={project === undefined ? '✓' : undefined} onClick={() => onChange(undefined)}>
          {text('project.all')}
        </Menu.Item>
        {data?.projects.map((name) => (
          <Menu.Item
            key={name}
            rightSection={name === project ? '✓' : undefined}
            onClick={() => onChange(name)}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
