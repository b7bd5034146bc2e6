/** Shown in place of a task run that cannot be shown; for a wrong name, suggests similar ones. */
import { ApiProblem, taskRows } from '@orrery/sdk/client';
import { runAddress, taskRunAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { useApi } from '../../data/api.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { nearNames } from '../../model/near-names.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';

/** Names that are offered. */
const OFFERED = 5;
/** Tasks among which they are looked for. */
const LOOKED_AT = 1_000;

interface NoTaskRunProps {
  /** The parts of the name; undefined where it has none. */
  readonly run: string | undefined;
  readonly task: string | undefined;
  readonly error: Error;
  readonly retry: () => void;
}

export function NoTaskRun({ run, task, error, retry }: NoTaskRunProps) {
  const missing = error instanceof ApiProblem && error.status === 404 && run !== undefined;
  return (
    <>
      <ErrorPanel error={error} retry={retry} />
      {missing && <Near run={run} task={task ?? ''} />}
    </>
  );
}

function Near({ run, task }: { run: string; task: string }) {
  const { text } = useLanguage();
  const { data } = useApi('listTasks', { id: Number(run), from: 0, limit: LOOKED_AT });
  if (!data) return null;
  const names = nearNames(
    task,
    taskRows(data).map(({ name }) => name),
    OFFERED,
  );
  return (
    <EmptyState title={text('log.near')}>
      {names.map((name) => (
        <Link key={name} to={taskRunAddress(`${run}.${name}`)}>
          {name}
        </Link>
      ))}
      <Link to={runAddress(run)}>{text('log.run', { run })}</Link>
    </EmptyState>
  );
}
