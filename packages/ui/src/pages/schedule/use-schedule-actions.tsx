/** What can be done with one schedule: pause, resume, fire now, edit; its keys, its buttons and its dialogs. */
import { type ReactNode, useState } from 'react';
import { runAddress } from '../../app/addresses.ts';
import { useGo } from '../../app/link.tsx';
import { useAction } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Command } from '../../parts/copy.tsx';
import type { KeyBinding } from '../../parts/keys/use-keys.ts';
import { notify } from '../../parts/notices.tsx';
import { EditSchedule } from './edit-schedule.tsx';

export type Schedule = AnswerOf<'showSchedule'>;

const changed = ['listSchedules', 'showSchedule', 'listScheduleTicks', 'listWorkflows'] as const;

/** Nothing can be done while there is no schedule. */
export function useScheduleActions(schedule: Schedule | undefined): {
  readonly keys: readonly KeyBinding[];
  readonly buttons: ReactNode;
  readonly question: ReactNode;
} {
  const text = useText();
  const go = useGo();
  const [open, setOpen] = useState<'fire' | 'edit' | null>(null);
  const pause = useAction('pauseSchedule', changed);
  const resume = useAction('resumeSchedule', changed);
  const fire = useAction('fireSchedule', ['listScheduleTicks', 'listRuns']);
  if (!schedule) return { keys: [], buttons: null, question: null };
  const { id, name, state, version } = schedule;
  const isOn = state === 'on';
  const toggle = () =>
    (isOn ? pause : resume).mutate(
      { id, ifMatch: String(version) },
      {
        onSuccess: () => notify(text(isOn ? 'schedule.pausedNow' : 'schedule.resumedNow', { name }), 'good'),
        onError: (error) => notify(error, 'bad'),
      },
    );
  const close = () => setOpen(null);
  const fireNow = () =>
    fire.mutate(
      { id },
      {
        onSuccess: ({ id: run }) => {
          notify(text('start.started', { id: run }), 'good');
          close();
          go(runAddress(run));
        },
        onError: (error) => notify(error, 'bad'),
      },
    );
  const words = {
    toggle: text(isOn ? 'schedule.pause' : 'schedule.resume'),
    fire: text('schedule.fire'),
    edit: text('schedule.edit'),
  };
  return {
    keys: [
      { keys: 'r', label: words.fire, run: () => setOpen('fire') },
      { keys: 'p', label: words.toggle, run: toggle },
      { keys: 'e', label: words.edit, run: () => setOpen('edit') },
    ],
    buttons: (
      <>
        <ActionButton label={words.edit} keys="e" onRun={() => setOpen('edit')} />
        <ActionButton
          label={words.toggle}
          keys="p"
          pending={pause.isPending || resume.isPending}
          onRun={toggle}
        />
        <ActionButton label={words.fire} keys="r" primary onRun={() => setOpen('fire')} />
      </>
    ),
    question: (
      <>
        {open === 'fire' && (
          <Confirm
            title={text('schedule.fireTitle', { name })}
            deed={words.fire}
            pending={fire.isPending}
            onConfirm={fireNow}
            onClose={close}
          >
            <p>{text('schedule.fireNote')}</p>
            <Command line={`orrery schedules fire ${id}`} />
          </Confirm>
        )}
        {open === 'edit' && <EditSchedule schedule={schedule} onClose={close} />}
      </>
    ),
  };
}
