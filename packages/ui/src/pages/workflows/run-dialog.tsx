/** Starts a run: a form typed from what the workflow declares, the last values offered, and the same as a command. */
import { Button, Checkbox, Group, Modal, Select, TextInput } from '@mantine/core';
import { ApiProblem } from '@orrery/sdk/client';
import { useState } from 'react';
import { runAddress } from '../../app/addresses.ts';
import { useGo } from '../../app/link.tsx';
import { useAction, useApi } from '../../data/api.ts';
import { useText } from '../../i18n/text.tsx';
import { fault, givenValues, runLine, type Typed } from '../../model/run-form.ts';
import { Command } from '../../parts/copy.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { notify } from '../../parts/notices.tsx';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import { ParameterField } from './parameter-field.tsx';
import styles from './workflows.module.css';

const priorities = ['highest', 'high', 'medium', 'low', 'lowest'] as const;

interface RunDialogProps {
  readonly workflow: string;
  /** What the fields begin with, such as the values of a run that is played again. */
  readonly given?: { readonly params: Typed; readonly businessTime: string };
  readonly onClose: () => void;
}

export function RunDialog({ workflow, given, onClose }: RunDialogProps) {
  const text = useText();
  const go = useGo();
  const [project, name] = split(workflow);
  const shown = useApi('showWorkflow', { project, name });
  const last = useApi('listRuns', { workflow, limit: 1 });
  const [typed, setTyped] = useState<Typed>(given?.params ?? {});
  const [businessTime, setBusinessTime] = useState(given?.businessTime ?? '');
  const [priority, setPriority] = useState<(typeof priorities)[number] | null>(null);
  const [dryRun, setDryRun] = useState(false);
  const start = useAction('startRun', ['listRuns', 'listWorkflows']);
  const declared = shown.data?.workflow.params ?? {};
  const names = Object.keys(declared);
  const params = givenValues(declared, typed);
  const lastId = last.data?.runs[0]?.id;
  const before = useApi('showRun', lastId === undefined ? null : { id: lastId });
  const wrong = names.filter(
    (key) => fault(declared[key], typed[key] ?? declared[key].default ?? '') !== null,
  );
  const submit = () => {
    const body = {
      workflow,
      params,
      dryRun,
      trigger: 'manual' as const,
      ...(businessTime !== '' && { businessTime }),
      ...(priority !== null && { priority }),
    };
    start.mutate(
      { body },
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
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={text('start.title', { workflow })}
      closeButtonProps={{ 'aria-label': text('close') }}
    >
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
          <div className={styles.pair}>
            <TextInput
              label={text('start.businessTime')}
              placeholder={text('start.now')}
              value={businessTime}
              onChange={({ currentTarget }) => setBusinessTime(currentTarget.value)}
            />
            <Select
              label={text('start.priority')}
              placeholder={shown.data.workflow.priority}
              clearable
              data={priorities}
              value={priority}
              onChange={setPriority}
            />
          </div>
          <Checkbox
            label={text('start.dry')}
            description={text('start.dryNote')}
            checked={dryRun}
            onChange={({ currentTarget }) => setDryRun(currentTarget.checked)}
          />
          <Command
            line={runLine({ workflow, params, businessTime, priority: priority ?? undefined, dryRun })}
          />
          {start.error && (
            <ErrorPanel error={start.error} retry={start.error instanceof ApiProblem ? undefined : submit} />
          )}
          <Group justify="flex-end" gap={8}>
            <Button onClick={onClose}>{text('cancel')}</Button>
            <Button type="submit" variant="filled" loading={start.isPending} disabled={wrong.length > 0}>
              {text(dryRun ? 'start.startDry' : 'start.start')}
            </Button>
          </Group>
        </form>
      )}
    </Modal>
  );
}

/** The form comes after its dialog, which has put the focus elsewhere by then. */
function focusFirst(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>('input, textarea, button[type="submit"]')?.focus();
}

function split(workflow: string): [project: string, name: string] {
  const at = workflow.indexOf('/');
  return at < 0 ? ['default', workflow] : [workflow.slice(0, at), workflow.slice(at + 1)];
}
