/**
 * Beside a log: what the task was given and gave back, what it used, and its other attempts. Secrets come masked from
 * the server, and of the environment only names.
 */
import { Select, Tabs } from '@mantine/core';
import { useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import type { Key } from '../../i18n/en.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { size as sizeText } from '../../model/number.ts';
import { duration } from '../../model/time.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { Duration, Time } from '../../parts/time.tsx';
import { Attempts } from '../run/attempt-tables.tsx';
import style from '../run/run.module.css';
import { Values } from '../run/values.tsx';
import { AttemptDiff } from './attempt-diff.tsx';
import { type Attempt, type LogSearch, type SetLogSearch, sideTabs } from './log-search.ts';

type Tab = (typeof sideTabs)[number];

const words = {
  command: 'log.command',
  environment: 'log.environment',
  outputs: 'task.outputs',
  use: 'log.use',
  attempts: 'task.tab.attempts',
} as const satisfies Record<Tab, Key>;

interface LogSideProps {
  readonly id: string;
  readonly tab: Tab;
  readonly attempt: Attempt | undefined;
  /** Those of the same shard. */
  readonly attempts: readonly Attempt[];
  readonly cut: boolean;
  readonly search: LogSearch;
  readonly setSearch: SetLogSearch;
}

export function LogSide({ id, tab, attempt, attempts, cut, search, setSearch }: LogSideProps) {
  const { text } = useLanguage();
  const { data, error, refetch } = useApi('showTaskRun', { id });
  return (
    <Inspector
      label={text('log.details')}
      title={<h2>{text('log.details')}</h2>}
      onClose={() => setSearch({ details: undefined, compare: undefined })}
    >
      <Tabs value={tab} onChange={(next) => setSearch({ details: next ?? undefined })} keepMounted={false}>
        <Tabs.List mb={12}>
          {sideTabs.map((one) => (
            <Tabs.Tab key={one} value={one} className={style.tab}>
              {text(words[one])}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {error && <ErrorPanel error={error} retry={() => void refetch()} />}
        <Tabs.Panel value="command">{data && <Command detail={data} />}</Tabs.Panel>
        <Tabs.Panel value="environment">{data && <Environment detail={data} />}</Tabs.Panel>
        <Tabs.Panel value="outputs">
          {data && <Values values={data.outputs} none={text('task.noOutputs')} />}
        </Tabs.Panel>
        <Tabs.Panel value="use">{attempt && <Use attempt={attempt} />}</Tabs.Panel>
        <Tabs.Panel value="attempts">
          <div className={style.stack}>
            {attempt && <Compare {...{ attempt, attempts, search, setSearch }} />}
            {cut && <p className="dim">{text('log.attemptsCut', { count: attempts.length })}</p>}
            <Attempts attempts={attempts} />
          </div>
        </Tabs.Panel>
      </Tabs>
    </Inspector>
  );
}

type Detail = AnswerOf<'showTaskRun'>;

function Command({ detail }: { detail: Detail }) {
  const { text } = useLanguage();
  return (
    <div className={style.stack}>
      <section className={style.section}>
        <h3>{text('log.settings')}</h3>
        <pre className={style.settings}>{settingsText(detail.settings)}</pre>
      </section>
      <section className={style.section}>
        <h3>{text('task.parameters')}</h3>
        <Values values={detail.params ?? {}} none={text('task.noParameters')} />
      </section>
    </div>
  );
}

/** A script as it was written, each of its lines a line; anything else as JSON. */
function settingsText(settings: unknown): string {
  if (typeof settings !== 'object' || settings === null || !('script' in settings))
    return JSON.stringify(settings, null, 2);
  const { script, ...rest } = settings;
  const others = Object.keys(rest).length === 0 ? '' : `\n\n${JSON.stringify(rest, null, 2)}`;
  return `${script}${others}`;
}

function Environment({ detail: { environment } }: { detail: Detail }) {
  const { text } = useLanguage();
  return (
    <div className={style.section}>
      <p>
        {environment.name === null
          ? text('log.environmentNone')
          : text('log.environmentNamed', { name: environment.name })}
      </p>
      <ul className={style.plainNames}>
        {environment.variables.map((name) => (
          <li key={name} className="mono">
            {name}
          </li>
        ))}
      </ul>
      <p className="dim">{text('log.environmentWorker')}</p>
    </div>
  );
}

function Use({ attempt }: { attempt: Attempt }) {
  const { text, units, locale } = useLanguage();
  const from = attempt.startedAt ?? attempt.assignedAt;
  return (
    <dl className={style.facts}>
      <dt>{text('task.worker')}</dt>
      <dd>{attempt.worker ?? '–'}</dd>
      <dt>{text('run.column.since')}</dt>
      <dd>{from === null ? '–' : <Time at={from} form="absolute" />}</dd>
      <dt>{text('task.ran')}</dt>
      <dd>{from === null ? '–' : <Duration from={from} to={attempt.endedAt} />}</dd>
      <dt>{text('task.exit')}</dt>
      <dd>{attempt.exitCode ?? '–'}</dd>
      <dt>{text('task.cpu')}</dt>
      <dd>{attempt.cpuTime === null ? '–' : duration(attempt.cpuTime, units)}</dd>
      <dt>{text('task.memory')}</dt>
      <dd>{attempt.peakMemory === null ? '–' : sizeText(attempt.peakMemory, locale)}</dd>
    </dl>
  );
}

/** The attempt beside any other one of the same shard. */
function Compare({
  attempt,
  attempts,
  search,
  setSearch,
}: Pick<LogSideProps, 'attempts' | 'search' | 'setSearch'> & { attempt: Attempt }) {
  const { text } = useLanguage();
  const others = attempts.filter(({ number }) => number < attempt.number).toReversed();
  if (others.length === 0) return <p className="dim">{text('log.compareNone')}</p>;
  const before = others.find(({ number }) => String(number) === search.compare);
  return (
    <>
      <Select
        size="xs"
        label={text('log.compareWith')}
        clearable
        searchable
        limit={200}
        data={others.map(({ number }) => ({
          value: String(number),
          label: text('log.attemptNumber', { number }),
        }))}
        value={before ? String(before.number) : null}
        onChange={(next) => setSearch({ compare: next ?? undefined })}
      />
      {before && <AttemptDiff key={`${before.id} ${attempt.id}`} before={before} attempt={attempt} />}
    </>
  );
}
