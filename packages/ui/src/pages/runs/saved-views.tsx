/** Filters under a name: a few that everybody needs, a person's own, and those that a project shares. */
import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconChevronDown, IconTrash } from '@tabler/icons-react';
import { useGo } from '../../app/link.tsx';
import { useText } from '../../i18n/text.tsx';
import { SaveViewDialog } from './save-view-dialog.tsx';
import { useViews, type View } from './use-views.ts';

const builtIn = [
  ['runs.view.failed', '?state=failed,broken&from=-24h'],
  ['runs.view.open', '?state=running,pausing,paused,stopping,failing'],
  ['runs.view.waiting', '?state=queued,waiting'],
  ['runs.view.slow', '?from=-7d&duration=10m'],
] as const;

interface SavedViewsProps {
  /** The present query of the list, including its display options. */
  readonly query: string;
  /** The project that a view can be shared in. */
  readonly project: string | undefined;
  /** Whether the dialog is open that saves it. */
  readonly saving: boolean;
  onSaving(saving: boolean): void;
}

export function SavedViews({ query: present, project, saving, onSaving }: SavedViewsProps) {
  const text = useText();
  const go = useGo();
  const { mine, shared, ready, maySave, save, drop } = useViews();
  const projects = [...new Set(shared.flatMap(({ project: of = [] }) => of))];
  const item = (view: View) => (
    <Menu.Item
      key={`${view.project ?? ''}/${view.name}`}
      onClick={() => go(`/runs${view.query}`)}
      rightSection={
        view.mayDrop && (
          <ActionIcon
            component="span"
            role="button"
            tabIndex={0}
            size="sm"
            variant="subtle"
            aria-label={text('runs.view.drop', { name: view.name })}
            onClick={(event) => {
              event.stopPropagation();
              drop(view);
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== ' ') return;
              event.preventDefault();
              event.stopPropagation();
              drop(view);
            }}
          >
            <IconTrash size={12} />
          </ActionIcon>
        )
      }
    >
      {view.name}
    </Menu.Item>
  );
  const menu = (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button rightSection={<IconChevronDown size={14} />}>{text('runs.views')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {builtIn.map(([label, query]) => (
          <Menu.Item key={label} onClick={() => go(`/runs${query}`)}>
            {text(label)}
          </Menu.Item>
        ))}
        {mine.length > 0 && <Menu.Label>{text('runs.view.mine')}</Menu.Label>}
        {mine.map(item)}
        {projects.map((name) => (
          <div key={name} role="group" aria-label={text('runs.view.of', { project: name })}>
            <Menu.Label>{text('runs.view.of', { project: name })}</Menu.Label>
            {shared.filter((view) => view.project === name).map(item)}
          </div>
        ))}
        {ready && <Menu.Item onClick={() => onSaving(true)}>{text('runs.view.save')}</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
  return (
    <>
      {menu}
      {saving && ready && (
        <SaveViewDialog
          project={project}
          mayShare={maySave}
          onSave={(view) => save({ ...view, query: present })}
          onClose={() => onSaving(false)}
        />
      )}
    </>
  );
}
