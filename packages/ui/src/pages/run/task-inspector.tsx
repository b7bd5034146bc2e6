/**
 * One task run beside the graph: its state and the reason, the end of its log, inputs and outputs, every
 * attempt.
 */
import { Tabs } from '@mantine/core';
import { useRef } from 'react';
import { runAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useEffectWhen } from '../../data/when.ts';
import { useLanguage } from '../../i18n/text.tsx';
import type { AgainMode } from '../../model/again.ts';
import { type Task, timesOf } from '../../model/run.ts';
import { hasEnded } from '../../model/state.ts';
import { duration } from '../../model/time.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { BusinessTime } from '../../parts/business-time.tsx';
import { CutName } from '../../parts/cut-name.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { StateBadge, StateIcon } from '../../parts/state-badge.tsx';
import { controlWords } from '../../parts/use-control.ts';
import { WhyLine } from '../../parts/why-line.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { Attempts, Shards } from './attempt-tables.tsx';
import { FailedChild, failedChildOf } from './failed-child.tsx';
import { logAddress } from './log-address.ts';
import { LogTail } from './log-tail.tsx';
import style from './run.module.css';
import type { Question } from './run-search.ts';
import { taskTabs } from './run-search.ts';
import type { ShownRun } from './use-run.ts';
import { Values } from './values.tsx';
import { Waited } from './waited.tsx';
import { tabWords } from './words.ts';

type Tab = (typeof taskTabs)[number];
type AttemptRow = AnswerOf<'listAttempts'>['attempts'][number];

interface TaskInspectorProps {
  readonly run: ShownRun;
  readonly task: Task;
  readonly now: number;
  readonly tab: Tab;
  readonly onTab: (tab: Tab) => void;
  readonly onTask: (name: string) => void;
  readonly onAgain: (mode: AgainMode) => void;
  readonly onAsk: (question: Question) => void;
  readonly onClose: () => void;
}

