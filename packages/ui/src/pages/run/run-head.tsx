/** The head of a run: what it is, how it stands, why, and what can be done with it. */
import { Button, Menu } from '@mantine/core';
import {
  IconChevronDown,
  IconEdit,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
  IconRefreshAlert,
} from '@tabler/icons-react';
import { firstErrorAddress, runAddress, runsAddress, workflowAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { usePreferences } from '../../data/preferences.ts';
import { useLanguage, useText } from '../../i18n/text.tsx';
import type { AgainMode } from '../../model/again.ts';
import { hasEnded } from '../../model/state.ts';
import { absoluteTime, zoneOf } from '../../model/time.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { useCopy } from '../../parts/copy.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { StateBadge, StateIcon } from '../../parts/state-badge.tsx';
import { Duration, Time } from '../../parts/time.tsx';
import { controlWords, useControl } from '../../parts/use-control.ts';
import { WhyLine } from '../../parts/why-line.tsx';
import type { Question } from './controls.tsx';
import style from './run.module.css';
import type { ShownRun } from './use-run.ts';
import { againWords } from './words.ts';

/** The heading: state, workflow with its version, number. */
export function RunHeading({ run }: { run: ShownRun }) {
  return (
    <span className={style.heading}>
      <span role="status">
        <StateBadge state={run.state} />
      </span>
      <span>
        <Link to={workflowAddress(run.project, run.name)}>
          {run.project}/{run.name}
        </Link>{' '}
        v{run.version} · {run.id}
      </span>
    </span>
  );
}

/** What a run that has ended came to: what failed first, with its error, and what that took with it. */
function Outcome({ run, onTask }: { run: ShownRun; onTask: (name: string) => void }) {
  const { text, reason } = useLanguage();
  const { failed, counts, why } = run;
  if (!failed) return run.state === 'success' ? null : <p>{reason(why)[0]}</p>;
  const others = (counts.failed ?? 1) - 1;
  return (
    <p className={style.outcome}>
      <button type="button" className={style.cause} onClick={() => onTask(failed.task)}>
        {text('run.failedFirst', { task: failed.task })}
      </button>
      <Time at={failed.at} />
      {failed.error !== null && (
        <Link to={firstErrorAddress(failed.taskRun)} className={style.reason}>
          {failed.error}
        </Link>
      )}
      {others > 0 && <span>{text('run.failedMore', { count: others })}</span>}
      {(counts.skipped ?? 0) > 0 && <span>{text('run.skipped', { count: counts.skipped ?? 0 })}</span>}
    </p>
  );
}

/** Why it is as it is, and the facts around it. */
export function RunLines({ run, onTask }: { run: ShownRun; onTask: (name: string) => void }) {
  const text = useText();
  const { zone } = usePreferences();
  const { requested, counts } = run;
  const left = (counts.running ?? 0) + (counts.stopping ?? 0);
  const controlName = (name: string) =>
    Object.hasOwn(controlWords, name) ? text(controlWords[name as keyof typeof controlWords]) : name;
  return (
    <>
      {hasEnded(run.state) ? <Outcome run={run} onTask={onTask} /> : <WhyLine id={String(run.id)} />}
      {requested.map(({ name, by, at }) => (
        <p key={`${name} ${at}`} className={style.asked} role="status">
          {left > 0 && name !== 'resume'
            ? text('run.requestedLeft', { control: controlName(name), by, left })
            : text('run.requested', { control: controlName(name), by })}{' '}
          <Time at={at} />
        </p>
      ))}
      <div className={style.meta}>
        <span>{text('run.meta.trigger', { trigger: run.trigger })}</span>
        <Time at={run.startedAt ?? run.createdAt} focusable />
        {run.startedAt !== null && <Duration from={run.startedAt} to={run.endedAt} />}
        <span>
          {text('run.meta.business', { time: absoluteTime(Date.parse(run.businessTime), zoneOf(zone)) })}
        </span>
        {!hasEnded(run.state) && (
          <span>
            {run.owner === null ? text('run.meta.noOwner') : text('run.meta.owner', { owner: run.owner })}
          </span>
        )}
        {run.rounds.length > 1 &&
          run.rounds.map(({ round, kind, by, state }) => (
            <span key={round} className={style.row}>
              <StateIcon state={state} size={12} />
              {text('run.meta.round', { round, kind: kind ?? 'start', by: by ?? 'none' })}
            </span>
          ))}
        {run.parent && <Link to={runAddress(run.parent)}>{text('run.parent', { id: run.parent })}</Link>}
        {run.replayOf && (
          <Link to={runAddress(run.replayOf)}>{text('run.replayOf', { id: run.replayOf })}</Link>
        )}
        {run.replays.map(({ id, state }) => (
          <Link key={id} to={runAddress(id)} className={style.row}>
            <StateIcon state={state} size={12} />
            {text('run.replayedBy', { id })}
          </Link>
        ))}
        {run.tags.map((tag) => (
          <Link
            key={tag}
            to={runsAddress({ tag })}
            className={style.tag}
            data-hint={text('run.tagged', { tag })}
          >
            {tag}
          </Link>
        ))}
        {run.dryRun && <span>{text('run.meta.dry')}</span>}
      </div>
    </>
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
}

/** Buttons and keys for the whole run. */
export function RunActions({ run, task, onAgain, onAsk, onReplay }: RunActionsProps) {
  const text = useText();
  const copy = useCopy();
  const resume = useControl(run.id, 'resume');
  const actionOf = (name: string) => run.actions.find((action) => action.name === name);
  const refusal = (name: string) => {
    const action = actionOf(name);
    return action?.allowed === false ? (action.reason ?? '') : undefined;
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
      <Menu position="bottom-end">
        <Menu.Target>
          <Button rightSection={<IconChevronDown size={14} />}>{text('run.more')}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {(['from', 'to', 'only'] as const).map((mode) => (
            <Menu.Item key={mode} disabled={here !== undefined} onClick={() => onAgain(mode)}>
              {text(againWords[mode], { task: task ?? text('again.task') })}
            </Menu.Item>
          ))}
          <Menu.Item
            disabled={refusal('set-params') !== undefined}
            data-hint={refusal('set-params')}
            onClick={() => onAsk('set-params')}
          >
            {text('run.setParams')}
          </Menu.Item>
          <Menu.Item
            disabled={refusal('tag') !== undefined}
            data-hint={refusal('tag')}
            onClick={() => onAsk('tag')}
          >
            {text('run.tags.edit')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
