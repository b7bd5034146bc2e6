/** What failed in a run that a task started: its first failed task with its error and the end of its log. */
import { runAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { formatQuery } from '../../app/search-fields.ts';
import { useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { logAddress } from './log-address.ts';
import { LogTail } from './log-tail.tsx';
import style from './run.module.css';

/** The first of the child runs that failed; they come newest first. */
export function failedChildOf(children: AnswerOf<'showTaskRun'>['children']): number | undefined {
  return children.findLast(({ state }) => state === 'failed')?.id;
}

/** Shows it; where that task failed because of a run of its own, what failed in there. */
export function FailedChild({ run }: { run: number }) {
  const text = useText();
  const shown = useApi('showRun', { id: run });
  const failed = shown.data?.failed ?? null;
  const attempts = useApi('listAttempts', failed && { id: failed.taskRun, limit: 1_000 });
  const last = attempts.data?.attempts.findLast(({ state }) => state === 'failed');
  const detail = useApi('showTaskRun', failed && attempts.data && !last ? { id: failed.taskRun } : null);
  const inside = detail.data && failedChildOf(detail.data.children);
  const refused = [shown, attempts, detail].find(({ error }) => error !== null);
  if (refused) return <ErrorPanel error={refused.error} retry={() => void refused.refetch()} />;
  if (!failed) return null;
  const { task, error, taskRun } = failed;
  return (
    <>
      <section className={style.section}>
        <div className={style.tailHead}>
          <h3>
            <Link to={`${runAddress(run)}${formatQuery({ task })}`}>
              {text('task.failedChild', { task, run })}
            </Link>
          </h3>
          {last && <Link to={logAddress(taskRun, last)}>{text('task.openLog')}</Link>}
        </div>
        {error !== null && <p className={style.error}>{error}</p>}
        {last && <LogTail attempt={last.id} />}
      </section>
      {inside !== undefined && <FailedChild run={inside} />}
    </>
  );
}
