/** What the sections of alerts share: the look of a state, and lists that people type. */
import { runAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { useText } from '../../i18n/text.tsx';
import { lookOf } from '../../model/state.ts';
import styles from '../../parts/parts.module.css';
import { StateIcon } from '../../parts/state-badge.tsx';

/** The drawing and the word of each state of an alert, a message or a channel. */
const looks = {
  pending: ['waiting', 'alerts.state.pending'],
  firing: ['failed', 'alerts.state.firing'],
  over: ['success', 'alerts.state.over'],
  sent: ['success', 'alerts.state.sent'],
  waiting: ['waiting', 'alerts.state.waiting'],
  failed: ['failed', 'alerts.state.failed'],
  on: ['on', 'alerts.state.on'],
  off: ['stopped', 'alerts.state.off'],
} as const;

/** A state of an alert, a message or a channel, with its word. */
export function AlertState({ state }: { state: keyof typeof looks }) {
  const text = useText();
  const [look, word] = looks[state];
  return (
    <span className={styles.state} data-family={lookOf(look).family}>
      <StateIcon state={look} />
      <span>{text(word)}</span>
    </span>
  );
}

interface Subject {
  readonly project: string;
  readonly name: string;
  readonly run: number | null;
}

/** Name of what an alert is about. */
export function subjectName({ project, name }: Subject): string {
  return project === '' ? name : `${project}/${name}`;
}

/** What an alert or a message is about, with a link to its run. */
export function About({ subject, others }: { subject: Subject; others: number }) {
  const text = useText();
  const name = subjectName(subject);
  const shown = others > 0 ? text('alerts.more', { name, count: others }) : name;
  return subject.run ? <Link to={runAddress(subject.run)}>{shown}</Link> : shown;
}

/** What someone typed with commas between. */
export function listOf(typed: string): string[] {
  return typed
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
