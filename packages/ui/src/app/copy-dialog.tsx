/**
 * Copies the present page, or the focused thing on it: its link, the same as a request, the same as a
 * command. Enter copies the link.
 */
import { useState } from 'react';
import { base } from '../data/client.ts';
import { type SameAs, useCurl, useFocused, useSame } from '../data/same-as.ts';
import type { Key } from '../i18n/en.ts';
import { useText } from '../i18n/text.tsx';
import { typedLines } from '../model/command-line.ts';
import { useCopy } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import styles from './key-list.module.css';

export function CopyDialog({ onClose }: { onClose: () => void }) {
  const text = useText();
  const page = useSame();
  const focused = useFocused();
  // The dialog takes the focus: what had it before is meant.
  const [thing] = useState(focused);
  return (
    <Dialog onClose={onClose} title={thing ? text('copy.as') : text('keys.copy')} size="lg">
      {thing && (
        <>
          <h3 className={styles.copied}>{thing.name}</h3>
          <Ways of={thing} link={`${base}${thing.address}`} first onClose={onClose} />
          <h3 className={styles.copied}>{text('copy.page')}</h3>
        </>
      )}
      <Ways of={page} link={location.href} first={!thing} onClose={onClose} />
    </Dialog>
  );
}

interface WaysProps {
  readonly of: SameAs;
  readonly link: string;
  /** Whether its link is what Enter takes. */
  readonly first: boolean;
  onClose(): void;
}

function Ways({ of: { request, command }, link, first, onClose }: WaysProps) {
  const text = useText();
  const copy = useCopy();
  const curl = useCurl();
  const ways: readonly (readonly [Key, string | undefined])[] = [
    ['copy.link', link],
    ['copy.curl', request === undefined ? undefined : curl(request)],
    ['copy.command', command && typedLines(command, base)],
  ];
  return (
    <ul className={styles.ways}>
      {ways.map(
        ([label, line], index) =>
          line !== undefined && (
            <li key={label}>
              <button
                type="button"
                data-autofocus={(first && index === 0) || undefined}
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
  );
}
