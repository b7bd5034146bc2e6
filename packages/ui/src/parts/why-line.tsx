/** Why something waits: since when, for what, and what frees it. The same sentence as `orrery why`. */
import { useApi } from '../data/api.ts';
import { useLanguage } from '../i18n/text.tsx';
import styles from './parts.module.css';
import { StateIcon, useStateWord } from './state-badge.tsx';
import { Duration } from './time.tsx';

/** Asks for the reason of a run or a task run, again every five seconds while it is shown. */
export function WhyLine({ id }: { id: string }) {
  const { text, reason } = useLanguage();
  const word = useStateWord();
  const { data } = useApi('explain', { id }, { every: 5_000 });
  if (!data) return null;
  const [why, frees] = reason(data.code, data.fields) ?? [data.why, data.frees];
  return (
    <p className={styles.why}>
      <StateIcon state={data.state} />
      <strong>{word(data.state)}</strong>
      {data.since !== null && <Duration from={data.since} />}
      <span>{why}</span>
      {frees !== null && <span>{text('why.frees', { what: frees })}</span>}
    </p>
  );
}
