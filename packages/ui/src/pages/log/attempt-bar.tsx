/** The attempt and shard of the log, with steps to the previous and next, the worker and the size. */
import { Select } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useLanguage } from '../../i18n/text.tsx';
import { size as sizeText } from '../../model/number.ts';
import type { ShardRun } from '../../model/shard-runs.ts';
import { shardState } from '../../model/shards.ts';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { StateBadge, useStateWord } from '../../parts/state-badge.tsx';
import style from './log.module.css';
import type { Attempt, SetLogSearch } from './log-search.ts';
import { StepButton } from './step-button.tsx';
import { ALL_SHARDS } from './use-attempts.ts';
import type { Log } from './use-log.ts';

interface AttemptBarProps {
  readonly attempts: readonly Attempt[];
  readonly attempt: Attempt | undefined;
  readonly cut: boolean;
  readonly shards: readonly (ShardRun & { readonly shard: number })[];
  readonly shard: number | null;
  /** All shards are shown. */
  readonly all: boolean;
  readonly log: Log;
  readonly setSearch: SetLogSearch;
}

/** Limit of shards in the menu; the others are found by typing. */
const MOST_LISTED = 200;

export function AttemptBar(props: AttemptBarProps) {
  const { attempts, attempt, cut, shards, shard, all, log, setSearch } = props;
  const { text, locale } = useLanguage();
  const word = useStateWord();
  const step = (by: number) => {
    const next = attempt && attempts[attempts.indexOf(attempt) + by];
    if (next) setSearch({ attempt: String(next.number), line: undefined });
  };
  const goTo = (next: string | null) =>
    setSearch({ shard: next ?? undefined, attempt: undefined, line: undefined });
  const stepShard = (by: number) => {
    const at = all ? (by > 0 ? -1 : shards.length) : shards.findIndex((one) => one.shard === shard);
    const next = shards[at + by];
    if (next) goTo(String(next.shard));
  };
  const steps = shards.length === 0 ? [] : ([-1, 1] as const);
  useKeys([
    { keys: '[', label: text('log.previousAttempt'), run: () => step(-1) },
    { keys: ']', label: text('log.nextAttempt'), run: () => step(1) },
    ...steps.map((by) => ({
      keys: by < 0 ? '{' : '}',
      label: text(by < 0 ? 'log.previousShard' : 'log.nextShard'),
      run: () => stepShard(by),
    })),
  ]);
  return (
    <div className={style.attempts}>
      {attempt && !all && (
        <>
          <StateBadge state={attempt.state} />
          <StepButton
            label={text('log.previousAttempt')}
            keys="["
            icon={<IconChevronLeft size={14} />}
            act={() => step(-1)}
          />
          <Select
            size="xs"
            w={140}
            aria-label={text('log.attempt')}
            allowDeselect={false}
            data={attempts.map(({ number }) => ({
              value: String(number),
              label: text('log.attemptNumber', { number }),
            }))}
            value={String(attempt.number)}
            onChange={(next) => setSearch({ attempt: next ?? undefined, line: undefined })}
          />
          <StepButton
            label={text('log.nextAttempt')}
            keys="]"
            icon={<IconChevronRight size={14} />}
            act={() => step(1)}
          />
          {cut && <span className="dim">{text('log.attemptsCut', { count: attempts.length })}</span>}
        </>
      )}
      {shards.length > 0 && (
        <>
          <StepButton
            label={text('log.previousShard')}
            keys="{"
            icon={<IconChevronLeft size={14} />}
            act={() => stepShard(-1)}
          />
          <Select
            size="xs"
            w={180}
            aria-label={text('log.shard')}
            allowDeselect={false}
            searchable
            limit={MOST_LISTED}
            data={[
              { value: ALL_SHARDS, label: text('log.allShards', { count: shards.length }) },
              ...shards.map((one) => ({
                value: String(one.shard),
                label: text('log.shardNumber', { shard: one.shard, state: word(shardState(one.state)) }),
              })),
            ]}
            value={all ? ALL_SHARDS : String(shard)}
            onChange={goTo}
          />
          <StepButton
            label={text('log.nextShard')}
            keys="}"
            icon={<IconChevronRight size={14} />}
            act={() => stepShard(1)}
          />
        </>
      )}
      {attempt?.worker && !all && (
        <span className="dim">{text('log.onWorker', { worker: attempt.worker })}</span>
      )}
      {log.state && (
        <span className="dim">
          {text('log.size', { size: sizeText(log.state.size, locale), lines: log.state.lines })}
        </span>
      )}
    </div>
  );
}
