/** The present page to take elsewhere: its link, the same as a request, the same as a command. Enter takes the link. */
import { Modal } from '@mantine/core';
import { useCurl, useSame } from '../data/same-as.ts';
import type { Key } from '../i18n/en.ts';
import { useText } from '../i18n/text.tsx';
import { useCopy } from '../parts/copy.tsx';
import styles from './key-list.module.css';

export function CopyDialog({ onClose }: { onClose: () => void }) {
  const text = useText();
  const copy = useCopy();
  const { request, command } = useSame();
  const curl = useCurl();
  const ways: readonly (readonly [Key, string | undefined])[] = [
    ['copy.link', location.href],
    ['copy.curl', request === undefined ? undefined : curl(request)],
    ['copy.command', command],
  ];
  return (
    <Modal
      opened
      onClose={onClose}
      title={text('keys.copy')}
      size="lg"
      closeButtonProps={{ 'aria-label': text('close') }}
    >
      <ul className={styles.ways}>
        {ways.map(
          ([label, line], index) =>
            line !== undefined && (
              <li key={label}>
                <button
                  type="button"
                  data-autofocus={index === 0 || undefined}
                  onClick={() => {
                    copy(line);
                    onClose();
                  }}
                >
                  <span>{text(label)}</span>
                  <code>{line}</code>
                </button>
              </li>
            ),
        )}
      </ul>
    </Modal>
  );
}
