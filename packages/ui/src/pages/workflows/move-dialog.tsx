/**
 * Moves workflows to another project; a single one can also be renamed. Refused ones stay in the dialog with
 * the reason.
 */
import { Button, Group, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { queries, useApi } from '../../data/api.ts';
import { call } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { quoted } from '../../model/again.ts';
import { Command } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { notify } from '../../parts/notices.tsx';
import { namedBy } from './row.ts';
import styles from './workflows.module.css';

interface MoveDialogProps {
  /** By their full names. */
  readonly workflows: readonly string[];
  /** Those that were refused are left to move. */
  onLeft(workflows: readonly string[]): void;
  /** Where the only one is now. */
  onMoved?(to: { readonly project: string; readonly name: string }): void;
  onClose(): void;
}

interface Refused {
  readonly workflow: string;
  readonly why: string;
}

export function MoveDialog({ workflows, onLeft, onMoved, onClose }: MoveDialogProps) {
  const text = useText();
  const known = useId();
  const { data: me } = useApi('showMe', {});
  const first = namedBy(workflows[0]);
  const alone = workflows.length === 1;
  const [project, setProject] = useState(alone ? first.project : '');
  const [name, setName] = useState(first.name);
  const moves = workflows
    .map((from) => ({ from, to: `${project}/${alone ? name : namedBy(from).name}` }))
    .filter(({ from, to }) => from !== to);
  const ready = project !== '' && (!alone || name !== '') && moves.length > 0;
  const move = useMutation({
    mutationFn: async () => {
      const refused: Refused[] = [];
      // One after the other: a workflow may use another, and follows its new name.
      for (const { from, to } of moves)
        await call('renameWorkflow', { ...namedBy(from), body: namedBy(to) }).catch((error: Error) =>
          refused.push({ workflow: from, why: error.message }),
        );
      return refused;
    },
    onSuccess: async (refused) => {
      const done = moves.length - refused.length;
      if (done > 0) notify(text('workflows.moved', { count: done, project }), 'good');
      await queries.invalidateQueries({ queryKey: ['listWorkflows'] });
      await queries.invalidateQueries({ queryKey: ['showMe'] });
    },
  });
  const submit = () =>
    move.mutate(undefined, {
      onSuccess: (refused) => {
        if (refused.length > 0) return onLeft(refused.map(({ workflow }) => workflow));
        onClose();
        if (alone) onMoved?.({ project, name });
      },
    });
  const title = alone
    ? text('workflows.moveOne', { name: workflows[0] })
    : text('workflows.moveMany', { count: workflows.length });
  return (
    <Dialog onClose={onClose} title={title}>
      <form
        className={styles.fields}
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) submit();
        }}
      >
        <p className="dim">{text('workflows.moveNote')}</p>
        <TextInput
          label={text('workflows.project')}
          list={known}
          data-autofocus
          autoComplete="off"
          value={project}
          onChange={({ currentTarget }) => setProject(currentTarget.value.trim())}
        />
        <datalist id={known}>
          {me?.projects.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        {alone && (
          <TextInput
            label={text('workflows.name')}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value.trim())}
          />
        )}
        {!alone && (
          <ul className={styles.effects}>
            {workflows.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        )}
        {ready && (
          <Command
            line={moves
              .map(({ from, to }) => `orrery workflows rename ${quoted(from)} ${quoted(to)}`)
              .join(' && ')}
          />
        )}
        {move.data && move.data.length > 0 && (
          <div role="alert">
            {move.data.map(({ workflow, why }) => (
              <p key={workflow} className={styles.refusal}>
                {workflow}: {why}
              </p>
            ))}
          </div>
        )}
        <Group justify="flex-end" gap={8}>
          <Button onClick={onClose}>{text('cancel')}</Button>
          <Button type="submit" variant="filled" loading={move.isPending} disabled={!ready}>
            {text('workflows.move')}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
