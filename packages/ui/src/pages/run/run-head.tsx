/** The head of a run: its name, its state, and its actions. */
import { Button, Menu } from '@mantine/core';
import {
  IconChevronDown,
  IconEdit,
  IconHistory,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
  IconRefreshAlert,
} from '@tabler/icons-react';
import { workflowAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { useLanguage } from '../../i18n/text.tsx';
import type { AgainMode } from '../../model/again.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ActionItem } from '../../parts/action-item.tsx';
import { useCopy } from '../../parts/copy.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { useControl } from '../../parts/use-control.ts';
import { versionText } from '../../parts/version-text.ts';
import style from './run.module.css';
import type { Question } from './run-search.ts';
import type { ShownRun } from './use-run.ts';
import { againWords } from './words.ts';

/** The heading: state, workflow with its version, number. */
export function RunHeading({ run }: { run: ShownRun }) {
  const { text } = useLanguage();
  return (
    <span className={style.heading}>
      <span role="status">
        <StateBadge state={run.state} />
      </span>
      <span>
        <Link to={workflowAddress(run.project, run.name)}>
          {run.project}/{run.name}
        </Link>{' '}
        {versionText(text, run.version)} · {run.id}
      </span>
    </span>
  );
}

interface RunActionsProps {
  readonly run: ShownRun;
  /** The task one looks at, for "from here". */
  readonly task: string | undefined;
  readonly onAgain: (mode: AgainMode) => void;
  readonly onAsk: (question: Question) => void;
  /** Edit the parameters and start another run with them. */
  readonly onReplay: () => void;
  readonly onHistory: () => void;
}

/** Buttons and keys for the whole run. */
export function RunActions({ run, task, onAgain, onAsk, onReplay, onHistory }: RunActionsProps) {
  const { text, sentence } = useLanguage();
  const copy = useCopy();
  const resume = useControl(run.id, 'resume');
  const actionOf = (name: string) => run.actions.find((action) => action.name === name);
  const refusal = (name: string) => {
    const action = actionOf(name);
    return action?.allowed === false ? sentence(action.reason ?? '', action) : undefined;
  };
  const here = refusal('rerun') ?? (task === undefined ? text('run.pickTask') : undefined);
  const resumes = actionOf('resume')?.allowed === true;
  const pauseOrResume = () => (resumes ? resume.send({}) : onAsk('pause'));
  useKeys([
    { keys: 'R', label: text('run.recover'), refused: refusal('recover'), run: () => onAgain('recover') },
    { keys: 'r', label: text('run.rerun'), refused: refusal('rerun'), run: () => onAgain('all') },
    { keys: 'f', label: text('run.fromHere'), refused: here, run: () => onAgain('from') },
    {
      keys: 'p',
      label: text(resumes ? 'run.resume' : 'run.pause'),
      refused: resumes ? undefined : refusal('pause'),
      run: pauseOrResume,
    },
    { keys: 'e', label: text('run.replay'), refused: refusal('replay'), run: onReplay },
    { keys: 't', label: text('run.tags.edit'), refused: refusal('tag'), run: () => onAsk('tag') },
    { keys: 'h', label: text('history.title'), run: onHistory },
    { keys: 'y', label: text('run.copyId'), run: () => copy(String(run.id)) },
    { keys: 's', label: text('run.stop'), refused: refusal('stop'), run: () => onAsk('stop') },
  ]);
  const failed = run.state === 'failed' || run.state === 'stopped' || run.state === 'broken';
  return (
    <>
      <ActionButton
        action={actionOf('recover')}
        label={text('run.recover')}
        icon={<IconRefreshAlert size={14} />}
        keys="R"
        primary={failed}
        onRun={() => onAgain('recover')}
      />
      <ActionButton
        action={actionOf('rerun')}
        label={text('run.rerun')}
        icon={<IconRefresh size={14} />}
        keys="r"
        onRun={() => onAgain('all')}
      />
      <ActionButton
        action={actionOf('replay')}
        label={text('run.replay')}
        icon={<IconEdit size={14} />}
        keys="e"
        onRun={onReplay}
      />
      {resumes ? (
        <ActionButton
          label={text('run.resume')}
          icon={<IconPlayerPlay size={14} />}
          keys="p"
          primary
          pending={resume.pending}
          onRun={pauseOrResume}
        />
      ) : (
        <ActionButton
          action={actionOf('pause')}
          label={text('run.pause')}
          icon={<IconPlayerPause size={14} />}
          keys="p"
          onRun={pauseOrResume}
        />
      )}
      <ActionButton
        action={actionOf('stop')}
        label={text('run.stop')}
        icon={<IconPlayerStop size={14} />}
        keys="s"
        danger
        onRun={() => onAsk('stop')}
      />
      <ActionButton
        label={text('history.title')}
        icon={<IconHistory size={14} />}
        keys="h"
        onRun={onHistory}
      />
      <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button rightSection={<IconChevronDown size={14} />}>{text('run.more')}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {(['from', 'to', 'only'] as const).map((mode) => (
            <ActionItem
              key={mode}
              action={{ allowed: here === undefined, reason: here }}
              label={text(againWords[mode], { task: task ?? text('again.task') })}
              keys={mode === 'from' ? 'f' : undefined}
              onRun={() => onAgain(mode)}
            />
          ))}
          <ActionItem
            action={actionOf('set-params')}
            label={text('run.setParams')}
            onRun={() => onAsk('set-params')}
          />
          <ActionItem
            action={actionOf('set-priority')}
            label={text('run.priority.edit', { priority: run.priority })}
            onRun={() => onAsk('set-priority')}
          />
          <ActionItem
            action={actionOf('tag')}
            label={text('run.tags.edit')}
            keys="t"
            onRun={() => onAsk('tag')}
          />
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
