/** A task run and its log: what it printed, attempt by attempt, line by line. */
import { ActionIcon, Button, Menu, NumberInput, Select, Switch, TextInput } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconChevronLeft,
  IconChevronRight,
  IconDownload,
} from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { runAddress, runsAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { formatQuery, oneOf, textField } from '../../app/search-fields.ts';
import { useSearch } from '../../app/use-search.ts';
import { useApi } from '../../data/api.ts';
import { type AnswerOf, base } from '../../data/client.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { quoted } from '../../model/again.ts';
import { plainText } from '../../model/log-ansi.ts';
import { type Folds, noFolds, toggleFold } from '../../model/log-folds.ts';
import { linesText, parseLines } from '../../model/log-line.ts';
import { count as countText, size as sizeText } from '../../model/number.ts';
import { useCopy } from '../../parts/copy.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { notify } from '../../parts/notices.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { WhyLine } from '../../parts/why-line.tsx';
import style from './log.module.css';
import { LogDetails } from './log-details.tsx';
import { LogMap } from './log-map.tsx';
import { LogView, type LogViewHandle } from './log-view.tsx';
import { errorWord, useHits } from './use-hits.ts';
import { groupEnd, type Log, useLog } from './use-log.ts';

const fields = {
  attempt: textField(10),
  shard: textField(10),
  line: textField(30),
  q: textField(),
  follow: oneOf(['on', 'off']),
  wrap: oneOf(['on']),
  details: oneOf(['on']),
};

type Attempt = AnswerOf<'listAttempts'>['attempts'][number];

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  return <LogPage key={id} id={id} />;
}

function LogPage({ id }: { id: string }) {
  const { text } = useLanguage();
  const [search, setSearch] = useSearch(fields);
  const [, run, task] = /^(\d+)\.(.+)$/.exec(id) ?? [];
  const { data: listed, error, refetch } = useApi('listAttempts', { id, limit: 1_000 }, { every: 5_000 });
  const attempts = listed?.attempts ?? [];
  const shards = [...new Set(attempts.map(({ shard }) => shard))].filter((shard) => shard !== null);
  const shard = shards.length === 0 ? null : Number(search.shard ?? shards[0]);
  const ofShard = attempts.filter((attempt) => attempt.shard === shard);
  const attempt = ofShard.find(({ number }) => String(number) === search.attempt) ?? ofShard.at(-1);
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
          <Step
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
          <Step label={text('log.nextAttempt')} icon={<IconChevronRight size={14} />} act={() => step(1)} />
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
        </div>
      }
      inspector={
        search.details === 'on' && (
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
      {attempt && <LogBody id={id} attempt={attempt} log={log} search={search} setSearch={setSearch} />}
    </Frame>
  );
}

interface LogBodyProps {
  readonly id: string;
  readonly attempt: Attempt;
  readonly log: Log;
  readonly search: ReturnType<typeof useSearch<typeof fields>>[0];
  readonly setSearch: ReturnType<typeof useSearch<typeof fields>>[1];
}

