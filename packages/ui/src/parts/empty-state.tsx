/** An empty list that helps: one sentence, the commands that fill it, and one primary button. */
import type { ReactNode } from 'react';
import { Command } from './copy.tsx';
import styles from './parts.module.css';

interface EmptyStateProps {
  readonly title: string;
  readonly commands?: readonly string[];
  /** Buttons. */
  readonly children?: ReactNode;
}

export function EmptyState({ title, commands = [], children }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {commands.map((line) => (
        <Command key={line} line={line} />
      ))}
      {children && <div className={styles.emptyActions}>{children}</div>}
    </div>
  );
}
