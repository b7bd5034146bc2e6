/**
 * The log of one attempt for the view: how many lines there are, and the pages of them that are near. While the
 * attempt goes on, what was written since is asked for by offset; no request stays open, and a hidden tab asks nothing.
 */
import { useCallback, useRef, useState } from 'react';
import { hub } from '../../data/api.ts';
import { type AnswerOf, call, type InputOf } from '../../data/client.ts';
import { Persistence } from '../../data/persistence.ts';
import { type Shared, share } from '../../data/shared.ts';
import { useEffectWhen } from '../../data/when.ts';
import { groupOf } from '../../model/log-line.ts';
import { LogPages, PAGE_LINES } from '../../model/log-pages.ts';
import { linesOf, readLines } from '../../model/log-read.ts';

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
  /** The group of the processes it runs now. */
  readonly process: number | null;
  /** Why the log itself is not there. */
  readonly loss: Piece['loss'];
}

/** A log that is read as it is looked at. */
export interface Log {
  readonly state: LogState | undefined;
  /** A refusal: nothing more is read until somebody says so. */
  readonly error: Error | undefined;
  /** A fault that is being waited out; what is shown may be old. */
  readonly trouble: Error | undefined;
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
  const [trouble, setTrouble] = useState<Error>();
  const [version] = useState(() => share(0));
  const [tries, setTries] = useState(0);
  const pages = useRef(new LogPages());
  const asked = useRef(new Set<number>());
  const total = useRef(0);
  const reading = useRef<Reading>(undefined);

  // Another try starts over.
  useEffectWhen(() => {
    pages.current.clear();
    asked.current.clear();
    total.current = 0;
    setError(undefined);
    setTrouble(undefined);
    if (attempt === null) return;
    const control = new AbortController();
    const { signal } = control;
    const requests = new Persistence(signal, setTrouble);
    const now: Reading = {
      signal,
      read: (query) => requests.ask(() => call('readLog', { id: attempt, ...query }, { signal })),
      now: () => requests.now(),
    };
    reading.current = now;
    const forgetHub = hub.onState((state) => {
      if (state === 'live') requests.now();
    });
    follow(now, pages.current, (next) => {
      total.current = next.lines;
      setKnown((known) =>
        known?.attempt === attempt && same(known.state, next) ? known : { attempt, state: next },
      );
      version.set(version.get() + 1);
    }).catch((failure: Error) => {
      if (!signal.aborted) setError(failure);
    });
    return () => {
      forgetHub();
      control.abort();
      reading.current = undefined;
    };
  }, [attempt, tries]);

  const want = useCallback(
    (from: number, to: number) => {
      const now = reading.current;
      if (!now) return;
      const missing = pages.current
        .missing(from, to, total.current)
        .filter((page) => !asked.current.has(page))
        .slice(0, AT_ONCE - asked.current.size);
      for (const page of missing) {
        asked.current.add(page);
        readPage(now, page)
          .then((lines) => {
            if (now.signal.aborted) return;
            pages.current.put(page, lines);
            asked.current.delete(page);
            version.set(version.get() + 1);
          })
          .catch((failure: Error) => {
            if (now.signal.aborted) return;
            asked.current.delete(page);
            setError(failure);
          });
      }
    },
    [version],
  );
  return {
    state,
    error,
    trouble,
    version,
    lineOf: useCallback((line: number) => pages.current.line(line), []),
    want,
    retry: () => (error || state?.done ? setTries((now) => now + 1) : reading.current?.now()),
  };
}

/** The reading of one attempt's log, until its signal ends it. */
interface Reading {
  readonly signal: AbortSignal;
  read(query: Omit<InputOf<'readLog'>, 'id'>): Promise<Piece>;
  /** Asks at once for what waits. */
  now(): void;
}

/** Whole, or to the end of the log: one with gaps would be asked for without end. */
function readPage({ read }: Reading, page: number): Promise<readonly string[]> {
  return readLines(read, page * PAGE_LINES, (page + 1) * PAGE_LINES);
}

/** As many lines as fill the last page, wherever it begins, and mostly the one before. */
const END = 2 * PAGE_LINES;

/** The end of a log, with its lines where they fit into one answer. */
async function readEnd({ read }: Reading, pages: LogPages): Promise<Piece> {
  const end = await read({ line: `-${END}` });
  const [lines, total] = [linesOf(end.text), end.lines ?? 0];
  if (lines.length < Math.min(END, total)) return read({ line: '-1' });
  pages.putEnd(total - lines.length, lines);
  return end;
}

/** Lines that are read at once to find the end of a group. */
const STRIDE = 5_000;

/** The line after the last one of the group that begins at a line; that of the log where it never ends. */
export async function groupEnd(id: string, start: number, lines: number): Promise<number> {
  let open = 1;
  for (let first = start + 1; first < lines; first += STRIDE) {
    const read = ({ line }: { readonly line: string }) => call('readLog', { id, line });
    const some = await readLines(read, first, Math.min(first + STRIDE, lines));
    for (const [i, line] of some.entries()) {
      const group = groupOf(line);
      if (group !== undefined) open += group === 'end' ? -1 : 1;
      if (open === 0) return first + i + 1;
    }
  }
  return lines;
}

/** Tells how far the log has come, now and whenever it has grown, until nothing comes any more. */
async function follow(reading: Reading, pages: LogPages, tell: (state: LogState) => void): Promise<void> {
  const { signal, read } = reading;
  const last = await readEnd(reading, pages);
  let end = { total: last.lines ?? 0, open: last.text !== '' && !last.text.endsWith('\n') };
  let { next: offset } = last;
  let { size, source } = last;
  const told = ({ worker, state, done, process, loss }: Piece) =>
    tell({ lines: end.total, size, source, worker, state, done, process, loss });
  told(last);
  for (let { done } = last; !done; ) {
    await pause(signal);
    if (signal.aborted) return;
    const piece = await read({ offset, limit: MOST_BYTES });
    if (piece.source === 'tail' && source !== 'tail') {
      // The worker went away meanwhile: what is left is another text, with lines of its own.
      pages.clear();
      return follow(reading, pages, tell);
    }
    // A worker that is out of reach for a moment takes nothing away from what it has shown.
    if (piece.source !== 'none') ({ size, source } = piece);
    end = pages.append(end, piece.text);
    offset = piece.next;
    done = piece.done;
    told(piece);
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
  return JSON.stringify(a) === JSON.stringify(b);
}
