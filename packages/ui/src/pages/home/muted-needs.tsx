/** Muted needs: their count, and on demand each one with its author, end, and a button to unmute it. */
import { Button } from '@mantine/core';
import { useAction, useApi } from '../../data/api.ts';
import { useLanguage, useText } from '../../i18n/text.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { notify } from '../../parts/notices.tsx';
import { Time } from '../../parts/time.tsx';
import styles from './home.module.css';
import { actionOf } from './need.ts';

interface MutedNeedsProps {
  readonly count: number;
  readonly project?: string;
  readonly open: boolean;
  onOpen(open: boolean): void;
}

export function MutedNeeds({ count, project, open, onOpen }: MutedNeedsProps) {
  const text = useText();
  const toggle = () => onOpen(!open);
  useKeys(count > 0 ? [{ keys: 'M', label: text('home.key.muted'), run: toggle }] : []);
  if (count === 0) return null;
  return (
    <section aria-label={text('home.mutedLabel')}>
      <Button variant="subtle" onClick={toggle} aria-expanded={open} data-hint="M">
        {text('home.muted', { count })}
      </Button>
      {open && <MutedList project={project} />}
    </section>
  );
}

function MutedList({ project }: { project?: string }) {
  const { text, sentence } = useLanguage();
  const { data, error, refetch } = useApi('showOverview', { project, muted: true });
  const unmute = useAction('muteNeed', ['showOverview']);
  return (
    <>
      {error && <ErrorPanel error={error} retry={() => void refetch()} />}
      <ul className={styles.needs}>
        {data?.needs.map((need) =>
          need.muted === null ? null : (
            <li key={need.id} className={styles.need} data-family="none">
              <span className={styles.needText}>{sentence(need.text, need.said)}</span>
              <span className={styles.needSince}>
                {text('home.mutedBy', { by: need.muted.by })}{' '}
                {need.muted.until === null ? (
                  text('home.mutedUntilMore')
                ) : (
                  <>
                    {text('home.mutedUntil')} <Time at={need.muted.until} focusable />
                  </>
                )}
              </span>
              {need.muted.reason !== '' && <span>{need.muted.reason}</span>}
              <span className={styles.needActions}>
                <ActionButton
                  action={actionOf(need, 'unmute')}
                  label={text('home.unmute')}
                  pending={unmute.isPending && unmute.variables.id === need.id}
                  onRun={() =>
                    unmute.mutate(
                      { id: need.id, body: { off: true } },
                      { onError: (problem) => notify(problem, 'bad') },
                    )
                  }
                />
              </span>
            </li>
          ),
        )}
      </ul>
    </>
  );
}
