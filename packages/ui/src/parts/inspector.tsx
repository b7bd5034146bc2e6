/** The frame of an inspector: one object beside the page, resizable by drag, click and arrows, closed by Escape. */
import { ActionIcon, CloseButton } from '@mantine/core';
import { IconChevronsLeft, IconChevronsRight } from '@tabler/icons-react';
import { type CSSProperties, type PointerEvent, type ReactNode, useState } from 'react';
import { keep } from '../data/kept.ts';
import { useShared } from '../data/shared.ts';
import { useText } from '../i18n/text.tsx';
import { useFocusBack } from './focus-back.ts';
import styles from './inspector.module.css';
import { useKeys } from './keys/use-keys.ts';

const NARROWEST = 320;
const WIDEST = 960;
const STEP = 16;
/** By a click, for whom the grip is too thin. */
const LEAP = 120;

const kept = keep('orrery.inspector', (stored) => (typeof stored === 'number' ? within(stored) : 440));

function within(width: number): number {
  return Math.min(WIDEST, Math.max(NARROWEST, Math.round(width)));
}

interface InspectorProps {
  /** What it shows, for landmarks. */
  readonly label: string;
  readonly title: ReactNode;
  readonly children: ReactNode;
  onClose(): void;
}

export function Inspector({ label, title, children, onClose }: InspectorProps) {
  const text = useText();
  const settled = useShared(kept);
  const [dragged, setDragged] = useState<number | null>(null);
  const width = dragged ?? settled;
  useFocusBack();
  useKeys([{ keys: 'Escape', label: text('close'), onlyKey: true, run: onClose }]);
  const drag = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    const start = event.clientX;
    const move = (moved: globalThis.PointerEvent) => setDragged(within(width + start - moved.clientX));
    const grip = event.currentTarget;
    const end = (last: globalThis.PointerEvent) => {
      grip.removeEventListener('pointermove', move);
      kept.set(within(width + start - last.clientX));
      setDragged(null);
    };
    grip.addEventListener('pointermove', move);
    grip.addEventListener('lostpointercapture', end, { once: true });
  };
  return (
    <aside
      className={styles.inspector}
      aria-label={label}
      style={{ '--width': `${width}px` } as CSSProperties}
    >
      <div
        className={styles.grip}
        role="separator"
        aria-orientation="vertical"
        aria-label={text('inspector.resize')}
        aria-valuenow={width}
        aria-valuemin={NARROWEST}
        aria-valuemax={WIDEST}
        tabIndex={0}
        onPointerDown={drag}
        onKeyDown={({ key }) => {
          if (key === 'ArrowLeft') kept.set(within(width + STEP));
          if (key === 'ArrowRight') kept.set(within(width - STEP));
        }}
      />
      <header className={styles.head}>
        <div className={styles.title}>{title}</div>
        <div className={styles.sizes}>
          <ActionIcon
            variant="subtle"
            aria-label={text('inspector.wider')}
            data-hint={text('inspector.wider')}
            onClick={() => kept.set(within(width + LEAP))}
          >
            <IconChevronsLeft size={14} />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            aria-label={text('inspector.narrower')}
            data-hint={text('inspector.narrower')}
            onClick={() => kept.set(within(width - LEAP))}
          >
            <IconChevronsRight size={14} />
          </ActionIcon>
        </div>
        <CloseButton aria-label={text('close')} onClick={onClose} />
      </header>
      <div className={styles.body}>{children}</div>
    </aside>
  );
}
