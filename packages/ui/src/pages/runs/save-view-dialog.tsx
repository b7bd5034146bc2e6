/** Saves the filters of the list under a name, for oneself or for everyone with access to a project. */
import { Button, Checkbox, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import { Dialog } from '../../parts/dialog.tsx';

interface SaveViewDialogProps {
  /** The project that it can be shared in; none where the list is not of one. */
  readonly project: string | undefined;
  readonly mayShare: boolean;
  onSave(view: {
    readonly name: string;
    readonly badge: boolean;
    readonly project: string | undefined;
  }): void;
  onClose(): void;
}

export function SaveViewDialog({ project, mayShare, onSave, onClose }: SaveViewDialogProps) {
  const text = useText();
  const [name, setName] = useState('');
  const [share, setShare] = useState(false);
  const [badge, setBadge] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    onSave({ name: name.trim(), badge, project: share ? project : undefined });
    onClose();
  };
  return (
    <Dialog onClose={onClose} title={text('runs.view.save')}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            data-autofocus
            label={text('runs.view.name')}
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {mayShare && (
            <Checkbox
              size="md"
              label={
                project === undefined ? text('runs.view.chooseProject') : text('runs.view.share', { project })
              }
              disabled={project === undefined}
              checked={share && project !== undefined}
              onChange={(event) => setShare(event.currentTarget.checked)}
            />
          )}
          <Checkbox
            size="md"
            label={text('runs.view.badge')}
            checked={badge}
            onChange={(event) => setBadge(event.currentTarget.checked)}
          />
          <Button type="submit" variant="filled" disabled={name.trim() === ''}>
            {text('runs.view.keep')}
          </Button>
        </Stack>
      </form>
    </Dialog>
  );
}
