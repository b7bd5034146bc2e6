/** The tags of a run, as a text that is changed. */
import { Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../data/api.ts';
import { useText } from '../../i18n/text.tsx';
import { tagsOfText } from '../../model/runs.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { notify } from '../../parts/notices.tsx';
import style from './run.module.css';
import type { ShownRun } from './use-run.ts';

export function TagsDialog({ run, onClose }: { run: ShownRun; onClose: () => void }) {
  const text = useText();
  const [typed, setTyped] = useState(run.tags.join(', '));
  const save = useAction('setRunTags', ['showRun', 'listRuns']);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(
      { id: run.id, body: { tags: tagsOfText(typed) } },
      {
        onSuccess: () => {
          notify(text('run.tags.saved', { id: run.id }), 'good');
          onClose();
        },
      },
    );
  };
  return (
    <Dialog onClose={onClose} title={text('run.tags.title', { id: run.id })}>
      <form onSubmit={submit} className={style.section}>
        <TextInput
          label={text('run.tags')}
          description={text('run.tagsHow')}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          data-autofocus
        />
        {save.error && <ErrorPanel error={save.error} />}
        <Group justify="flex-end" gap={8}>
          <Button onClick={onClose}>{text('cancel')}</Button>
          <Button type="submit" variant="filled" loading={save.isPending}>
            {text('run.tags.save')}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
