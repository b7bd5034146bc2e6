/** Mutes a need until a time, with a reason; the author is recorded. */
import { Button, Group, SegmentedControl, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../data/api.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import type { Need } from './need.ts';

const choices = [
  ['2', 'mute.hours'],
  ['24', 'mute.day'],
  ['0', 'mute.more'],
] as const;

export function MuteDialog({ need, onClose }: { need: Need; onClose: () => void }) {
  const { text, sentence } = useLanguage();
  const [hours, setHours] = useState('2');
  const [reason, setReason] = useState('');
  const mute = useAction('muteNeed', ['showOverview']);
  return (
    <Dialog onClose={onClose} title={text('mute.title')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // By the server's clock: the browser's may be off by hours.
          const until = hours === '0' ? undefined : `+${hours}h`;
          mute.mutate({ id: need.id, body: { until, reason } }, { onSuccess: onClose });
        }}
      >
        <p>{sentence(need.text, need.said)}</p>
        <SegmentedControl
          my={12}
          fullWidth
          aria-label={text('mute.until')}
          value={hours}
          onChange={setHours}
          data={choices.map(([value, label]) => ({ value, label: text(label) }))}
        />
        <TextInput
          label={text('mute.reason')}
          data-autofocus
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
        {mute.error && <ErrorPanel error={mute.error} />}
        <Group justify="flex-end" mt={16} gap={8}>
          <Button onClick={onClose}>{text('cancel')}</Button>
          <Button type="submit" variant="filled" loading={mute.isPending}>
            {text('home.mute')}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
