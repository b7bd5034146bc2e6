/** Copyable things: ids, commands, links. Screen readers announce the copy. */
import { IconCopy } from '@tabler/icons-react';
import { base } from '../data/client.ts';
import { copyText } from '../data/clipboard.ts';
import { useText } from '../i18n/text.tsx';
import { typedLines } from '../model/command-line.ts';
import { notify } from './notices.tsx';
import styles from './parts.module.css';

/** Copies a text and announces it. */
export function useCopy(): (copied: string) => void {
  const text = useText();
  return (copied) => {
    copyText(copied).then(
      () => notify(text('copy.done', { text: copied }), 'good'),
      () => notify(text('copy.refused'), 'bad'),
    );
  };
}

/** An id that is copied by a click. */
export function Id({ id }: { id: string }) {
  const text = useText();
  const copy = useCopy();
  return (
    <button
      type="button"
      className={styles.copy}
      aria-label={text('copy.id', { id })}
      onClick={() => copy(id)}
    >
      {id}
      <IconCopy size={12} aria-hidden="true" />
    </button>
  );
}

/** A command to run in a terminal, with a button that copies it. */
export function Command({ line: short }: { line: string }) {
  const line = typedLines(short, base);
  const text = useText();
  const copy = useCopy();
  return (
    <div className={styles.command}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long line scrolls, and must do so by keyboard too */}
      <code tabIndex={0}>{line}</code>
      <button
        type="button"
        className={styles.copy}
        aria-label={text('copy.id', { id: line })}
        onClick={() => copy(line)}
      >
        <IconCopy size={14} aria-hidden="true" />
        {text('copy')}
      </button>
    </div>
  );
}