function LogBody({ id, attempt, log, search, setSearch }: LogBodyProps) {
  const { text, locale } = useLanguage();
  const copy = useCopy();
  const view = useRef<LogViewHandle>(null);
  const finder = useRef<HTMLInputElement>(null);
  const [seen, setSeen] = useState<readonly [number, number]>([0, 0]);
  const [typed, setTyped] = useState(search.q ?? '');
  const { state } = log;
  const chosen = useMemo(() => parseLines(search.line), [search.line]);
  const follow =
    search.follow === 'on' || (search.follow === undefined && chosen === undefined && state?.done === false);
  // A search of a growing log is for what was there when it was asked for.
  const size = state?.done ? state.size : 0;
  const hits = useHits(attempt.id, search.q ?? '', { exact: false, size });
  const errors = useHits(attempt.id, errorWord, { exact: true, size });
  const [at, setAt] = useState(-1);
  const hit = hits.lines[at] ?? -1;

  // Opens on the lines of the address, else at the end: what was printed last is why one looks.
  const opened = useRef('');
  useEffect(() => {
    if (!state || opened.current === attempt.id) return;
    opened.current = attempt.id;
    if (chosen) view.current?.show(chosen.from - 1);
    else view.current?.end();
  }, [state, attempt.id, chosen]);

  const goTo = (index: number) => {
    if (hits.lines.length === 0) return;
    if (index >= hits.lines.length && hits.more) hits.readMore();
    const next = (index + hits.lines.length) % hits.lines.length;
    setAt(next);
    leave();
    view.current?.show(hits.lines[next]);
  };
  // The first hit at or below what is in view, as soon as there are hits.
  const found = `${search.q} ${hits.lines.length > 0}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each search
  useEffect(() => {
    if (search.q === undefined || hits.lines.length === 0) return setAt(-1);
    const below = hits.lines.findIndex((line) => line >= seen[0]);
    goTo(below < 0 ? 0 : below);
  }, [found]);
  const leave = useCallback(
    () => setSearch({ follow: state?.done === false ? 'off' : undefined }),
    [setSearch, state?.done],
  );
  const nextError = () => {
    const next = errors.lines.find((line) => line > seen[0] + Math.floor((seen[1] - seen[0]) / 3));
    if (next === undefined) return notify(text('log.noError'));
    leave();
    view.current?.show(next);
    setSearch({ line: String(next + 1), follow: undefined });
  };
  const setFollow = (on: boolean) => {
    setSearch({ follow: on ? 'on' : state?.done === false ? 'off' : undefined });
    if (on) view.current?.end();
  };
  useKeys([
    { keys: '/', label: text('log.find'), run: () => finder.current?.focus() },
    { keys: 'n', label: text('log.nextHit'), run: () => goTo(at + 1) },
    { keys: 'N', label: text('log.previousHit'), run: () => goTo(at - 1) },
    { keys: 'E', label: text('log.nextError'), run: nextError },
    { keys: 'G', label: text('log.end'), run: () => view.current?.end() },
    { keys: 'F', label: text('log.follow'), run: () => setFollow(!follow) },
    {
      keys: 'z',
      label: text('log.wrap'),
      run: () => setSearch({ wrap: search.wrap === 'on' ? undefined : 'on' }),
    },
  ]);
  const onSeen = useCallback(
    (from: number, to: number) => setSeen((now) => (now[0] === from && now[1] === to ? now : [from, to])),
    [],
  );
  const [folds, setFolds] = useState<Folds>(noFolds);
  const fold = async (line: number) => {
    const end = await groupEnd(attempt.id, line, state?.lines ?? 0);
    setFolds((now) => toggleFold(now, [line + 1, end]));
  };

  const address = `${base}/api/v1/attempts/${encodeURIComponent(attempt.id)}/log`;
  const shard = attempt.shard === null ? '' : ` --shard ${attempt.shard}`;
  const copyLines = () => {
    if (!chosen) return;
    const lines: string[] = [];
    for (let line = chosen.from - 1; line < chosen.to; line++) lines.push(plainText(log.lineOf(line) ?? ''));
    copy(lines.join('\n'));
  };
  return (
    <div className={style.page}>
      <div className={style.bar} role="toolbar" aria-label={text('log.find')}>
        <TextInput
          ref={finder}
          size="xs"
          className={style.find}
          type="search"
          aria-label={text('log.find')}
          placeholder={text('log.find')}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') finder.current?.blur();
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
            if ((search.q ?? '') === typed) goTo(event.shiftKey ? at - 1 : at + 1);
            else setSearch({ q: typed || undefined });
          }}
        />
        <HitCount q={search.q} at={at} hits={hits} />
        <Step label={text('log.previousHit')} icon={<IconArrowUp size={14} />} act={() => goTo(at - 1)} />
        <Step label={text('log.nextHit')} icon={<IconArrowDown size={14} />} act={() => goTo(at + 1)} />
        <Button onClick={nextError}>{text('log.nextError')}</Button>
        <NumberInput
          size="xs"
          w={110}
          hideControls
          aria-label={text('log.jump')}
          placeholder={text('log.jumpTo')}
          min={1}
          max={state?.lines ?? 1}
          onKeyDown={(event) => {
            const line = Number(event.currentTarget.value.replace(/\D/g, ''));
            if (event.key !== 'Enter' || line < 1) return;
            setSearch({ line: String(Math.min(line, state?.lines ?? line)), follow: undefined });
            view.current?.show(line - 1);
          }}
        />
        <span className={style.gap} />
        <span className="dim">
          {state && text('log.size', { size: sizeText(state.size, locale), lines: state.lines })}
        </span>
        <Switch size="xs" label={text('log.follow')} checked={follow} onChange={() => setFollow(!follow)} />
        <Switch
          size="xs"
          label={text('log.wrap')}
          checked={search.wrap === 'on'}
          onChange={() => setSearch({ wrap: search.wrap === 'on' ? undefined : 'on' })}
        />
        <Button
          component="a"
          href={`${address}?download=true`}
          download
          leftSection={<IconDownload size={14} />}
        >
          {text('log.download')}
        </Button>
        <Menu position="bottom-end">
          <Menu.Target>
            <Button rightSection={<IconChevronDown size={14} />}>{text('log.more')}</Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setSearch({ details: 'on' })}>{text('log.details')}</Menu.Item>
            <Menu.Item onClick={() => copy(location.href)}>{text('log.copyLink')}</Menu.Item>
            <Menu.Item onClick={() => copy(`curl -s ${quoted(address)}`)}>{text('log.copyCurl')}</Menu.Item>
            <Menu.Item onClick={() => copy(`orrery logs ${quoted(id)} --attempt ${attempt.number}${shard}`)}>
              {text('log.copyCommand')}
            </Menu.Item>
            <Menu.Item disabled={!chosen} onClick={copyLines}>
              {text('log.copyLines')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
      <LogNote log={log} attempt={attempt} />
      {log.error && <ErrorPanel error={log.error} retry={log.retry} />}
      <div className={style.body}>
        <LogView
          label={text('log.lines', { count: state?.lines ?? 0 })}
          lines={state?.lines ?? 0}
          lineOf={log.lineOf}
          version={log.version}
          wrap={search.wrap === 'on'}
          follow={follow}
          find={search.q ?? ''}
          hit={hit}
          chosen={chosen}
          numberLabel={(line) => text('log.number', { line })}
          handle={view}
          folds={folds}
          onSeen={onSeen}
          onWant={log.want}
          onFold={(line) => void fold(line)}
          onFollow={setFollow}
          onChoose={(line, extend) =>
            setSearch({
              line: linesText(extend && chosen ? spanned(chosen, line) : { from: line, to: line }),
            })
          }
        />
        <LogMap
          label={text('log.map')}
          lines={state?.lines ?? 0}
          errors={errors.lines}
          hits={hits.lines}
          seen={seen}
          onGo={(line) => {
            leave();
            view.current?.show(line);
          }}
        />
      </div>
    </div>
  );

  function HitCount({ q, at: place, hits: all }: { q: string | undefined; at: number; hits: typeof hits }) {
    if (q === undefined) return null;
    const total = countText(all.lines.length, locale);
    return (
      <span className="dim" role="status">
        {all.lines.length === 0
          ? all.pending
            ? '…'
            : text('log.noHits')
          : text(all.more ? 'log.hitsMore' : 'log.hits', { at: place + 1, count: total })}
      </span>
    );
  }
}

/** What is shown instead of the log, or beside it, and why. */
function LogNote({ log: { state }, attempt }: { log: Log; attempt: Attempt }): ReactNode {
  const { text } = useLanguage();
  if (!state) return null;
  const worker = state.worker ?? attempt.worker ?? '?';
  if (state.source === 'tail') return <p className={style.note}>{text('log.tail', { worker })}</p>;
  if (state.lines > 0) return null;
  if (attempt.startedAt === null && attempt.assignedAt === null && !state.done)
    return <p className={style.note}>{text('log.notStarted', { number: attempt.number })}</p>;
  if (!state.done)
    return (
      <p className={style.note}>
        {text('log.noOutput', { time: attempt.startedAt ?? attempt.assignedAt ?? '' })}
      </p>
    );
  return (
    <p className={style.note}>{state.source === 'none' ? text('log.none', { worker }) : text('log.empty')}</p>
  );
}

function spanned({ from, to }: { from: number; to: number }, line: number) {
  return { from: Math.min(from, line), to: Math.max(to, line) };
}

function Step({ label, icon, act }: { label: string; icon: ReactNode; act: () => void }) {
  return (
    <ActionIcon variant="default" aria-label={label} data-hint={label} onClick={act}>
      {icon}
    </ActionIcon>
  );
}
