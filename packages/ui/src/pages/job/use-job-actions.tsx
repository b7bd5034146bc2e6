/** What can be done with a job, its servers and its shards: keys, buttons and the questions before it is done. */
import { type ReactNode, useState } from 'react';
import { useGo } from '../../app/link.tsx';
import { useAction } from '../../data/api.ts';
import { useLanguage, useText } from '../../i18n/text.tsx';
import { quoted } from '../../model/again.ts';
import { commandLine } from '../../model/command-line.ts';
import { type Action, ActionButton } from '../../parts/action-button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Command } from '../../parts/copy.tsx';
import { FormDialog } from '../../parts/form.tsx';
import type { KeyBinding } from '../../parts/keys/use-keys.ts';
import { notify } from '../../parts/notices.tsx';
import type { Job } from './job.ts';

const notes = {
  disable: 'job.disableNote',
  enable: 'job.enableNote',
  stop: 'job.stopNote',
  delete: 'job.deleteNote',
} as const;

type Verb = keyof typeof notes;

/** What a verb is for: a server, a shard or an instance; the whole job without them. */
interface Target {
  readonly server?: string;
  readonly shard?: number;
  readonly instance?: string;
}

export interface JobActions {
  readonly keys: readonly KeyBinding[];
  readonly buttons: ReactNode;
  readonly question: ReactNode;
  /** The server's answer for an action. */
  may(name: string): Action | undefined;
  ask(verb: Verb, target?: Target): void;
  trigger(instance?: string): void;
}

const changed = ['showJob', 'listJobs', 'showOverview'] as const;

export function useJobActions(job: Job | undefined): JobActions {
  const text = useText();
  const [asked, setAsked] = useState<{ readonly verb: Verb; readonly target: Target } | null>(null);
  const [triggering, setTriggering] = useState<string | null>(null);
  const may = (name: string) => job?.actions.find((action) => action.name === name);
  const ask = (verb: Verb, target: Target = {}) => setAsked({ verb, target });
  const trigger = (instance = '') => setTriggering(instance);
  const toggle: Verb = job?.status === 'disabled' ? 'enable' : 'disable';
  const deeds = [
    { name: 'trigger-job', keys: 'r', label: text('job.trigger'), run: () => trigger() },
    { name: `${toggle}-job`, keys: 'D', label: text(`job.${toggle}`), run: () => ask(toggle) },
    { name: 'stop-job', keys: 's', label: text('job.stop'), run: () => ask('stop') },
    { name: 'delete-job', keys: undefined, label: text('job.delete'), run: () => ask('delete') },
  ];
  return {
    may,
    ask,
    trigger,
    keys: deeds.map(({ name, keys, label, run }) => {
      const action = may(name);
      return { keys, label, refused: action?.allowed ? undefined : (action ?? name), run };
    }),
    buttons: deeds.map(({ name, keys, label, run }) => (
      <ActionButton
        key={name}
        action={may(name) ?? { name, allowed: false }}
        label={label}
        keys={keys}
        primary={name === 'trigger-job'}
        danger={name === 'delete-job'}
        onRun={run}
      />
    )),
    question: job && (
      <>
        {asked && <Question job={job} {...asked} onClose={() => setAsked(null)} />}
        {triggering !== null && (
          <TriggerDialog
            job={job}
            instance={triggering}
            withParameter={may('trigger-with-parameter')?.allowed ?? false}
            onClose={() => setTriggering(null)}
          />
        )}
      </>
    ),
  };
}

function Question({
  job: { center, name },
  verb,
  target,
  onClose,
}: {
  job: Job;
  verb: Verb;
  target: Target;
  onClose(): void;
}) {
  const { text } = useLanguage();
  const go = useGo();
  const disable = useAction('disableJob', changed);
  const enable = useAction('enableJob', changed);
  const stop = useAction('stopJob', changed);
  const remove = useAction('deleteJob', ['listJobs']);
  const { server, shard, instance } = target;
  const full = `${center}/${name}`;
  const what =
    server !== undefined
      ? text('job.serverOf', { server })
      : shard !== undefined
        ? text('job.shardOf', { shard })
        : (instance ?? full);
  const deed = text(`job.${verb}`);
  const after = {
    onSuccess: () => {
      notify(text('job.done', { deed, what }), 'good');
      onClose();
      if (verb === 'delete') go('/jobs');
    },
    onError: (error: Error) => notify(error, 'bad'),
  };
  const path = { center, job: name };
  const confirm = () => {
    if (verb === 'stop') stop.mutate({ ...path, body: { instance } }, after);
    else if (verb === 'delete') remove.mutate(path, after);
    else (verb === 'disable' ? disable : enable).mutate({ ...path, body: { server, shard } }, after);
  };
  return (
    <Confirm
      title={text('job.deedOf', { deed, what })}
      deed={deed}
      danger={verb === 'delete' || verb === 'stop'}
      pending={[disable, enable, stop, remove].some(({ isPending }) => isPending)}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{text(notes[verb])}</p>
      <Command line={commandLine(`orrery jobs ${verb} ${quoted(full)}`, { ...target })} />
    </Confirm>
  );
}

function TriggerDialog({
  job: { center, name, instanceList },
  instance,
  withParameter,
  onClose,
}: {
  job: Job;
  instance: string;
  withParameter: boolean;
  onClose(): void;
}) {
  const { text } = useLanguage();
  const [values, setValues] = useState({ instance, parameter: '' });
  const send = useAction('triggerJob', changed);
  const full = `${center}/${name}`;
  const body = { instance: values.instance || undefined, parameter: values.parameter || undefined };
  return (
    <FormDialog
      title={text('job.triggerTitle', { job: full })}
      fields={[
        {
          name: 'instance',
          label: text('job.instance'),
          kind: 'select',
          options: instanceList.map(({ id }) => id),
          placeholder: text('job.allInstances'),
        },
        ...(withParameter ? [{ name: 'parameter', label: text('job.triggerParameter') }] : []),
      ]}
      values={values}
      onChange={(change) => setValues((now) => ({ ...now, ...change }))}
      command={commandLine(`orrery jobs trigger ${quoted(full)}`, body)}
      error={send.error}
      pending={send.isPending}
      deed={text('job.trigger')}
      onSubmit={() =>
        send.mutate(
          { center, job: name, body },
          {
            onSuccess: ({ instances }) => {
              notify(text('job.asked', { job: full, count: instances.length }), 'good');
              onClose();
            },
          },
        )
      }
      onClose={onClose}
    >
      {!withParameter && <p>{text('job.noParameter')}</p>}
    </FormDialog>
  );
}
