/**
 * A button for an action in the server's answer. If the action is not allowed, the button stays visible and
 * focusable, with the reason; `disabled` would hide it from keyboards and hints.
 */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLanguage } from '../i18n/text.tsx';
import { shown } from './keys/match.ts';
import { isMac, type Refusal } from './keys/use-keys.ts';

/** What can be done with something, and why not what cannot. */
export interface Action extends Refusal {
  readonly name: string;
  readonly allowed: boolean;
}

interface ActionButtonProps {
  /** Absent where the server does not name it: then it is allowed, and the server has the last word. */
  readonly action?: Action;
  readonly label: string;
  readonly icon?: ReactNode;
  /** The key that does the same, for the hint. */
  readonly keys?: string;
  readonly primary?: boolean;
  readonly danger?: boolean;
  readonly pending?: boolean;
  onRun(): void;
}

export function ActionButton({
  action,
  label,
  icon,
  keys,
  primary,
  danger,
  pending,
  onRun,
}: ActionButtonProps) {
  const { sentence } = useLanguage();
  const refused = action?.allowed === false;
  const reason = refused && action.reason !== undefined ? sentence(action.reason, action) : undefined;
  const hint = refused ? reason : keys && shown(keys, isMac);
  return (
    <Button
      variant={primary ? 'filled' : 'default'}
      color={danger ? 'red' : undefined}
      leftSection={icon}
      loading={pending}
      data-hint={hint}
      aria-disabled={refused || undefined}
      aria-description={reason}
      data-disabled={refused || undefined}
      onClick={refused ? undefined : onRun}
    >
      {label}
    </Button>
  );
}
