/** Starts a run: a form typed from what the workflow declares, the last values offered, and the same as a command. */
import { Button, Group } from '@mantine/core';
import { ApiProblem } from '@orrery/sdk/client';
import { useState } from 'react';
import { runAddress } from '../../app/addresses.ts';
import { useGo } from '../../app/link.tsx';
import { useAction, useApi } from '../../data/api.ts';
import { useText } from '../../i18n/text.tsx';
import { fault, givenValues, runLine, type Typed } from '../../model/run-form.ts';
import { Command } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { notify } from '../../parts/notices.tsx';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import { ParameterField } from './parameter-field.tsx';
import { namedBy } from './row.ts';
import { type StartChoices, StartFields } from './start-fields.tsx';
import styles from './workflows.module.css';

interface RunDialogProps {
  readonly workflow: string;
  readonly onClose: () => void;
}

export function RunDialog({ workflow, onClose }: RunDialogProps) {
  const text = useText();
  const go = useGo();
  const shown = useApi('showWorkflow', namedBy(workflow));
  const last = useApi('listRuns', { workflow, limit: 1 });
  const [typed, setTyped] = useState<Typed>({});
  const [chosen, setChosen] = useState<StartChoices>({ businessTime: '', priority: null, dryRun: false });
  const start = useAction('startRun', ['listRuns', 'listWorkflows']);
  const declared = shown.data?.workflow.params ?? {};
  const names = Object.keys(declared);
  const params = givenValues(declared, typed);
  const lastId = last.data?.runs[0]?.id;
  const before = useApi('showRun', lastId === undefined ? null : { id: lastId });
  const wrong = names.filter(
    (key) => fault(declared[key], typed[key] ?? declared[key].default ?? '') !== null,
  );
  const choices = {
    workflow,
    params,
    ...(chosen.businessTime !== '' && { businessTime: chosen.businessTime }),
    ...(chosen.priority !== null && { priority: chosen.priority }),
    ...(chosen.dryRun && { dryRun: true as const }),
  };
  const submit = () => {
    start.mutate(
      { body: { ...choices, trigger: 'manual' } },
      {
        onSuccess: ({ id }) => {
          notify(text('start.started', { id }), 'good');
          onClose();
          go(runAddress(id));
        },
      },
    );
  };
  return (
    <Dialog onClose={onClose} size="lg" title={text('start.title', { workflow })}>
      {shown.error && <ErrorPanel error={shown.error} retry={() => void shown.refetch()} />}
      {!shown.data && !shown.error && <SkeletonBlock height={160} />}
      {shown.data && (
        <form
          ref={focusFirst}
          className={styles.fields}
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          {names.length === 0 && <p className="dim">{text('start.noParameters')}</p>}
          {names.map((key) => (
            <ParameterField
              key={key}
              name={key}
              declared={declared[key]}
              value={typed[key] ?? declared[key].default ?? ''}
              touched={key in typed || start.isError}
              last={before.data?.params[key]}
              onChange={(value) => setTyped((now) => ({ ...now, [key]: value }))}
            />
          ))}
          <StartFields
            chosen={chosen}
            otherwise={{ businessTime: text('start.now'), priority: shown.data.workflow.priority }}
            onChange={(change) => setChosen((now) => ({ ...now, ...change }))}
          />
          <Command line={runLine(choices)} />
          {start.error && (
            <ErrorPanel error={start.error} retry={start.error instanceof ApiProblem ? undefined : submit} />
          )}
          <Group justify="flex-end" gap={8}>
            <Button onClick={onClose}>{text('cancel')}</Button>
            <Button type="submit" variant="filled" loading={start.isPending} disabled={wrong.length > 0}>
              {text(chosen.dryRun ? 'start.startDry' : 'start.start')}
            </Button>
          </Group>
        </form>
      )}
    </Dialog>
  );
}

/** The form comes after its dialog, which has put the focus elsewhere by then. */
export function focusFirst(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>('input:not([type="radio"]), textarea, button[type="submit"]')?.focus();
}
