/** Asks once before something that cannot be taken back, and names what it will do. */
import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../i18n/text.tsx';
import { Dialog } from './dialog.tsx';

interface ConfirmProps {
  readonly title: string;
  /** What will happen, in words. */
  readonly children: ReactNode;
  /** The label of the button: the action, not "OK". */
  readonly deed: string;
  readonly danger?: boolean;
  readonly pending?: boolean;
  onConfirm(): void;
  onClose(): void;
}

export function Confirm({ title, children, deed, danger, pending, onConfirm, onClose }: ConfirmProps) {
  const text = useText();
  return (
    <Dialog onClose={onClose} title={title}>
      {children}
      <Group justify="flex-end" mt={16} gap={8}>
        <Button onClick={onClose}>{text('cancel')}</Button>
        <Button
          variant="filled"
          color={danger ? 'red' : undefined}
          loading={pending}
          onClick={onConfirm}
          data-autofocus
        >
          {deed}
        </Button>
      </Group>
    </Dialog>
  );
}
