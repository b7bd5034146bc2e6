/** Publishing a draft: what differs from the live version in words, graph and text, what it means, and a note. */
import { ApiProblem } from '@orrery/sdk/client';
import { useState } from 'react';
import { queries, useAction, useApi } from '../../data/api.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { quoted } from '../../model/again.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Form } from '../../parts/form.tsx';
import { notify } from '../../parts/notices.tsx';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import { Time } from '../../parts/time.tsx';
import { Changes, type Comparison, DiffGraph, TextDiff } from '../workflow/version-diff.tsx';
import style from './editor.module.css';
import type { OutlinedTask } from './reading.ts';

interface PublishDialogProps {
  readonly project: string;
  readonly name: string;
  readonly live: number | null;
  readonly revision: number;
  readonly nextDue: string | null;
  readonly tasks: readonly OutlinedTask[];
  onPublished(version: number | null): void;
  onClose(): void;
}

/** One key per dialog: a publish without an answer is retried under the same key. */
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-');

export function PublishDialog({
  project,
  name,
  live: given,
  revision,
  nextDue,
  tasks,
  onPublished,
  onClose,
}: PublishDialogProps) {
  const { text } = useLanguage();
  // The version that it is compared with: once it is published there is no draft to compare.
  const [live] = useState(given);
  const [note, setNote] = useState('');
  const [task, setTask] = useState<string>();
  const [idempotencyKey] = useState(newKey);
  const full = `${project}/${name}`;
  const input = live === null ? null : ({ project, name, from: live, to: 'draft' } as const);
  const { data: compared, error } = useApi('compareVersions', input);
  const before = useApi('showWorkflow', live === null ? null : { project, name, version: live }).data
    ?.workflow.tasks;
  const open = useApi(
    'listRuns',
    live === null ? null : { workflow: full, state: [...openStates], count: true, limit: 1 },
  ).data?.count;
  const publish = useAction('publishDraft', ['showWorkflow', 'listWorkflows', 'listVersions']);
  const isSame = compared?.same ?? false;
  return (
    <Dialog title={text('editor.publishTitle', { name: full })} size="xl" onClose={onClose}>
      <Form
        fields={[{ name: 'note', label: text('workflow.note'), placeholder: text('editor.notePlaceholder') }]}
        values={{ note }}
        onChange={(change) => setNote(change.note)}
        command={`orrery apply -f ${quoted(`${name}.yaml`)}${note === '' ? '' : ` --note ${quoted(note)}`}`}
        deed={text('publish.publish')}
        pending={publish.isPending}
        disabled={live !== null && !compared}
        error={publish.error}
        onCancel={onClose}
        onSubmit={() =>
          publish.mutate(
            { project, name, ifMatch: `"${revision}"`, idempotencyKey, body: note === '' ? {} : { note } },
            {
              onSuccess: ({ version }) => {
                notify(text('editor.published', { name: full, version: version ?? 0 }), 'good');
                void queries.invalidateQueries({ queryKey: ['showOverview'] });
                onPublished(version);
              },
            },
          )
        }
      >
        <ul className={style.effects} aria-label={text('editor.effects')}>
          {live === null && <li>{text('editor.firstVersion', { count: tasks.length })}</li>}
          {isSame && <li>{text('editor.sameAsLive', { live: live ?? 0 })}</li>}
          {compared && effectsOf(compared).map(([key, count]) => <li key={key}>{text(key, { count })}</li>)}
          {open && open.value > 0 && (
            <li>{text('editor.runsStay', { count: open.value, live: live ?? 0 })}</li>
          )}
          {nextDue !== null && !isSame && (
            <li>
              {text('editor.nextTick')} <Time at={nextDue} form="absolute" />
            </li>
          )}
        </ul>
        {error && !compared && error instanceof ApiProblem && <ErrorPanel error={error} />}
        {live !== null && !compared && !error && <SkeletonBlock height={160} />}
        {compared && !isSame && (
          <div className={style.diff}>
            <Changes compared={compared} onTask={setTask} />
            <DiffGraph before={before} after={tasks} compared={compared} task={task} onTask={setTask} />
            <TextDiff texts={compared.texts} unified task={task} />
          </div>
        )}
      </Form>
    </Dialog>
  );
}

const openStates = ['queued', 'running', 'pausing', 'paused', 'stopping'] as const;

/** What changes, by kind; kinds without a change are left out. */
function effectsOf({ tasks, schedules, fields }: Comparison) {
  const others = schedules.added.length + schedules.removed.length + schedules.changed.length + fields.length;
  const counts = [
    ['editor.tasksAdded', tasks.added.length],
    ['editor.tasksRemoved', tasks.removed.length],
    ['editor.tasksChanged', tasks.changed.length],
    ['editor.otherChanges', others],
  ] as const;
  return counts.filter(([, count]) => count > 0);
}
