/** One box for everything: pages, names, ids, actions with their keys, and why something waits. */
import { Modal } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import { useFocusBack } from '../../parts/focus-back.ts';
import { KeySign } from '../../parts/key-sign.tsx';
import { useGo } from '../link.tsx';
import { type Entry, readQuery } from './entries.ts';
import styles from './palette.module.css';
import { useEntries } from './use-entries.ts';
import { WhyAnswer } from './why-answer.tsx';

/** The last line of the list, shown when it is empty or cut. */
const endings = {
  settled: 'palette.nothing',
  looking: 'palette.looking',
  failed: 'palette.failed',
} as const;

/** `begin` is the initial text of the field: `> ` lists only the actions of the page. */
export function Palette({ begin = '', onClose }: { begin?: string; onClose: () => void }) {
  const text = useText();
  const go = useGo();
  const list = useId();
  const [typed, setTyped] = useState(begin);
  const [chosen, setChosen] = useState<string | null>(null);
  useFocusBack();
  const query = readQuery(typed);
  const { entries, state } = useEntries(query);
  const at = Math.max(
    0,
    entries.findIndex(({ id }) => id === chosen),
  );
  const open = (entry: Entry | undefined) => {
    if (!entry || entry.refused !== undefined) return;
    onClose();
    if (entry.to !== undefined) go(entry.to);
    else entry.run?.();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined && entries.length > 0) {
      event.preventDefault();
      setChosen(entries[(at + by + entries.length) % entries.length].id);
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      open(entries[at]);
    }
  };
  return (
    <Modal.Root opened onClose={onClose} size={640} yOffset="12vh">
      <Modal.Overlay backgroundOpacity={0.4} />
      <Modal.Content aria-label={text('palette.open')}>
        <div className={styles.field}>
          <IconSearch size={16} aria-hidden="true" />
          <input
            data-autofocus
            role="combobox"
            aria-label={text('palette.open')}
            aria-expanded="true"
            aria-controls={list}
            aria-activedescendant={entries.length > 0 ? `${list}-${at}` : undefined}
            autoComplete="off"
            spellCheck={false}
            placeholder={text('palette.placeholder')}
            value={typed}
            onChange={({ currentTarget }) => {
              setTyped(currentTarget.value);
              setChosen(null);
            }}
            onKeyDown={onKeyDown}
          />
        </div>
        {query.scope === 'why' && (
          <div className={styles.why}>
            <WhyAnswer id={query.text} />
          </div>
        )}
        <div className={styles.list} role="listbox" id={list} aria-label={text('palette.results')}>
          {entries.map((entry, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and its arrows and Enter do the same
            <div
              key={entry.id}
              id={`${list}-${index}`}
              ref={index === at ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined}
              className={styles.entry}
              role="option"
              aria-selected={index === at}
              aria-disabled={entry.refused !== undefined || undefined}
              onPointerMove={() => setChosen(entry.id)}
              onClick={() => open(entry)}
            >
              <span className={styles.kind}>{text(entry.kind)}</span>
              <span className={styles.label}>
                {entry.label} <span className={styles.detail}>{entry.refused ?? entry.detail}</span>
              </span>
              {entry.keys !== undefined && <KeySign keys={entry.keys} />}
            </div>
          ))}
        </div>
        {(entries.length === 0 || state === 'failed') && query.scope !== 'why' && (
          <p className={styles.foot} role="status">
            {text(endings[state])}
          </p>
        )}
        <p className={styles.foot}>{text('palette.hint')}</p>
      </Modal.Content>
    </Modal.Root>
  );
}
