/** Worker groups: which projects' tasks their workers take. */
import { useState } from 'react';
import { useAction, useApi, useRight } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { quoted } from '../../model/again.ts';
import { namesOf } from '../../model/pairs.ts';
import { FormDialog } from '../../parts/form.tsx';
import { ManagedTable } from '../../parts/managed-table.tsx';
import { Time } from '../../parts/time.tsx';
import { EVERY } from './every.ts';

type WorkerGroup = AnswerOf<'listWorkerGroups'>['workerGroups'][number];

export function WorkerGroups() {
  const text = useText();
  const query = useApi('listWorkerGroups', {}, { every: EVERY });
  return (
    <ManagedTable
      title={text('settings.workerGroups')}
      query={query}
      rows={query.data?.workerGroups}
      nameOf={({ name }) => name}
      none={text('workerGroups.none')}
      command="orrery worker-groups set gpu --projects research"
      create={text('workerGroups.new')}
      may={useRight('setWorkerGroup')}
      columns={[
        { label: text('settings.name'), head: true, cell: ({ name }) => name },
        { label: text('workerGroups.workers'), cell: ({ workers }) => workers },
        {
          label: text('settings.projects'),
          cell: ({ projects }) => projects.join(', ') || text('project.all'),
        },
        { label: text('settings.changed'), cell: ({ changedAt }) => <Time at={changedAt} /> },
      ]}
      form={(one, onClose) => <EditWorkerGroup group={one} onClose={onClose} />}
    >
      <p className="dim">{text('workerGroups.note')}</p>
    </ManagedTable>
  );
}

function EditWorkerGroup({ group, onClose }: { group: WorkerGroup | null; onClose(): void }) {
  const text = useText();
  const [values, setValues] = useState({
    name: group?.name ?? '',
    projects: group?.projects.join(', ') ?? '',
  });
  const set = useAction('setWorkerGroup', ['listWorkerGroups', 'listAudit']);
  const projects = namesOf(values.projects);
  return (
    <FormDialog
      title={group ? text('settings.editOf', { name: group.name }) : text('workerGroups.new')}
      fields={[
        ...(group ? [] : [{ name: 'name', label: text('settings.name'), required: true }]),
        { name: 'projects', label: text('settings.projects'), placeholder: text('project.all') },
      ]}
      values={values}
      onChange={(change) => setValues((now) => ({ ...now, ...change }))}
      error={set.error}
      pending={set.isPending}
      deed={text('schedule.save')}
      command={`orrery worker-groups set ${quoted(values.name)} --projects ${projects.map(quoted).join(',') || 'all'}`}
      onSubmit={() =>
        set.mutate(
          { name: values.name, ifMatch: String(group?.revision ?? 0), body: { projects } },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <p className="dim">{text('workerGroups.effect')}</p>
    </FormDialog>
  );
}
