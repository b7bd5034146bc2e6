/** What is asked or told above the page, shown as long as it is there. The focus goes back to where it was after it. */
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
  // Mantine gives the focus back only from a dialog that stays when it is closed, which none of ours does.
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
