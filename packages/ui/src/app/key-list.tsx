/** Every key that acts on the present page. */
import { Switch } from '@mantine/core';
import { setPreferences, usePreferences } from '../data/preferences.ts';
import { useText } from '../i18n/text.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { KeySign } from '../parts/key-sign.tsx';
import { hasKeys, useBindings } from '../parts/keys/use-keys.ts';
import styles from './key-list.module.css';

export function KeyList({ onClose }: { onClose: () => void }) {
  const text = useText();
  const { singleKeys } = usePreferences();
  const bindings = useBindings().filter(hasKeys);
  return (
    <Dialog onClose={onClose} title={text('keys.title')} size="lg">
      <Switch
        label={text('keys.single')}
        checked={singleKeys}
        onChange={({ currentTarget }) => setPreferences({ singleKeys: currentTarget.checked })}
      />
      <ul className={styles.keys}>
        {bindings.map(({ keys, label }) => (
          <li key={keys}>
            <KeySign keys={keys} />
            <span>{label}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
