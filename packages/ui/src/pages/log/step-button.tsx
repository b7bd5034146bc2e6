/** A small button that goes one step: to the attempt or the hit before, or the one after. */
import { ActionIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import { shown } from '../../parts/keys/match.ts';
import { isMac } from '../../parts/keys/use-keys.ts';

interface StepButtonProps {
  readonly label: string;
  /** The key that does the same. */
  readonly keys: string;
  readonly icon: ReactNode;
  readonly act: () => void;
}

export function StepButton({ label, keys, icon, act }: StepButtonProps) {
  return (
    <ActionIcon
      variant="default"
      aria-label={label}
      data-hint={`${label} · ${shown(keys, isMac)}`}
      onClick={act}
    >
      {icon}
    </ActionIcon>
  );
}
