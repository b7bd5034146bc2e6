/** Why something waits: since when, for what, and what frees it. The same sentence as `orrery why`. */
import { useApi } from '../data/api.ts';
import { useText } from '../i18n/text.tsx';
import styles from './parts.module.css';
import { StateIcon, useStateWord } from './state-badge.tsx';
import { Duration } from './time.tsx';

/** Asks for the reason of a run or a task run, again every five seconds while it is shown. */
export function WhyLine({ id }: { id: string }) {
  const text = useText();
  const word = useStateWord();
  const { data } = useApi('explain', { id }, { every: 5_000 });
  if (!data) return null;
  return (
    <p className={styles.why}>
      <StateIcon state={data.state} />
      <strong>{word(data.state)}</strong>
      {data.since !== null && <Duration from={data.since} />}
      <span>{data.why}</span>
      {data.frees !== null && <span>{text('why.frees', { what: data.frees })}</span>}
    </p>
  );
}
