/**
 * Short notices in a corner: results of the user's actions, announced politely. Errors stay until dismissed.
 * Notices are visible at once; announcements pause after one, and the following are combined.
 */
import { CloseButton } from '@mantine/core';
import { type AnySaid, ApiProblem } from '@orrery/sdk/client';
import { useEffect, useState } from 'react';
import { share, useShared } from '../data/shared.ts';
import { useLanguage, useText } from '../i18n/text.tsx';
import styles from './parts.module.css';

type Tone = 'plain' | 'good' | 'bad';

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: Tone;
  /** Code and fields of a refusal's text. */
  readonly said: Partial<AnySaid> | undefined;
}

/** Longer than the pause of announcements, so that no notice disappears before it is announced. */
const SHOWN_FOR = 6_000;
const SAID_EVERY = 5_000;
/** How long a notice must be present to count as announced. */
const SAID_AFTER = 200;
const MOST = 4;

const notices = share<readonly Notice[]>([]);
let last = 0;

/** Shows a text or the reason of an error; the same one again only once. */
export function notify(what: string | Error, tone: Tone = 'plain'): void {
  const text = typeof what === 'string' ? what : what.message;
  const said = what instanceof ApiProblem ? what : undefined;
  last += 1;
  notices.set(
    [...notices.get().filter((other) => other.text !== text), { id: last, text, tone, said }].slice(-MOST),
  );
}

const dismiss = (id: number) => notices.set(notices.get().filter((other) => other.id !== id));

/** Mounted once, beside the pages. */
export function Notices() {
  const text = useText();
  const shown = useShared(notices);
  return (
    <section
      className={styles.notices}
      aria-label={text('notice.region')}
      aria-live="polite"
      aria-busy={useHeldBack(shown.at(-1)?.id ?? 0)}
    >
      {shown.map((notice) => (
        <NoticeBox key={notice.id} notice={notice} />
      ))}
    </section>
  );
}

/** Whether it is too soon to say more, after the newest notice has come. */
function useHeldBack(newest: number): boolean {
  const [said, setSaid] = useState({ id: 0, until: 0 });
  const heldBack = said.until > 0;
  useEffect(() => {
    if (heldBack) {
      const timer = setTimeout(() => setSaid(({ id }) => ({ id, until: 0 })), said.until - Date.now());
      return () => clearTimeout(timer);
    }
    if (newest <= said.id) return;
    const timer = setTimeout(() => setSaid({ id: newest, until: Date.now() + SAID_EVERY }), SAID_AFTER);
    return () => clearTimeout(timer);
  }, [heldBack, said, newest]);
  return heldBack;
}

function NoticeBox({ notice: { id, text: english, tone, said } }: { notice: Notice }) {
  const { text, sentence } = useLanguage();
  useEffect(() => {
    if (tone === 'bad') return;
    const timer = setTimeout(() => dismiss(id), SHOWN_FOR);
    return () => clearTimeout(timer);
  }, [id, tone]);
  return (
    <div className={styles.notice} data-tone={tone}>
      <span className={styles.noticeText}>{sentence(english, said)}</span>
      <CloseButton size={24} aria-label={text('dismiss')} onClick={() => dismiss(id)} />
    </div>
  );
}
