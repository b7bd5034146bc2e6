/** How a worker group chooses the worker of an attempt. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useAction, useApi, useRight } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { quoted } from '../../model/again.ts';
import { linesOf, pairsOf } from '../../model/pairs.ts';
import { FormDialog } from '../../parts/form.tsx';
import { Section } from '../../parts/section.tsx';

type Choice = Pick<AnswerOf<'listWorkerGroups'>['workerGroups'][number], 'choose' | 'weights'>;

const words = {
  queue: 'groups.choice.queue',
  'least-loaded': 'groups.choice.least-loaded',
  weighted: 'groups.choice.weighted',
  sticky: 'groups.choice.sticky',
} as const satisfies Record<Choice['choose'], string>;
const choices = Object.keys(words) as Choice['choose'][];
const byQueue: Choice = { choose: 'queue', weights: {} };

export function WorkerChoice({ name }: { name: string }) {
  const text = useText();
  const [open, setOpen] = useState(false);
  const query = useApi('listWorkerGroups', {});
  const may = useRight('setWorkerChoice');
  const choice = query.data?.workerGroups.find((group) => group.name === name) ?? byQueue;
  const weights = Object.entries(choice.weights).map(([worker, weight]) => `${worker} ${weight}`);
  return (
    <Section
      title={text('groups.choice')}
      query={query}
      actions={may && <Button onClick={() => setOpen(true)}>{text('groups.setChoice')}</Button>}
    >
      <p>{[text(words[choice.choose]), ...weights].join(' · ')}</p>
      {open && <SetChoice name={name} choice={choice} onClose={() => setOpen(false)} />}
    </Section>
  );
}

function SetChoice({ name, choice, onClose }: { name: string; choice: Choice; onClose(): void }) {
  const text = useText();
  const given = Object.fromEntries(
    Object.entries(choice.weights).map(([worker, weight]) => [worker, String(weight)]),
  );
  const [values, setValues] = useState({ choose: choice.choose as string, weights: linesOf(given) });
  const set = useAction('setWorkerChoice', ['listWorkerGroups', 'listAudit']);
  const choose = choices.find((one) => one === values.choose) ?? 'queue';
  const pairs = choose === 'weighted' ? Object.entries(pairsOf(values.weights).values) : [];
  const options = pairs.map(([worker, weight]) => ` --weight ${quoted(`${worker}=${weight}`)}`).join('');
  return (
    <FormDialog
      title={text('groups.choice')}
      fields={[
        {
          name: 'choose',
          label: text('groups.choice'),
          kind: 'select',
          required: true,
          options: choices.map((value) => ({ value, label: text(words[value]) })),
        },
        ...(choose === 'weighted'
          ? [{ name: 'weights', label: text('groups.choiceWeights'), kind: 'pairs' as const }]
          : []),
      ]}
      values={values}
      onChange={(change) => setValues((now) => ({ ...now, ...change }))}
      command={`orrery worker-groups choose ${quoted(name)} ${choose}${options}`}
      error={set.error}
      pending={set.isPending}
      deed={text('groups.setChoice')}
      onSubmit={() =>
        set.mutate(
          {
            name,
            body: {
              choose,
              weights: Object.fromEntries(pairs.map(([worker, weight]) => [worker, Number(weight)])),
            },
          },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    />
  );
}
