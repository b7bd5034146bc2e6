/** What can be done with the rows that are selected; it takes its place only while some are. */
import { CloseButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/text.tsx';
import styles from './list.module.css';

export function ChosenBar({
  count,
  onClear,
  children,
}: {
  count: number;
  onClear(): void;
  children: ReactNode;
}) {
  const text = useText();
  if (count === 0) return null;
  return (
    <div className={styles.chosenBar} role="toolbar" aria-label={text('list.chosen', { count })}>
      <CloseButton size={24} aria-label={text('list.clear')} onClick={onClear} />
      <span>{text('list.chosen', { count })}</span>
      {children}
    </div>
  );
}
