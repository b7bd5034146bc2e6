/** What can be done with a log: find, jump, follow, wrap, download, copy. */
import { Button, Menu, NumberInput, Select, Switch, TextInput } from '@mantine/core';
import {
  IconArrowBarToDown,
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconDownload,
} from '@tabler/icons-react';
import { type RefObject, useState } from 'react';
import { base } from '../../data/client.ts';
import { useCurl, useTellSame } from '../../data/same-as.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { quoted } from '../../model/again.ts';
import { typedLines } from '../../model/command-line.ts';
import { filterLevels } from '../../model/log-line.ts';
import { count as countText } from '../../model/number.ts';
import { useCopy } from '../../parts/copy.tsx';
import { KeySign } from '../../parts/key-sign.tsx';
import style from './log.module.css';
import type { Attempt, LogSearch, SetLogSearch } from './log-search.ts';
import { StepButton } from './step-button.tsx';
import { useCopyLines } from './use-copy-lines.ts';
import type { Hits } from './use-hits.ts';
import type { Log } from './use-log.ts';

const levelWords = { error: 'log.level.error', warn: 'log.level.warn', info: 'log.level.info' } as const;

interface LogBarProps {
  readonly id: string;
  readonly attempt: Attempt;
  readonly earlier: Attempt | undefined;
  readonly log: Log;
  readonly search: LogSearch;
  readonly setSearch: SetLogSearch;
  readonly finder: RefObject<HTMLInputElement | null>;
  readonly hits: Hits;
  /** The hit one is at, by its place among them; -1 for none. */
  readonly at: number;
  readonly follow: boolean;
  /** Whether the next error is still being searched. */
  readonly seeking: boolean;
  /** The lines of the address, counted from 1. */
  readonly chosen: { readonly from: number; readonly to: number } | undefined;
  readonly onHit: (index: number) => void;
  readonly onError: () => void;
  readonly onEnd: () => void;
  readonly onFollow: (follow: boolean) => void;
  readonly onJump: (line: number) => void;
}

export function LogBar(props: LogBarProps) {
  const { id, attempt, earlier, log, search, setSearch, finder, hits, at, follow, chosen, seeking } = props;
  const { onHit, onError, onEnd, onFollow, onJump } = props;
  const { text } = useLanguage();
  const copy = useCopy();
  const curl = useCurl();
  const [typed, setTyped] = useState(search.q ?? '');
  const { state } = log;
  const request = `/attempts/${encodeURIComponent(attempt.id)}/log`;
  const shard = attempt.shard === null ? '' : ` --shard ${attempt.shard}`;
  const command = `orrery logs ${quoted(id)} --attempt ${attempt.number}${shard}`;
  useTellSame({ request, command });
  const copyLines = useCopyLines(attempt.id);
  return (
    <div className={style.bar} role="toolbar" aria-label={text('log.find')}>
      <TextInput
        ref={finder}
        size="xs"
        className={style.find}
        type="search"
        rightSection={typed === '' && <KeySign keys="/" />}
        aria-label={text('log.find')}
        placeholder={text('log.find')}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') finder.current?.blur();
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
          if ((search.q ?? '') === typed) onHit(event.shiftKey ? at - 1 : at + 1);
          else setSearch({ q: typed || undefined });
        }}
      />
      <HitCount q={search.q} at={at} hits={hits} />
      <StepButton
        label={text('log.previousHit')}
        keys="N"
        icon={<IconArrowUp size={14} />}
        act={() => onHit(at - 1)}
      />
      <StepButton
        label={text('log.nextHit')}
        keys="n"
        icon={<IconArrowDown size={14} />}
        act={() => onHit(at + 1)}
      />
      <Button onClick={onError} loading={seeking} data-hint="E">
        {text('log.nextError')}
      </Button>
      <NumberInput
        size="xs"
        className={style.jump}
        hideControls
        aria-label={text('log.jump')}
        placeholder={text('log.jumpTo')}
        min={1}
        max={state?.lines ?? 1}
        onKeyDown={(event) => {
          const line = Number(event.currentTarget.value.replace(/\D/g, ''));
          if (event.key !== 'Enter' || line < 1) return;
          onJump(line);
        }}
      />
      <StepButton label={text('log.end')} keys="G" icon={<IconArrowBarToDown size={14} />} act={onEnd} />
      <Select
        size="xs"
        w={132}
        aria-label={text('log.level')}
        placeholder={text('log.level.all')}
        clearable
        data={filterLevels.map((level) => ({ value: level, label: text(levelWords[level]) }))}
        value={search.level ?? null}
        onChange={(level) => setSearch({ level: level ?? undefined })}
      />
      <span className={style.gap} />
      <Switch
        size="xs"
        className={style.switch}
        label={text('log.follow')}
        wrapperProps={{ 'data-hint': 'F' }}
        checked={follow}
        onChange={() => onFollow(!follow)}
      />
      <Switch
        size="xs"
        className={style.switch}
        label={text('log.wrap')}
        wrapperProps={{ 'data-hint': 'z' }}
        checked={search.wrap === 'on'}
        onChange={() => setSearch({ wrap: search.wrap === 'on' ? undefined : 'on' })}
      />
      <Button
        component="a"
        href={`${base}/api/v1${request}?download=true`}
        download
        aria-label={text('log.download')}
        data-hint={text('log.download')}
      >
        <IconDownload size={14} />
        <span className={style.downloadWord}>{text('log.download')}</span>
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button rightSection={<IconChevronDown size={14} />}>{text('log.more')}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item rightSection={<KeySign keys="o" />} onClick={() => setSearch({ details: 'command' })}>
            {text('log.details')}
          </Menu.Item>
          <Menu.Item
            disabled={!earlier}
            onClick={() => setSearch({ details: 'attempts', compare: String(earlier?.number) })}
          >
            {earlier ? text('log.compare', { number: earlier.number }) : text('log.compareNone')}
          </Menu.Item>
          <Menu.Item onClick={() => copy(location.href)}>{text('log.copyLink')}</Menu.Item>
          <Menu.Item onClick={() => copy(curl(request))}>{text('log.copyCurl')}</Menu.Item>
          <Menu.Item onClick={() => copy(typedLines(command, base))}>{text('log.copyCommand')}</Menu.Item>
          <Menu.Item disabled={!chosen} onClick={() => chosen && void copyLines(chosen)}>
            {text('log.copyLines')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

/** Which hit of how many one is at. */
function HitCount({ q, at: place, hits: all }: { q: string | undefined; at: number; hits: Hits }) {
  const { text, locale } = useLanguage();
  if (q === undefined) return null;
  const total = countText(all.lines.length, locale);
  return (
    <span className="dim" role="status">
      {all.lines.length === 0
        ? all.pending || all.error
          ? '…'
          : text('log.noHits')
        : text(all.more ? 'log.hitsMore' : 'log.hits', { at: place + 1, count: total })}
    </span>
  );
}
