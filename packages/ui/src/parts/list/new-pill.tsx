/** New rows wait here until someone wants to see them: rows never move under the pointer. */
import { Button } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { useText } from '../../i18n/text.tsx';
import styles from './list.module.css';

export function NewPill({ count, onShow }: { count: number; onShow(): void }) {
  const text = useText();
  if (count === 0) return null;
  return (
    <Button
      className={styles.pill}
      variant="filled"
      radius="xl"
      leftSection={<IconArrowUp size={14} />}
      onClick={onShow}
    >
      {text('list.new', { count })}
    </Button>
  );
}
