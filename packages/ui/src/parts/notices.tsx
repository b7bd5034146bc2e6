/** Short notices in a corner: results of one's own actions, said politely. What went wrong stays until dismissed. */
import { CloseButton } from '@mantine/core';
import { useEffect } from 'react';
import { share, useShared } from '../data/shared.ts';
import { useText } from '../i18n/text.tsx';
import styles from './parts.module.css';

type Tone = 'plain' | 'good' | 'bad';

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: Tone;
}

const SHOWN_FOR = 6_000;
const MOST = 4;

const notices = share<readonly Notice[]>([]);
let last = 0;

/** Shows a notice; the same one again only once. */
export function notify(text: string, tone: Tone = 'plain'): void {
  last += 1;
  notices.set(
    [...notices.get().filter((other) => other.text !== text), { id: last, text, tone }].slice(-MOST),
  );
}

const dismiss = (id: number) => notices.set(notices.get().filter((other) => other.id !== id));

/** Mounted once, beside the pages. */
export function Notices() {
  const text = useText();
  const shown = useShared(notices);
  return (
    <section className={styles.notices} aria-label={text('notice.region')} aria-live="polite">
      {shown.map((notice) => (
        <NoticeBox key={notice.id} notice={notice} />
      ))}
    </section>
  );
}

function NoticeBox({ notice: { id, text: said, tone } }: { notice: Notice }) {
  const text = useText();
  useEffect(() => {
    if (tone === 'bad') return;
    const timer = setTimeout(() => dismiss(id), SHOWN_FOR);
    return () => clearTimeout(timer);
  }, [id, tone]);
  return (
    <div className={styles.notice} data-tone={tone}>
      <span className={styles.noticeText}>{said}</span>
      <CloseButton size={24} aria-label={text('dismiss')} onClick={() => dismiss(id)} />
    </div>
  );
}
