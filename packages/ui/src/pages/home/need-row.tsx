/** One need: what it is, since when, and what helps. */
import { Button } from '@mantine/core';
import { Link, useGo } from '../../app/link.tsx';
import { formatQuery } from '../../app/search-fields.ts';
import { tellInFocus } from '../../data/same-as.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { Command } from '../../parts/copy.tsx';
import { KeySign } from '../../parts/key-sign.tsx';
import { StateIcon } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { WhyLine } from '../../parts/why-line.tsx';
import styles from './home.module.css';
import { actionOf, KEYS, type Need, runToExplain, workflowToRun } from './need.ts';
import type { Recover } from './use-recover.ts';

/** The state whose icon and colour represent a kind of need. */
const looks: Readonly<Record<Need['kind'], string>> = {
  'no-master': 'lost',
  'no-worker': 'lost',
  failed: 'failed',
  approval: 'waiting',
  deadline: 'late',
  overtime: 'late',
  'late-tick': 'late',
  'wrong-clock': 'late',
  'not-taken': 'waiting',
  'node-missing': 'lost',
  'node-unhealthy': 'unhealthy',
  undelivered: 'failed',
  'job-idle': 'lost',
  'job-unowned': 'lost',
  'claim-alarm': 'late',
  'limit-full': 'waiting',
  'skipped-ticks': 'skipped',
};

const calmer: ReadonlySet<Need['kind']> = new Set([
  'approval',
  'late-tick',
  'wrong-clock',
  'not-taken',
  'claim-alarm',
  'limit-full',
  'skipped-ticks',
]);

interface NeedRowProps {
  readonly need: Need;
  readonly number: number;
  /** Whether the reason is shown below it. */
  readonly explained: boolean;
  readonly recover: Recover;
  onWhy(): void;
  onMute(): void;
}

export function NeedRow({ need, number, explained, recover, onWhy, onMute }: NeedRowProps) {
  const { text, sentence } = useLanguage();
  const go = useGo();
  const { action } = need;
  const run = runToExplain(need);
  const workflow = workflowToRun(need);
  return (
    <li
      className={styles.need}
      data-family={calmer.has(need.kind) ? 'waiting' : 'failed'}
      {...tellInFocus({
        name: sentence(need.text, need.said),
        address: need.address,
        command: need.command ?? undefined,
      })}
    >
      <StateIcon state={looks[need.kind]} />
      <span className={styles.needText}>
        <Link to={need.address}>{sentence(need.text, need.said)}</Link>
      </span>
      {need.since !== null && (
        <span className={styles.needSince}>
          <Time at={need.since} focusable />
        </span>
      )}
      {need.command !== null && !action && <Command line={need.command} />}
      <span className={styles.needActions}>
        <Button
          onClick={() => go(need.address)}
          rightSection={number <= KEYS && <KeySign keys={String(number)} />}
        >
          {text('home.openNeed')}
        </Button>
        {run !== undefined && (
          <Button onClick={onWhy} aria-expanded={explained} data-hint="w">
            {text('home.why')}
          </Button>
        )}
        {workflow !== undefined && (
          <Button onClick={() => go(`/workflows${formatQuery({ run: workflow })}`)}>
            {text('home.run')}
          </Button>
        )}
        {action && (
          <ActionButton
            action={actionOf(need, action.name)}
            label={text('home.recover', { count: action.ids.length })}
            keys="R"
            primary
            pending={recover.pending === need.id}
            onRun={() => recover.run(need)}
          />
        )}
        <ActionButton action={actionOf(need, 'mute')} label={text('home.mute')} keys="m" onRun={onMute} />
      </span>
      {explained && run !== undefined && (
        <div className={styles.needWhy}>
          <WhyLine id={run} />
        </div>
      )}
    </li>
  );
}
