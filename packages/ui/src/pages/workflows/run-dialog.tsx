/** Starts a run: a form typed from what the workflow declares, the last values offered, and the same as a command. */
import { Button, Group, Select } from '@mantine/core';
import { ApiProblem } from '@orrery/sdk/client';
import { useState } from 'react';
import { runAddress } from '../../app/addresses.ts';
import { useGo } from '../../app/link.tsx';
import { useAction, useApi } from '../../data/api.ts';
import { useText } from '../../i18n/text.tsx';
import { type Declared, fault, givenValues, runLine, type Typed } from '../../model/run-form.ts';
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
  /** A test run of its draft instead of a run of the live version. */
  readonly draft?: {
    readonly revision: number;
    readonly params: Readonly<Record<string, Declared>>;
    readonly priority: string;
    readonly tasks: readonly { readonly name: string }[];
  };
  readonly onClose: () => void;
}

const parts = ['from', 'to', 'only'] as const;
const partWords = { from: 'start.from', to: 'start.to', only: 'start.only' } as const;

/** The part of the graph that is run: around one task. */
interface Part {
  readonly kind: (typeof parts)[number] | null;
  readonly task: string | null;
}

export function RunDialog({ workflow, draft, onClose }: RunDialogProps) {
  const text = useText();
  const go = useGo();
  const shown = useApi('showWorkflow', draft ? null : namedBy(workflow));
  const it = draft ?? shown.data?.workflow;
  const last = useApi('listRuns', { workflow, limit: 1 });
  const [typed, setTyped] = useState<Typed>({});
  const [chosen, setChosen] = useState<StartChoices>({
    businessTime: '',
    priority: null,
    dryRun: false,
    counts: false,
  });
  const [part, setPart] = useState<Part>({ kind: null, task: null });
  const run = useAction('startRun', ['listRuns', 'listWorkflows']);
  const test = useAction('testDraft', ['listRuns', 'listWorkflows']);
  const start = draft ? test : run;
  const declared = it?.params ?? {};
  const names = Object.keys(declared);
  const params = givenValues(declared, typed);
  const lastId = last.data?.runs[0]?.id;
  const before = useApi('showRun', lastId === undefined ? null : { id: lastId });
  const wrong = names.filter(
    (key) => fault(declared[key], typed[key] ?? declared[key].default ?? '') !== null,
  );
  const choices = {
    params,
    ...(chosen.businessTime !== '' && { businessTime: chosen.businessTime }),
    ...(chosen.priority !== null && { priority: chosen.priority }),
    ...(chosen.dryRun && { dryRun: true as const }),
    ...(part.task !== null && part.kind !== null && { scope: { kind: part.kind, tasks: [part.task] } }),
  };
  const partial = 'scope' in choices && !draft;
  const counted = chosen.counts && (chosen.dryRun || partial) ? { counts: true as const } : {};
  const begun = {
    onSuccess: ({ id }: { readonly id: number }) => {
      notify(text('start.started', { id }), 'good');
      onClose();
      go(runAddress(id));
    },
  };
  const submit = () => {
    const body = { ...choices, trigger: 'manual' as const };
    if (draft) test.mutate({ ...namedBy(workflow), ifMatch: `"${draft.revision}"`, body }, begun);
    else run.mutate({ body: { workflow, ...body, ...counted } }, begun);
  };
  return (
    <Dialog onClose={onClose} size="lg" title={text(draft ? 'start.testTitle' : 'start.title', { workflow })}>
      {shown.error && <ErrorPanel error={shown.error} retry={() => void shown.refetch()} />}
      {!it && !shown.error && <SkeletonBlock height={160} />}
      {it && (
        <form
          ref={focusFirst}
          className={styles.fields}
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          {draft && <p className="dim">{text('start.testNote')}</p>}
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
            <Select
              label={text('start.part')}
              placeholder={text('start.allTasks')}
              clearable
              data={parts.map((value) => ({ value, label: text(partWords[value]) }))}
              value={part.kind}
              onChange={(kind) => setPart({ ...part, kind: kind as Part['kind'] })}
            />
            <Select
              label={text('start.task')}
              searchable
              limit={50}
              disabled={part.kind === null}
              data={it.tasks.map(({ name }) => name)}
              value={part.task}
              onChange={(task) => setPart({ ...part, task })}
            />
          </div>
          <StartFields
            partial={partial}
            chosen={chosen}
            otherwise={{ businessTime: text('start.now'), priority: it.priority }}
            never={draft !== undefined}
            onChange={(change) => setChosen((now) => ({ ...now, ...change }))}
          />
          <Command line={runLine({ workflow, ...(draft && { draft: true }), ...choices, ...counted })} />
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
