/** A run of the list in short, beside it: why it is where it is, what failed, and the way to its page. */
import { firstErrorAddress, runAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { useApi } from '../../data/api.ts';
import { useText } from '../../i18n/text.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { WhyLine } from '../../parts/why-line.tsx';
import style from '../run/run.module.css';
import { Values } from '../run/values.tsx';
import type { RunRow } from './columns.tsx';

interface RunPreviewProps {
  readonly id: number;
  /** The row from the list; a run outside its rows is requested. */
  readonly row: RunRow | undefined;
  onClose(): void;
}

export function RunPreview({ id, row, onClose }: RunPreviewProps) {
  const text = useText();
  const { data, error, refetch } = useApi('showRun', row ? null : { id });
  const run = row ?? data;
  return (
    <Inspector
      label={text('runs.inspect', { id })}
      title={
        <h2>
          <Link to={runAddress(id)}>{text('runs.inspect', { id })}</Link>
        </h2>
      }
      onClose={onClose}
    >
      {run ? (
        <Preview run={run} />
      ) : error ? (
        <ErrorPanel error={error} retry={() => void refetch()} />
      ) : (
        <SkeletonRows rows={6} />
      )}
    </Inspector>
  );
}

function Preview({ run }: { run: Pick<RunRow, 'id' | 'state' | 'failed' | 'params'> }) {
  const text = useText();
  return (
    <div className={style.stack}>
      <StateBadge state={run.state} />
      <WhyLine id={String(run.id)} />
      {run.failed && (
        <section className={style.section}>
          <Link to={firstErrorAddress(run.failed.taskRun)}>{run.failed.task}</Link>
          {run.failed.error !== null && <p className={style.error}>{run.failed.error}</p>}
        </section>
      )}
      <section className={style.section}>
        <h3>{text('task.parameters')}</h3>
        <Values values={run.params} none={text('task.noParameters')} />
      </section>
    </div>
  );
}
