/** Steps to the run before and after this one in the list one came from: two buttons, and the keys `[` and `]`. */
import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { runAddress } from '../../app/addresses.ts';
import { useGo } from '../../app/link.tsx';
import { besideOnTrail } from '../../data/trail.ts';
import { useText } from '../../i18n/text.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';

const steps = [
  { by: -1, keys: '[', word: 'run.key.previous', Icon: IconChevronLeft },
  { by: 1, keys: ']', word: 'run.key.next', Icon: IconChevronRight },
] as const;

export function RunSteps({ id }: { id: number }) {
  const text = useText();
  const go = useGo();
  const ways = steps.map(({ by, keys, word, Icon }) => {
    const other = besideOnTrail(id, by);
    return {
      keys,
      label: text(word),
      refused: other === undefined ? text('run.noNeighbour') : undefined,
      run: () => other !== undefined && go(runAddress(other)),
      Icon,
    };
  });
  useKeys(ways);
  return ways.map(({ keys, label, refused, run, Icon }) => (
    <ActionIcon
      key={keys}
      size={28}
      variant="default"
      aria-label={label}
      aria-disabled={refused !== undefined || undefined}
      aria-description={refused}
      data-disabled={refused !== undefined || undefined}
      data-hint={refused ?? keys}
      onClick={run}
    >
      <Icon size={14} />
    </ActionIcon>
  ));
}
