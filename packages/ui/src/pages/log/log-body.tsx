/** The log of one attempt: its toolbar, its lines, and the strip that shows the whole of it. */
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useEffectWhen } from '../../data/when.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { type Folds, noFolds, toggleFold } from '../../model/log-folds.ts';
import { atLeast, linesText, parseLines } from '../../model/log-line.ts';
import { foldedRows, pickedRows } from '../../model/log-rows.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { notify } from '../../parts/notices.tsx';
import style from './log.module.css';
import { LogBar } from './log-bar.tsx';
import { LogMap, type LogMapHandle } from './log-map.tsx';
import { LevelNote, LogNote, SearchNote, TroubleNote } from './log-note.tsx';
import type { Attempt, LogSearch, SetLogSearch } from './log-search.ts';
import { LogView, type LogViewHandle } from './log-view.tsx';
import { useErrors } from './use-errors.ts';
import { useHits } from './use-hits.ts';
import { groupEnd, type Log } from './use-log.ts';

/** How often a log that grows is filtered again. */
const LOOK_AGAIN = 2_000;

interface LogBodyProps {
  readonly id: string;
  readonly attempt: Attempt;
  /** The attempt before it, of the same shard. */
  readonly earlier: Attempt | undefined;
  readonly log: Log;
  readonly search: LogSearch;
  readonly setSearch: SetLogSearch;
}

export function LogBody({ id, attempt, earlier, log, search, setSearch }: LogBodyProps) {
  const { text } = useLanguage();
  const view = useRef<LogViewHandle>(null);
  const finder = useRef<HTMLInputElement>(null);
  const map = useRef<LogMapHandle>(null);
  /** The lines in view; nothing is drawn again by it, since it changes with every frame of a scroll. */
  const seen = useRef<readonly [from: number, to: number]>([0, 0]);
  const { state } = log;
  const chosen = useMemo(() => parseLines(search.line), [search.line]);
  const follow =
    search.follow === 'on' ||
    (search.follow === undefined && search.line === undefined && state?.done === false);
  // A search of a growing log covers its size at the time of the search.
  const size = state?.done ? state.size : 0;
  const hits = useHits(attempt.id, search.q ?? '', { size });
  const { level } = search;
  const picked = useHits(attempt.id, level === undefined ? '' : atLeast(level), {
    exact: true,
    regex: true,
    size,
    every: state?.done === false ? LOOK_AGAIN : undefined,
  });
  // Lines belong to one attempt: an address with lines also names the attempt, whatever attempts follow.
  const of = {
    attempt: String(attempt.number),
    shard: attempt.shard === null ? undefined : String(attempt.shard),
  };
  const [at, setAt] = useState(-1);
  const hit = hits.lines[at] ?? -1;

  // Opens on the lines of the address, else at the end: what was printed last is why one looks.
  const opened = useRef('');
  useLayoutEffect(() => {
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
  // The first hit at or below the view, as soon as there are hits.
  const found = `${search.q} ${hits.lines.length > 0}`;
  // Once for each search.
  useEffectWhen(() => {
    if (search.q === undefined || hits.lines.length === 0) return setAt(-1);
    const below = hits.lines.findIndex((line) => line >= seen.current[0]);
    goTo(below < 0 ? 0 : below);
  }, [found]);
  const leave = useCallback(
    () => setSearch({ follow: state?.done === false ? 'off' : undefined }),
    [setSearch, state?.done],
  );
  const errors = useErrors({
    attempt: attempt.id,
    log,
    line: search.line,
    seen,
    onGo: (line) => {
      view.current?.show(line);
      setSearch({ ...of, line: String(line + 1), follow: undefined });
    },
    onNone: () => setSearch({ line: undefined }),
  });
  const setFollow = (on: boolean) => {
    setSearch({ follow: on ? 'on' : state?.done === false ? 'off' : undefined });
    if (on) view.current?.end();
  };
  useKeys([
    { keys: '/', label: text('log.find'), run: () => finder.current?.focus() },
    { keys: 'n', label: text('log.nextHit'), run: () => goTo(at + 1) },
    { keys: 'N', label: text('log.previousHit'), run: () => goTo(at - 1) },
    { keys: 'E', label: text('log.nextError'), run: errors.next },
    { keys: 'G', label: text('log.end'), run: () => view.current?.end() },
    { keys: 'F', label: text('log.follow'), run: () => setFollow(!follow) },
    {
      keys: 'z',
      label: text('log.wrap'),
      run: () => setSearch({ wrap: search.wrap === 'on' ? undefined : 'on' }),
    },
  ]);
  const onSeen = useCallback((from: number, to: number) => {
    seen.current = [from, to];
    map.current?.see(from, to);
  }, []);
  const [folds, setFolds] = useState<Folds>(noFolds);
  const isFolded = (line: number) => folds.some(([from]) => from === line + 1);
  const fold = async (line: number) => {
    if (isFolded(line)) return setFolds((now) => toggleFold(now, [line + 1, line + 1]));
    try {
      const end = await groupEnd(attempt.id, line, state?.lines ?? 0);
      setFolds((now) => toggleFold(now, [line + 1, end]));
    } catch (error) {
      notify(text('log.notFolded', { why: (error as Error).message }), 'bad');
    }
  };

  const lines = state?.lines ?? 0;
  const rows = useMemo(
    () => (level === undefined ? foldedRows(folds, lines) : pickedRows(picked.lines)),
    [level, folds, lines, picked.lines],
  );
  const jump = (line: number) => {
    setSearch({ ...of, line: String(Math.min(line, state?.lines ?? line)), follow: undefined });
    view.current?.show(line - 1);
  };
  return (
    <div className={style.page}>
      <LogBar
        {...{ id, attempt, earlier, log, search, setSearch, finder, hits, at, follow, chosen }}
        seeking={errors.seeking}
        onHit={goTo}
        onError={errors.next}
        onEnd={() => view.current?.end()}
        onFollow={setFollow}
        onJump={jump}
      />
      <LogNote id={id} log={log} attempt={attempt} />
      <SearchNote searches={[hits, errors, picked]} />
      {level !== undefined && (
        <LevelNote picked={picked} lines={lines} onAll={() => setSearch({ level: undefined })} />
      )}
      {log.trouble && !log.error && <TroubleNote trouble={log.trouble} onNow={log.retry} />}
      {log.error && <ErrorPanel error={log.error} retry={log.retry} />}
      <div className={style.body}>
        <LogView
          label={text('log.lines', { count: state?.lines ?? 0 })}
          rows={rows}
          lineOf={log.lineOf}
          version={log.version}
          wrap={search.wrap === 'on'}
          follow={follow}
          find={search.q ?? ''}
          hit={hit}
          chosen={chosen}
          numberLabel={(line) => text('log.number', { line })}
          handle={view}
          isFolded={isFolded}
          onSeen={onSeen}
          onWant={log.want}
          onFold={(line) => void fold(line)}
          onFollow={setFollow}
          onChoose={(line, extend) =>
            setSearch({
              ...of,
              line: linesText(extend && chosen ? spanned(chosen, line) : { from: line, to: line }),
            })
          }
        />
        <LogMap
          label={text('log.map')}
          lines={lines}
          errors={errors.lines}
          hits={hits.lines}
          handle={map}
          onGo={(line) => {
            leave();
            view.current?.show(line);
          }}
        />
      </div>
    </div>
  );
}

function spanned({ from, to }: { from: number; to: number }, line: number) {
  return { from: Math.min(from, line), to: Math.max(to, line) };
}
