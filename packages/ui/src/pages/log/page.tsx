/** A task run and its log: what it printed, attempt by attempt, line by line. */
import { Select } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { runAddress, runsAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { formatQuery } from '../../app/search-fields.ts';
import { useSearch } from '../../app/use-search.ts';
import { useApi } from '../../data/api.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { size as sizeText } from '../../model/number.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { Page as Frame } from '../../parts/page.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { WhyLine } from '../../parts/why-line.tsx';
import { AttemptDiff } from './attempt-diff.tsx';
import style from './log.module.css';
import { LogBody } from './log-body.tsx';
import { LogDetails } from './log-details.tsx';
import { logFields } from './log-search.ts';
import { StepButton } from './step-button.tsx';
import { useLog } from './use-log.ts';

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  return <LogPage key={id} id={id} />;
}

function LogPage({ id }: { id: string }) {
  const { text, locale } = useLanguage();
  const [search, setSearch] = useSearch(logFields);
  const [, run, task] = /^(\d+)\.(.+)$/.exec(id) ?? [];
  const { data: listed, error, refetch } = useApi('listAttempts', { id, limit: 1_000 }, { every: 5_000 });
  const attempts = listed?.attempts ?? [];
  const shards = [...new Set(attempts.map(({ shard }) => shard))].filter((shard) => shard !== null);
  const shard = shards.length === 0 ? null : Number(search.shard ?? shards[0]);
  const ofShard = attempts.filter((attempt) => attempt.shard === shard);
  const attempt = ofShard.find(({ number }) => String(number) === search.attempt) ?? ofShard.at(-1);
  const earlier = attempt && ofShard[ofShard.indexOf(attempt) - 1];
  const log = useLog(attempt?.id ?? null);
  const step = (by: number) => {
    const next = attempt && ofShard[ofShard.indexOf(attempt) + by];
    if (next) setSearch({ attempt: String(next.number), line: undefined, q: search.q });
  };
  useKeys([
    { keys: '[', label: text('log.previousAttempt'), run: () => step(-1) },
    { keys: ']', label: text('log.nextAttempt'), run: () => step(1) },
  ]);
  return (
    <Frame
      fixed
      title={text('log.title', { task: task ?? id, run: run ?? '' })}
      heading={
        <span>
          {task ?? id} ·{' '}
          <Link to={`${runAddress(run ?? '')}${formatQuery({ task })}`}>
            {text('log.run', { run: run ?? '' })}
          </Link>
        </span>
      }
      crumbs={[
        { label: text('run.toList'), to: runsAddress() },
        { label: run ?? '', to: runAddress(run ?? '') },
        { label: task ?? id },
      ]}
      lines={
        <div className={style.attempts}>
          {attempt && <StateBadge state={attempt.state} />}
          <StepButton
            label={text('log.previousAttempt')}
            icon={<IconChevronLeft size={14} />}
            act={() => step(-1)}
          />
          <Select
            size="xs"
            w={140}
            aria-label={text('log.attempt')}
            allowDeselect={false}
            data={ofShard.map(({ number }) => ({
              value: String(number),
              label: text('log.attemptNumber', { number }),
            }))}
            value={attempt ? String(attempt.number) : null}
            onChange={(next) => setSearch({ attempt: next ?? undefined, line: undefined })}
          />
          <StepButton
            label={text('log.nextAttempt')}
            icon={<IconChevronRight size={14} />}
            act={() => step(1)}
          />
          {shards.length > 0 && (
            <Select
              size="xs"
              w={120}
              aria-label={text('log.shard')}
              allowDeselect={false}
              searchable
              data={shards.map((one) => ({
                value: String(one),
                label: text('log.shardNumber', { shard: one }),
              }))}
              value={String(shard)}
              onChange={(next) =>
                setSearch({ shard: next ?? undefined, attempt: undefined, line: undefined })
              }
            />
          )}
          {attempt?.worker && <span className="dim">{text('log.onWorker', { worker: attempt.worker })}</span>}
          {log.state && (
            <span className="dim">
              {text('log.size', { size: sizeText(log.state.size, locale), lines: log.state.lines })}
            </span>
          )}
        </div>
      }
      inspector={
        search.details === 'compare'
          ? attempt &&
            earlier && (
              <AttemptDiff
                before={earlier}
                attempt={attempt}
                onClose={() => setSearch({ details: undefined })}
              />
            )
          : search.details === 'on' && (
              <LogDetails id={id} attempt={attempt} onClose={() => setSearch({ details: undefined })} />
            )
      }
    >
      {error && <ErrorPanel error={error} retry={() => void refetch()} />}
      {!listed && !error && <SkeletonRows />}
      {listed && !attempt && (
        <EmptyState title={text('log.neverTried')}>
          <WhyLine id={id} />
        </EmptyState>
      )}
      {attempt && <LogBody key={attempt.id} {...{ id, attempt, earlier, log, search, setSearch }} />}
    </Frame>
  );
}
