/** A small button that goes one step: to the attempt or the hit before, or the one after. */
import { ActionIcon } from '@mantine/core';
import type { ReactNode } from 'react';

export function StepButton({ label, icon, act }: { label: string; icon: ReactNode; act: () => void }) {
  return (
    <ActionIcon variant="default" aria-label={label} data-hint={label} onClick={act}>
      {icon}
    </ActionIcon>
  );
}
