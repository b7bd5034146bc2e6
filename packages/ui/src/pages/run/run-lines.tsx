/**
 * The lines below a run's title: the reason of its state, tasks still ending, requested controls, and its
 * facts.
 */
import { firstErrorAddress, runAddress, runsAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { usePreferences } from '../../data/preferences.ts';
import { useLanguage, useText } from '../../i18n/text.tsx';
import type { RunTasks } from '../../model/run.ts';
import { hasEnded } from '../../model/state.ts';
import { absoluteTime, duration, zoneOf } from '../../model/time.ts';
import { StateIcon } from '../../parts/state-badge.tsx';
import { Duration, Time } from '../../parts/time.tsx';
import { controlWords } from '../../parts/use-control.ts';
import { WhyLine } from '../../parts/why-line.tsx';
import { LogTail } from './log-tail.tsx';
import style from './run.module.css';
import type { ShownRun } from './use-run.ts';

/** Tasks that are named; of more there is a number. */
const NAMED = 3;

interface RunLinesProps {
  readonly run: ShownRun;
  readonly tasks: RunTasks;
  readonly onTask: (name: string) => void;
}

/** With `outcomeAbove` the outcome is shown elsewhere. */
export function RunLines({ outcomeAbove, ...props }: RunLinesProps & { readonly outcomeAbove: boolean }) {
  const { run } = props;
  return (
    <>
      {!hasEnded(run.state) && <WhyLine id={String(run.id)} />}
      {hasEnded(run.state) && !outcomeAbove && <Outcome {...props} />}
      <Ending {...props} />
      <TakenOver run={run} />
      <Facts run={run} />
    </>
  );
}

/** What failed, with the end of its log: on a narrow screen nothing else is beside it. */
export function Failure(props: RunLinesProps) {
  const { failed, failedAttempt } = props.run;
  const { tasks, byName } = props.tasks;
  const task = failed && tasks[byName.get(failed.task) ?? -1];
  // Of a task with shards, each has a log.
  const hasLog = task && task.shards === null && failedAttempt !== null;
  return (
    <>
      <Outcome {...props} />
      {hasLog && <LogTail attempt={`${failed.taskRun}.${failedAttempt.number}`} short />}
    </>
  );
}

/** What a run that has ended came to: what failed first, with its error, and what that took with it. */
function Outcome({ run, tasks, onTask }: RunLinesProps) {
  const { text, reason, locale } = useLanguage();
  const { failed, failedAttempt, counts, why } = run;
  if (!failed) return run.state === 'success' ? null : <p>{reason(why)[0]}</p>;
  const others = (counts.failed ?? 1) - 1;
  const skipped = counts.skipped ?? 0;
  const names = skipped > NAMED ? [] : namesIn(tasks, ['skipped']);
  return (
    <p className={style.outcome}>
      <button type="button" className={style.cause} onClick={() => onTask(failed.task)}>
        {text('run.failedFirst', { task: failed.task })}
      </button>
      <Time at={failed.at} />
      {failedAttempt !== null && failedAttempt.most > 1 && (
        <span>{text('run.attemptOf', { number: failedAttempt.number, most: failedAttempt.most })}</span>
      )}
      {failed.error !== null && (
        <Link to={firstErrorAddress(failed.taskRun)} className={style.reason}>
          {failed.error}
        </Link>
      )}
      {others > 0 && <span>{text('run.failedMore', { count: others })}</span>}
      {names.length > 0 ? (
        <span>{text('run.skippedNames', { names: new Intl.ListFormat(locale).format(names) })}</span>
      ) : (
        skipped > 0 && <span>{text('run.skipped', { count: skipped })}</span>
      )}
    </p>
  );
}

/** The requested control, and the task runs that a pause or a stop still waits for. */
function Ending({ run, tasks, onTask }: RunLinesProps) {
  const text = useText();
  const { requested, counts, state } = run;
  const left = (counts.running ?? 0) + (counts.stopping ?? 0);
  const controlName = (name: string) =>
    Object.hasOwn(controlWords, name) ? text(controlWords[name as keyof typeof controlWords]) : name;
  const ending = state === 'pausing' || state === 'stopping' || state === 'failing' || requested.length > 0;
  const names = ending ? namesIn(tasks, ['running', 'stopping']) : [];
  return (
    <>
      {requested.map(({ name, by, at }) => (
        <p key={`${name} ${at}`} className={style.asked} role="status">
          {left > 0 && name !== 'resume'
            ? text('run.requestedLeft', { control: controlName(name), by, left })
            : text('run.requested', { control: controlName(name), by })}{' '}
          <Time at={at} />
        </p>
      ))}
      {names.length > 0 && (
        <div className={style.row}>
          <span>{text('run.stillEnding')}</span>
          {names.slice(0, NAMED).map((name) => (
            <button key={name} type="button" className={style.count} onClick={() => onTask(name)}>
              {name}
            </button>
          ))}
          {names.length > NAMED && <span>{text('run.stop.more', { count: names.length - NAMED })}</span>}
        </div>
      )}
    </>
  );
}

function namesIn({ tasks }: RunTasks, states: readonly string[]): readonly string[] {
  return tasks.filter(({ state }) => states.includes(state)).map(({ name }) => name);
}

/** The last time that another process went on with it. */
function TakenOver({ run: { takenOver } }: { run: ShownRun }) {
  const { text, units } = useLanguage();
  const { zone } = usePreferences();
  if (!takenOver) return null;
  const { at, by, epoch, from } = takenOver;
  return (
    <p className="dim">
      {text('run.takenOver', {
        lost: from.node,
        lostEpoch: from.epoch,
        how: from.how,
        at: absoluteTime(Date.parse(from.at), zoneOf(zone)),
        by,
        epoch,
        after: duration(Date.parse(at) - Date.parse(from.at), units),
      })}
    </p>
  );
}

/** Its trigger, start, business time and owner, its rounds and its related runs. */
function Facts({ run }: { run: ShownRun }) {
  const { text, units } = useLanguage();
  const { zone } = usePreferences();
  const { tick, cause, owner } = run;
  return (
    <div className={style.meta}>
      <span>{text('run.meta.trigger', { trigger: run.trigger })}</span>
      {cause && <Cause cause={cause} />}
      {tick && (
        <span>
          {text('run.meta.tick', {
            name: tick.name,
            due: absoluteTime(Date.parse(tick.due), zoneOf(zone)),
            after: duration(Date.parse(tick.firedAt) - Date.parse(tick.due), units),
          })}
        </span>
      )}
      <Time at={run.startedAt ?? run.createdAt} focusable />
      {run.startedAt !== null && <Duration from={run.startedAt} to={run.endedAt} idle={run.idle} />}
      {!run.counted && (
        <span data-hint={text('run.meta.uncountedHint')}>
          {text('run.meta.uncounted', { how: run.version < 0 ? 'draft' : run.dryRun ? 'dry' : 'some' })}
        </span>
      )}
      {!tick && (
        <span>
          {text('run.meta.business', { time: absoluteTime(Date.parse(run.businessTime), zoneOf(zone)) })}
        </span>
      )}
      {owner !== null && <span>{text('run.meta.owner', { owner, epoch: run.ownerEpoch ?? 'none' })}</span>}
      {owner === null && !hasEnded(run.state) && <span>{text('run.meta.noOwner')}</span>}
      {run.rounds.length > 1 &&
        run.rounds.map(({ round, kind, by, state }) => (
          <span key={round} className={style.row}>
            <StateIcon state={state} size={12} />
            {text('run.meta.round', { round, kind: kind ?? 'start', by: by ?? 'none' })}
          </span>
        ))}
      {run.startedBy !== null && <span>{text('run.startedBy', { name: run.startedBy })}</span>}
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
  );
}

/** The trigger that started it, and the run that trigger heard of. */
function Cause({ cause: { trigger, run, workflow } }: { cause: NonNullable<ShownRun['cause']> }) {
  const text = useText();
  if (run === null) return <span>{text('run.meta.hook', { trigger })}</span>;
  return (
    <Link to={runAddress(run)}>
      {text('run.meta.cause', { trigger, id: run, workflow: workflow ?? 'none' })}
    </Link>
  );
}