export function TaskInspector(props: TaskInspectorProps) {
  const { task, tab, onTab, onClose } = props;
  const { text } = useLanguage();
  const detail = useApi('showTaskRun', { id: task.id });
  const attempts = useApi('listAttempts', { id: task.id, limit: 1_000 });
  // The model receives changes first; the queries here follow it.
  useFollow(task, detail.refetch, attempts.refetch);
  const tries = attempts.data?.attempts ?? [];
  // Of many shards, the one that went wrong is why one looks.
  const last = (task.state === 'failed' && tries.findLast(({ state }) => state === 'failed')) || tries.at(-1);
  const shown: readonly Tab[] = taskTabs.filter((one) => one !== 'shards' || task.shards !== null);
  return (
    <Inspector
      label={text('task.inspector', { task: task.name })}
      title={
        <span className={style.row}>
          <StateIcon state={task.forced ? 'forced' : task.state} size={16} />
          <h2>
            <CutName name={task.name} />
          </h2>
        </span>
      }
      onClose={onClose}
    >
      <Tabs value={tab} onChange={(next) => onTab((next ?? 'overview') as Tab)} keepMounted={false}>
        <Tabs.List mb={12}>
          {shown.map((one) => (
            <Tabs.Tab key={one} value={one} className={style.tab}>
              {text(tabWords[one])}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {detail.error && <ErrorPanel error={detail.error} retry={() => void detail.refetch()} />}
        {attempts.error && <ErrorPanel error={attempts.error} retry={() => void attempts.refetch()} />}
        <Tabs.Panel value="overview">
          <Overview {...props} last={last} tries={tries} detail={detail.data} />
        </Tabs.Panel>
        <Tabs.Panel value="log">
          {last && !waits(last) ? (
            <LogTail attempt={last.id} full />
          ) : (
            attempts.data && <NotStarted task={task} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="io">
          <InOut run={props.run} detail={detail.data} />
        </Tabs.Panel>
        <Tabs.Panel value="attempts">
          {attempts.data?.next && <p className="dim">{text('task.attemptsCut', { count: tries.length })}</p>}
          {attempts.data && <Attempts attempts={tries} />}
        </Tabs.Panel>
        <Tabs.Panel value="shards">{detail.data && <Shards detail={detail.data} />}</Tabs.Panel>
      </Tabs>
    </Inspector>
  );
}

/** Reads again when the task has changed: it is another object then, and only then. */
function useFollow(task: Task, ...reads: (() => unknown)[]): void {
  const first = useRef(true);
  // Only the values that show that the task has changed.
  useEffectWhen(() => {
    if (!first.current) for (const read of reads) read();
    first.current = false;
  }, [task]);
}

type Detail = AnswerOf<'showTaskRun'>;

/** Whether an attempt is in the queue: it has no log yet. */
function waits({ assignedAt, startedAt, endedAt }: AttemptRow): boolean {
  return assignedAt === null && startedAt === null && endedAt === null;
}

/** In the place of a log that is not there yet: why not. */
function NotStarted({ task }: { task: Task }) {
  const { text } = useLanguage();
  return (
    <div className={style.section}>
      <p className="dim">{text('task.notStarted')}</p>
      {!hasEnded(task.state) && <WhyLine id={task.id} />}
    </div>
  );
}

interface OverviewProps extends TaskInspectorProps {
  readonly last: AttemptRow | undefined;
  readonly tries: readonly AttemptRow[];
  readonly detail: Detail | undefined;
}

function Overview(props: OverviewProps) {
  const { task, last, tries, detail, now, onTask } = props;
  const { text, units } = useLanguage();
  const { waited, ran } = timesOf(task, now);
  const time = (ms: number | null) => (ms === null ? '–' : duration(ms, units));
  const error = last?.error ?? task.reason;
  const failedChild = task.state === 'failed' && detail ? failedChildOf(detail.children) : undefined;
  return (
    <div className={style.stack}>
      <div className={style.section}>
        {hasEnded(task.state) ? (
          <StateBadge state={task.state} forced={task.forced} />
        ) : (
          <WhyLine id={task.id} />
        )}
        {error && <p className={style.error}>{error}</p>}
      </div>
      {task.type === 'approval' && !hasEnded(task.state) && <ApprovalCard id={task.id} />}
      <TaskActions {...props} detail={detail} />
      {failedChild !== undefined && <FailedChild run={failedChild} />}
      {last && (
        <section className={style.section}>
          <div className={style.tailHead}>
            <h3>{text('task.logTail', { attempt: last.number })}</h3>
            <Link to={logAddress(task.id, last)}>{text('task.openLog')}</Link>
          </div>
          <LogTail attempt={last.id} />
        </section>
      )}
      <dl className={style.facts}>
        <dt>{text('task.type')}</dt>
        <dd>{task.type}</dd>
        <dt>{text('task.attempt')}</dt>
        <dd>
          {task.attempt}
          {last?.exitCode !== null && last?.exitCode !== undefined
            ? ` · ${text('task.exitCode', { code: last.exitCode })}`
            : ''}
        </dd>
        <dt>{text('task.worker')}</dt>
        <dd>{task.workers.join(', ') || last?.worker || '–'}</dd>
        <dt>{text('task.waited')}</dt>
        <dd>
          <Waited task={task} tries={tries} group={detail?.taskGroup ?? null}>
            {time(waited)}
          </Waited>
        </dd>
        <dt>{text('task.ran')}</dt>
        <dd>{time(ran)}</dd>
        {detail && (
          <>
            <dt>{text('task.group')}</dt>
            <dd>{detail.workerGroup}</dd>
            <dt>{text('task.rule')}</dt>
            <dd>{detail.trigger}</dd>
          </>
        )}
        {detail && detail.children.length > 0 && (
          <>
            <dt>{text('task.children')}</dt>
            <dd className={style.row}>
              {detail.children.map(({ id, state, businessTime }) => (
                <Link key={id} to={runAddress(id)} className={style.row}>
                  <StateIcon state={state} />
                  {task.type === 'backfill' ? <BusinessTime at={businessTime} /> : id}
                </Link>
              ))}
            </dd>
          </>
        )}
        {task.needs.length > 0 && (
          <>
            <dt>{text('task.needs')}</dt>
            <dd className={style.row}>
              {task.needs.map((name) => (
                <button key={name} type="button" className={style.count} onClick={() => onTask(name)}>
                  {name}
                </button>
              ))}
            </dd>
          </>
        )}
      </dl>
    </div>
  );
}

/** What can be done with this one task. */
function TaskActions({
  run,
  task,
  detail,
  onAgain,
  onAsk,
}: TaskInspectorProps & { detail: Detail | undefined }) {
  const { text } = useLanguage();
  const rerun = run.actions.find(({ name }) => name === 'rerun');
  const actionOf = (name: string) => detail?.actions.find((action) => action.name === name);
  const open = !hasEnded(task.state);
  return (
    <div className={style.row}>
      <ActionButton action={rerun} label={text('run.fromHere')} keys="f" onRun={() => onAgain('from')} />
      <ActionButton action={rerun} label={text('run.onlyThis')} onRun={() => onAgain('only')} />
      <ActionButton action={rerun} label={text('run.upToHere')} onRun={() => onAgain('to')} />
      {task.state !== 'success' && (
        <ActionButton
          action={actionOf('force')}
          label={text(controlWords.force)}
          onRun={() => onAsk('force')}
        />
      )}
      {open && (
        <ActionButton
          action={actionOf('kill')}
          label={text(controlWords.kill)}
          danger
          onRun={() => onAsk('kill')}
        />
      )}
    </div>
  );
}

function InOut({ run, detail }: { run: ShownRun; detail: Detail | undefined }) {
  const { text } = useLanguage();
  return (
    <div className={style.stack}>
      <section className={style.section}>
        <h3>{text('task.outputs')}</h3>
        <Values values={detail?.outputs ?? {}} none={text('task.noOutputs')} />
      </section>
      <section className={style.section}>
        <h3>{text('task.parameters')}</h3>
        <Values values={run.params} none={text('task.noParameters')} />
      </section>
    </div>
  );
}
