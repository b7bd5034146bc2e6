/** A task run and its log: what it printed, attempt by attempt, line by line. */
import { useParams } from '@tanstack/react-router';
import { runAddress, runsAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { formatQuery } from '../../app/search-fields.ts';
import { useSearch } from '../../app/use-search.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { Page as Frame } from '../../parts/page.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { WhyLine } from '../../parts/why-line.tsx';
import { AllShards } from './all-shards.tsx';
import { AttemptBar } from './attempt-bar.tsx';
import { LogBody } from './log-body.tsx';
import { logFields } from './log-search.ts';
import { LogSide } from './log-side.tsx';
import { NoTaskRun } from './no-task-run.tsx';
import { ALL_SHARDS, useAttempts } from './use-attempts.ts';
import { useLog } from './use-log.ts';

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  return <LogPage key={id} id={id} />;
}

function LogPage({ id }: { id: string }) {
  const { text } = useLanguage();
  const [search, setSearch] = useSearch(logFields);
  const [, run, task] = /^(\d+)\.(.+)$/.exec(id) ?? [];
  const { attempts, attempt, earlier, cut, shards, shard, error, retry } = useAttempts(id, search);
  const all = search.shard === ALL_SHARDS && shards.length > 0;
  const log = useLog((!all && attempt?.id) || null);
  useKeys([
    {
      keys: 'o',
      label: text('log.details'),
      run: () => setSearch({ details: search.details ? undefined : 'command' }),
    },
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
      lines={attempts && <AttemptBar {...{ attempts, attempt, cut, shards, shard, all, log, setSearch }} />}
      inspector={
        search.details && (
          <LogSide
            {...{ id, attempt, cut, search, setSearch }}
            tab={search.details}
            attempts={attempts ?? []}
          />
        )
      }
    >
      {error && <NoTaskRun run={run} task={task} error={error} retry={retry} />}
      {!attempts && !error && <SkeletonRows />}
      {attempts && !attempt && (
        <EmptyState title={text('log.neverTried')}>
          <WhyLine id={id} />
        </EmptyState>
      )}
      {all && (
        <AllShards
          id={id}
          shards={shards}
          order={search.by ?? 'time'}
          onOrder={(by) => setSearch({ by: by === 'time' ? undefined : by }, { push: true })}
        />
      )}
      {attempt && !all && <LogBody key={attempt.id} {...{ id, attempt, earlier, log, search, setSearch }} />}
    </Frame>
  );
}
