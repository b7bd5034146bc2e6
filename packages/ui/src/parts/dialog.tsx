/** A dialog above the page. When it closes, the focus returns to its previous place. */
import { Modal, type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../i18n/text.tsx';
import { useFocusBack } from './focus-back.ts';

interface DialogProps {
  readonly title: string;
  readonly size?: ModalProps['size'];
  readonly children: ReactNode;
  onClose(): void;
}

export function Dialog({ title, size, children, onClose }: DialogProps) {
  const text = useText();
  // Mantine returns the focus only from dialogs that stay mounted when closed, which ours do not.
  useFocusBack();
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size}
      closeButtonProps={{ 'aria-label': text('close') }}
    >
      {children}
    </Modal>
  );
}
