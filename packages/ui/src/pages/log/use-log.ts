/**
 * The log of one attempt for the view: how many lines there are, and the pages of them that are near. While the
 * attempt goes on, what was written since is asked for by offset; no request stays open, and a hidden tab asks nothing.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import { type AnswerOf, call } from '../../data/client.ts';
import { type Shared, share } from '../../data/shared.ts';
import { groupOf } from '../../model/log-line.ts';
import { LogPages, PAGE_LINES } from '../../model/log-pages.ts';

type Piece = AnswerOf<'readLog'>;

/** What is known of a log. */
interface LogState {
  readonly lines: number;
  readonly size: number;
  readonly source: Piece['source'];
  readonly worker: string | null;
  /** Nothing comes any more. */
  readonly done: boolean;
  /** State of the attempt. */
  readonly state: string;
}

/** A log that is read as it is looked at. */
export interface Log {
  readonly state: LogState | undefined;
  readonly error: Error | undefined;
  /** Counts up whenever lines came; only those who draw lines follow it. */
  readonly version: Shared<number>;
  readonly lineOf: (line: number) => string | undefined;
  /** Lines that are in view, counted from 0. */
  readonly want: (from: number, to: number) => void;
  readonly retry: () => void;
}

const LOOK_EVERY = 500;
const MOST_BYTES = 256 * 1024;
/** Pages that are asked for at once; others wait for the next look. */
const AT_ONCE = 4;

/** Reads the log of an attempt; null reads nothing. */
export function useLog(attempt: string | null): Log {
  const [known, setKnown] = useState<{ readonly attempt: string; readonly state: LogState }>();
  // What is known of another attempt is nothing about this one.
  const state = known?.attempt === attempt ? known.state : undefined;
  const [error, setError] = useState<Error>();
  const [version] = useState(() => share(0));
  const [tries, setTries] = useState(0);
  const pages = useRef(new LogPages());
  const asked = useRef(new Set<number>());
  const total = useRef(0);
  const ending = useRef(new AbortController());

  // biome-ignore lint/correctness/useExhaustiveDependencies: another try starts over
  useEffect(() => {
    const control = new AbortController();
    ending.current = control;
    pages.current.clear();
    asked.current.clear();
    total.current = 0;
    setError(undefined);
    if (attempt === null) return;
    follow(attempt, pages.current, control.signal, (next) => {
      total.current = next.lines;
      setKnown((now) => (now?.attempt === attempt && same(now.state, next) ? now : { attempt, state: next }));
      version.set(version.get() + 1);
    }).catch((failure: unknown) => {
      if (!control.signal.aborted) setError(failure instanceof Error ? failure : new Error(String(failure)));
    });
    return () => control.abort();
  }, [attempt, tries]);

  const want = useCallback(
    (from: number, to: number) => {
      if (attempt === null) return;
      const { signal } = ending.current;
      const missing = pages.current
        .missing(from, to, total.current)
        .filter((page) => !asked.current.has(page))
        .slice(0, AT_ONCE - asked.current.size);
      for (const page of missing) {
        asked.current.add(page);
        readPage(attempt, page, signal)
          .then((lines) => {
            if (signal.aborted) return;
            pages.current.put(page, lines);
            asked.current.delete(page);
            version.set(version.get() + 1);
          })
          .catch((failure: unknown) => {
            asked.current.delete(page);
            if (!signal.aborted) setError(failure instanceof Error ? failure : new Error(String(failure)));
          });
      }
    },
    [attempt, version],
  );
  return {
    state,
    error,
    version,
    lineOf: useCallback((line: number) => pages.current.line(line), []),
    want,
    retry: () => setTries((now) => now + 1),
  };
}

async function readPage(id: string, page: number, signal: AbortSignal): Promise<readonly string[]> {
  const first = page * PAGE_LINES + 1;
  const { text } = await call('readLog', { id, line: `${first}-${first + PAGE_LINES - 1}` }, { signal });
  return linesOf(text);
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** As many lines as fill the last page, wherever it begins, and mostly the one before. */
const END = 2 * PAGE_LINES;

/** The end of a log, with its lines where they fit into one answer. */
async function readEnd(id: string, pages: LogPages, signal: AbortSignal): Promise<Piece> {
  const end = await call('readLog', { id, line: `-${END}` }, { signal });
  const [lines, total] = [linesOf(end.text), end.lines ?? 0];
  if (lines.length < Math.min(END, total)) return call('readLog', { id, line: '-1' }, { signal });
  pages.putEnd(total - lines.length, lines);
  return end;
}

/** Lines that are read at once to find the end of a group. */
const STRIDE = 5_000;

/** The line after the last one of the group that begins at a line; that of the log where it never ends. */
export async function groupEnd(id: string, start: number, lines: number): Promise<number> {
  let open = 1;
  for (let first = start + 1; first < lines; first += STRIDE) {
    const { text } = await call('readLog', { id, line: `${first + 1}-${first + STRIDE}` });
    for (const [i, line] of text.split('\n').entries()) {
      const group = groupOf(line);
      if (group !== undefined) open += group === 'end' ? -1 : 1;
      if (open === 0) return first + i + 1;
    }
  }
  return lines;
}

/** Tells how far the log has come, now and whenever it has grown, until nothing comes any more. */
async function follow(
  id: string,
  pages: LogPages,
  signal: AbortSignal,
  tell: (state: LogState) => void,
): Promise<void> {
  const last = await readEnd(id, pages, signal);
  let end = { total: last.lines ?? 0, open: last.text !== '' && !last.text.endsWith('\n') };
  let { next: offset } = last;
  let piece: Piece = last;
  const told = () => {
    const { size, source, worker, state } = piece;
    tell({ lines: end.total, size, source, worker, state, done: piece.done });
  };
  told();
  while (!piece.done) {
    await pause(signal);
    if (signal.aborted) return;
    piece = await call('readLog', { id, offset, limit: MOST_BYTES }, { signal });
    if (piece.source === 'tail' && last.source === 'log') {
      // The worker went away meanwhile: what is left is another text, with lines of its own.
      pages.clear();
      return follow(id, pages, signal, tell);
    }
    end = pages.append(end, piece.text);
    offset = piece.next;
    told();
  }
}

/** Waits a moment, and while the tab is hidden. */
function pause(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const shown = () => {
    if (document.visibilityState === 'visible') resolve();
  };
  const timer = setTimeout(shown, LOOK_EVERY);
  document.addEventListener('visibilitychange', shown);
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(() => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', shown);
  });
}

function same(a: LogState, b: LogState): boolean {
  return (Object.keys(b) as (keyof LogState)[]).every((key) => a[key] === b[key]);
}
