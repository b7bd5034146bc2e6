/** A key as printed on keyboards. */

import { shown } from './keys/match.ts';
import { isMac } from './keys/use-keys.ts';
import styles from './parts.module.css';

export function KeySign({ keys }: { keys: string }) {
  return <kbd className={styles.key}>{shown(keys, isMac)}</kbd>;
}
