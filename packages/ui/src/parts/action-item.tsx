/**
 * A menu item for an action in the server's answer. If the action is not allowed, the item stays in the menu,
 * reachable by arrows, with the reason; `disabled` would hide it from keyboards and hints.
 */
import { Menu } from '@mantine/core';
import { useLanguage } from '../i18n/text.tsx';
import type { Action } from './action-button.tsx';
import { shown } from './keys/match.ts';
import { isMac } from './keys/use-keys.ts';
import styles from './parts.module.css';

interface ActionItemProps {
  readonly action?: Omit<Action, 'name'>;
  readonly label: string;
  /** The key that does the same, for the hint. */
  readonly keys?: string;
  onRun(): void;
}

export function ActionItem({ action, label, keys, onRun }: ActionItemProps) {
  const { sentence } = useLanguage();
  const refused = action?.allowed === false;
  const reason = refused && action.reason !== undefined ? sentence(action.reason, action) : undefined;
  return (
    <Menu.Item
      className={refused ? styles.refused : undefined}
      data-hint={refused ? reason : keys && shown(keys, isMac)}
      // By hand, for the item takes it from what would take it out of reach.
      ref={(item) => {
        if (refused) item?.setAttribute('aria-disabled', 'true');
        else item?.removeAttribute('aria-disabled');
      }}
      aria-description={reason}
      closeMenuOnClick={!refused}
      onClick={refused ? undefined : onRun}
    >
      {label}
    </Menu.Item>
  );
}
