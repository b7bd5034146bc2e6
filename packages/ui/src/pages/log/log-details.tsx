/** Beside a log: what the task was given, what it gave back, and what it used. Secrets come masked from the server. */
import { useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { size as sizeText } from '../../model/number.ts';
import { duration } from '../../model/time.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { Time } from '../../parts/time.tsx';
import style from '../run/run.module.css';
import { Values } from '../run/values.tsx';

interface LogDetailsProps {
  readonly id: string;
  readonly attempt: AnswerOf<'listAttempts'>['attempts'][number] | undefined;
  readonly onClose: () => void;
}

export function LogDetails({ id, attempt, onClose }: LogDetailsProps) {
  const { text, units, locale } = useLanguage();
  const { data, error, refetch } = useApi('showTaskRun', { id });
  return (
    <Inspector label={text('log.details')} title={<h2>{text('log.details')}</h2>} onClose={onClose}>
      <div className={style.stack}>
        {error && <ErrorPanel error={error} retry={() => void refetch()} />}
        {attempt && (
          <dl className={style.facts}>
            <dt>{text('run.column.since')}</dt>
            <dd>{attempt.startedAt !== null && <Time at={attempt.startedAt} form="absolute" />}</dd>
            <dt>{text('task.exit')}</dt>
            <dd>{attempt.exitCode ?? '–'}</dd>
            <dt>{text('task.cpu')}</dt>
            <dd>{attempt.cpuTime === null ? '–' : duration(attempt.cpuTime, units)}</dd>
            <dt>{text('task.memory')}</dt>
            <dd>{attempt.peakMemory === null ? '–' : sizeText(attempt.peakMemory, locale)}</dd>
          </dl>
        )}
        {data && (
          <>
            <section className={style.section}>
              <h3>{text('log.command')}</h3>
              <pre className={style.settings}>{JSON.stringify(data.settings, null, 2)}</pre>
              <Values values={data.params ?? {}} none={text('task.noParameters')} />
            </section>
            <section className={style.section}>
              <h3>{text('task.outputs')}</h3>
              <Values values={data.outputs} none={text('task.noOutputs')} />
            </section>
          </>
        )}
      </div>
    </Inspector>
  );
}
