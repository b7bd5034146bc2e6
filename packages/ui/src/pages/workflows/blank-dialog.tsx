/** Creates an empty workflow for the editor; asks only for its name. */
import { useState } from 'react';
import { useApi } from '../../data/api.ts';
import { useText } from '../../i18n/text.tsx';
import { FormDialog } from '../../parts/form.tsx';
import { useNewDraft } from './use-new-draft.ts';

export function BlankDialog({ onClose }: { onClose: () => void }) {
  const text = useText();
  const { data: me } = useApi('showMe', {});
  const [values, setValues] = useState<Record<string, string>>({ project: 'default', name: '' });
  const draft = useNewDraft();
  const { project, name } = values;
  return (
    <FormDialog
      title={text('workflows.blank')}
      fields={[
        { name: 'name', label: text('workflows.name'), required: true },
        {
          name: 'project',
          label: text('workflows.project'),
          kind: 'select',
          options: me?.projects ?? [project],
          required: true,
        },
      ]}
      values={values}
      onChange={(change) => setValues((now) => ({ ...now, ...change }))}
      deed={text('workflows.openEditor')}
      pending={draft.isPending}
      error={draft.error}
      onSubmit={() =>
        draft.make(
          project,
          name,
          `${project === 'default' ? '' : `project: ${project}\n`}name: ${name}\ntasks: []\n`,
        )
      }
      onClose={onClose}
    />
  );
}
