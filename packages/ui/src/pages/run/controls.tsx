/** What can be done with a run and its tasks: buttons drawn from what the server allows, and the questions they ask. */
import { Button, Group, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../data/api.ts';
import { call } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import type { RunTasks, Task } from '../../model/run.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { FormDialog, type FormValues } from '../../parts/form.tsx';
import { controlWords, useControl } from '../../parts/use-control.ts';
import style from './run.module.css';
import type { Question } from './run-search.ts';
import { TagsDialog } from './tags-dialog.tsx';
import type { ShownRun } from './use-run.ts';

/** The task runs that a stop would kill, from the server; a pause lets those that run finish. */
function useWould(run: number, control: 'stop' | 'pause', running: readonly string[]) {
  return useQuery({
    queryKey: ['would', run, control],
    staleTime: 0,
    // An old answer is not shown while the server is asked again.
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const { would } = await call(
        control === 'stop' ? 'stopRun' : 'pauseRun',
        { id: run, body: { dryRun: true } },
        { signal },
      );
      const kill = would?.effects.find(({ what }) => what === 'kill');
      return control === 'stop'
        ? { names: kill?.tasks ?? [], count: kill?.count ?? 0 }
        : { names: running, count: running.length };
    },
  });
}

interface QuestionProps {
  readonly question: Question;
  readonly run: ShownRun;
  readonly tasks: RunTasks;
  /** The task that `force` and `kill` are about. */
  readonly task: Task | undefined;
  readonly onClose: () => void;
}

/** The question a control asks before it is sent. */
export function ControlQuestion({ question, run, tasks, task, onClose }: QuestionProps) {
  switch (question) {
    case 'stop':
    case 'pause':
      return <RunQuestion control={question} run={run} tasks={tasks} onClose={onClose} />;
    case 'force':
    case 'kill':
      return task ? <TaskQuestion control={question} run={run} task={task} onClose={onClose} /> : null;
    case 'set-params':
      return <ParamsQuestion run={run} onClose={onClose} />;
    case 'set-priority':
      return <PriorityQuestion run={run} onClose={onClose} />;
    case 'tag':
      return <TagsDialog run={run} onClose={onClose} />;
  }
}

const SHOWN = 12;

/** A stop lists what will be killed, a pause what will run to its end. */
function RunQuestion({
  control,
  run,
  tasks,
  onClose,
}: {
  control: 'stop' | 'pause';
  run: ShownRun;
  tasks: RunTasks;
  onClose: () => void;
}) {
  const text = useText();
  const { send, pending } = useControl(run.id, control, onClose);
  const running = tasks.tasks.filter(({ state }) => state === 'running').map(({ name }) => name);
  const { data: would, error } = useWould(run.id, control, running);
  const stop = control === 'stop';
  return (
    <Confirm
      title={text(stop ? 'run.stop.title' : 'run.pause.title', { id: run.id })}
      deed={text(controlWords[control])}
      danger={stop}
      pending={pending}
      onConfirm={() => send({})}
      onClose={onClose}
    >
      {error && <ErrorPanel error={error} />}
      {would && <p>{text(stop ? 'run.stop.kills' : 'run.pause.finish', { count: would.count })}</p>}
      {would && would.count > 0 && (
        <ul className={style.names}>
          {would.names.slice(0, SHOWN).map((name) => (
            <li key={name}>{name}</li>
          ))}
          {would.count > SHOWN && <li>{text('run.stop.more', { count: would.count - SHOWN })}</li>}
        </ul>
      )}
    </Confirm>
  );
}

/** Changing the outcome of a task by hand wants a reason. */
function TaskQuestion(props: { control: 'force' | 'kill'; run: ShownRun; task: Task; onClose: () => void }) {
  const { control, run, task, onClose } = props;
  const text = useText();
  const [reason, setReason] = useState('');
  const { send, pending } = useControl(run.id, control, onClose);
  const force = control === 'force';
  const missing = force && reason.trim() === '';
  return (
    <Confirm
      title={text(force ? 'run.force.title' : 'run.kill.title', { task: task.name })}
      deed={text(controlWords[control])}
      danger={!force}
      pending={pending}
      onConfirm={() => !missing && send({ task: task.name, reason: reason.trim() || undefined })}
      onClose={onClose}
    >
      <p>{text(force ? 'run.force.what' : 'run.kill.what')}</p>
      <Textarea
        mt={12}
        data-autofocus
        label={text('run.reason')}
        description={force ? text('run.reasonNeeded') : undefined}
        required={force}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </Confirm>
  );
}

const priorities = ['highest', 'high', 'medium', 'low', 'lowest'] as const;

/** Which of those that wait starts first; a run that has started keeps its priority. */
function PriorityQuestion({ run, onClose }: { run: ShownRun; onClose: () => void }) {
  const text = useText();
  const [values, setValues] = useState<FormValues>({ priority: run.priority, reason: '' });
  const set = useAction('setRunPriority', ['showRun', 'listRuns']);
  const { priority, reason } = values;
  return (
    <FormDialog
      title={text('run.priority.title', { id: run.id })}
      fields={[
        {
          name: 'priority',
          label: text('start.priority'),
          kind: 'select',
          required: true,
          options: [...priorities],
        },
        { name: 'reason', label: text('run.reason') },
      ]}
      values={values}
      onChange={(change) => setValues((now) => ({ ...now, ...change }))}
      command={`orrery runs set-priority ${priority} ${run.id}`}
      error={set.error}
      pending={set.isPending}
      disabled={priority === run.priority}
      deed={text('run.priority.save')}
      onSubmit={() =>
        set.mutate(
          {
            id: run.id,
            body: {
              priority: priority as (typeof priorities)[number],
              ...(reason.trim() && { reason: reason.trim() }),
            },
          },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <p className="dim">{text('run.priority.note')}</p>
    </FormDialog>
  );
}

function ParamsQuestion({ run, onClose }: { run: ShownRun; onClose: () => void }) {
  const text = useText();
  const { send, pending } = useControl(run.id, 'set-params', onClose);
  const [params, setParams] = useState<Readonly<Record<string, string>>>(run.params);
  const changed = Object.entries(params).filter(([name, value]) => run.params[name] !== value);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (changed.length > 0) send({ params: Object.fromEntries(changed) });
  };
  return (
    <Dialog onClose={onClose} title={text('run.params.title', { id: run.id })}>
      <form onSubmit={submit} className={style.section}>
        {Object.keys(params).length === 0 && <p>{text('run.params.none')}</p>}
        {Object.entries(params).map(([name, value]) => (
          <TextInput
            key={name}
            label={name}
            value={value}
            onChange={(event) => setParams({ ...params, [name]: event.currentTarget.value })}
          />
        ))}
        <Group justify="flex-end" gap={8}>
          <Button onClick={onClose}>{text('cancel')}</Button>
          <Button type="submit" variant="filled" loading={pending} disabled={changed.length === 0}>
            {text('run.params.save')}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
