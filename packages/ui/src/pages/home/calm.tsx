/** Home where nothing needs anybody: when something last failed. */
import { IconCircleCheck } from '@tabler/icons-react';
import { useText } from '../../i18n/text.tsx';
import { Time } from '../../parts/time.tsx';
import styles from './home.module.css';

export function Calm({ lastFailure }: { lastFailure: string | null }) {
  const text = useText();
  return (
    <p className={styles.calm}>
      <IconCircleCheck size={16} aria-hidden="true" />
      {lastFailure === null ? text('home.noFailure') : text('home.lastFailure')}
      {lastFailure !== null && <Time at={lastFailure} focusable />}
    </p>
  );
}
