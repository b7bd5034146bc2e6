/** Why something waits: since when, for what, what frees it, and what one can do. The same sentence as `orrery why`. */
import { taskAddress } from '../app/addresses.ts';
import { Link } from '../app/link.tsx';
import { useApi } from '../data/api.ts';
import type { AnswerOf } from '../data/client.ts';
import { useLanguage } from '../i18n/text.tsx';
import { ActionButton } from './action-button.tsx';
import { Command } from './copy.tsx';
import { ErrorPanel } from './error-panel.tsx';
import { useKeys } from './keys/use-keys.ts';
import styles from './parts.module.css';
import { Bone, Skeleton } from './skeleton.tsx';
import { StateIcon, useStateWord } from './state-badge.tsx';
import { Duration } from './time.tsx';
import { controlWords, useControl } from './use-control.ts';

type Why = AnswerOf<'explain'>;

/** What it waits for that is linked; the sentence names more. */
const LINKED = 5;

/** Asks for the reason of a run or a task run: again with each change of its run, and while it is shown every five seconds. */
export function WhyLine({ id }: { id: string }) {
  const { text, reason } = useLanguage();
  const word = useStateWord();
  const { data, error, refetch } = useApi('explain', { id }, { every: 5_000 });
  if (!data && error) return <ErrorPanel error={error} retry={() => void refetch()} />;
  if (!data) return <WhyBone />;
  const [why, frees] = reason(data);
  return (
    <div className={styles.why}>
      <StateIcon state={data.state} />
      <strong>{word(data.state)}</strong>
      {data.since !== null && <Duration from={data.since} />}
      <span>{why}</span>
      {frees !== null && <span>{text('why.frees', { what: frees })}</span>}
      {data.waitsFor.slice(0, LINKED).map((other) => (
        <Link key={other} to={taskAddress(other)}>
          {text('why.open', { id: other })}
        </Link>
      ))}
      {data.actions.map((action) => (
        <Help key={`${action.name} ${action.of}`} action={action} onDone={() => void refetch()} />
      ))}
      {data.command !== null && <Command line={data.command} />}
    </div>
  );
}

/** Reserves the place of the reason, so that the content below does not move when it arrives. */
function WhyBone() {
  return (
    <Skeleton silent className={styles.whyBone}>
      <Bone width="min(340px, 100%)" />
    </Skeleton>
  );
}

/** The button that helps. */
function Help({ action, onDone }: { action: Why['actions'][number]; onDone: () => void }) {
  const { text } = useLanguage();
  const [run, ...task] = action.of.split('.');
  const name = action.name === 'resume' ? 'resume' : 'start-now';
  const { send, pending } = useControl(Number(run), name, onDone);
  const help = () => send(task.length > 0 ? { task: task.join('.') } : {});
  // A pause has a key of its own wherever a run can be paused.
  const keys = name === 'start-now' ? 'N' : undefined;
  const refused = action.allowed ? undefined : action;
  useKeys(keys ? [{ keys, label: text(controlWords[name]), refused, run: help }] : []);
  return (
    <ActionButton
      action={action}
      label={text(controlWords[name])}
      keys={keys}
      pending={pending}
      onRun={help}
    />
  );
}
