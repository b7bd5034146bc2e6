/** Narrows every list to one project, or to none; it only sets `project=`. On a page of one thing it leads to its list. */
import { Menu, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconFolder } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useApi } from '../../data/api.ts';
import { useText } from '../../i18n/text.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { useGo } from '../link.tsx';
import { formatQuery } from '../search-fields.ts';
import { useProject } from '../use-project.ts';
import styles from './shell.module.css';

/** `list` is the page of the navigation that one is on, or in. */
export function ProjectSwitcher({ list, folded }: { list: string; folded: boolean }) {
  const text = useText();
  const go = useGo();
  const router = useRouter();
  const project = useProject();
  const { data } = useApi('showMe', {});
  const names = data?.projects ?? [];
  const choose = (next: string | undefined) => {
    const { pathname, search } = router.state.location;
    go(`${list}${formatQuery({ ...(pathname === list && search), project: next })}`);
  };
  useKeys([
    { label: text('project.chooseAll'), run: () => choose(undefined) },
    ...names.map((name) => ({ label: text('project.choose', { name }), run: () => choose(name) })),
  ]);
  const label = project ?? text('project.all');
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <UnstyledButton
          className={styles.project}
          aria-label={text('project.label', { name: label })}
          data-hint={folded ? label : undefined}
        >
          <IconFolder size={16} aria-hidden="true" />
          <span className={styles.projectName}>{label}</span>
          <IconChevronDown className={styles.projectMark} size={14} aria-hidden="true" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item rightSection={project === undefined ? '✓' : undefined} onClick={() => choose(undefined)}>
          {text('project.all')}
        </Menu.Item>
        {names.map((name) => (
          <Menu.Item
            key={name}
            rightSection={name === project ? '✓' : undefined}
            onClick={() => choose(name)}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
