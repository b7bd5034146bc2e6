/** What a run is started with beside its parameters: business time, priority, and whether to run anything. */
import { Checkbox, Select, TextInput } from '@mantine/core';
import { useText } from '../../i18n/text.tsx';
import styles from './workflows.module.css';

const priorities = ['highest', 'high', 'medium', 'low', 'lowest'] as const;

/** What was chosen; a business time left empty and no priority are what they would be anyway. */
export interface StartChoices {
  readonly businessTime: string;
  readonly priority: (typeof priorities)[number] | null;
  readonly dryRun: boolean;
  /** Whether a dry run, or a run of some tasks, counts all the same. */
  readonly counts: boolean;
}

interface StartFieldsProps {
  readonly chosen: StartChoices;
  /** Placeholders of empty fields. */
  readonly otherwise: { readonly businessTime: string; readonly priority: string };
  /** Only some tasks run. */
  readonly partial: boolean;
  /** It counts in no case. */
  readonly never?: boolean;
  onChange(change: Partial<StartChoices>): void;
}

export function StartFields({ chosen, otherwise, partial, never = false, onChange }: StartFieldsProps) {
  const text = useText();
  return (
    <>
      <div className={styles.pair}>
        <TextInput
          label={text('start.businessTime')}
          placeholder={otherwise.businessTime}
          value={chosen.businessTime}
          onChange={({ currentTarget }) => onChange({ businessTime: currentTarget.value })}
        />
        <Select
          label={text('start.priority')}
          placeholder={otherwise.priority}
          clearable
          data={priorities}
          value={chosen.priority}
          onChange={(priority) => onChange({ priority })}
        />
      </div>
      <Checkbox
        label={text('start.dry')}
        description={text('start.dryNote')}
        checked={chosen.dryRun}
        onChange={({ currentTarget }) => onChange({ dryRun: currentTarget.checked })}
      />
      {(chosen.dryRun || partial) && !never && (
        <Checkbox
          label={text('start.counts')}
          description={text('start.countsNote')}
          checked={chosen.counts}
          onChange={({ currentTarget }) => onChange({ counts: currentTarget.checked })}
        />
      )}
    </>
  );
}
