/** A run of the list in short, beside it: why it is where it is, what failed, and the way to its page. */
import { firstErrorAddress, runAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { useText } from '../../i18n/text.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { WhyLine } from '../../parts/why-line.tsx';
import style from '../run/run.module.css';
import { Values } from '../run/values.tsx';
import type { RunRow } from './columns.tsx';

export function RunPreview({ run, onClose }: { run: RunRow; onClose: () => void }) {
  const text = useText();
  return (
    <Inspector
      label={text('runs.inspect', { id: run.id })}
      title={
        <h2>
          <Link to={runAddress(run.id)}>{text('runs.inspect', { id: run.id })}</Link>
        </h2>
      }
      onClose={onClose}
    >
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
    </Inspector>
  );
}
