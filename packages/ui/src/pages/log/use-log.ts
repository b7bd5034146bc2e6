/**
 * The log of one attempt for the view: its line count, and the pages near the view. While the attempt runs,
 * new output is polled by offset; no request stays open, and a hidden tab sends none.
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

/** The loaded state of a log. */
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

/** A log that is read on demand. */
export interface Log {
  readonly state: LogState | undefined;
  /** A refusal: nothing more is read until the user retries. */
  readonly error: Error | undefined;
  /** A temporary fault; the shown content may be stale. */
  readonly trouble: Error | undefined;
  /** Increases whenever lines arrive; only components that draw lines subscribe. */
  readonly version: Shared<number>;
  readonly lineOf: (line: number) => string | undefined;
  /** Lines that are in view, counted from 0. */
  readonly want: (from: number, to: number) => void;
  readonly retry: () => void;
}

const LOOK_EVERY = 500;
const MOST_BYTES = 256 * 1024;
/** Limit of page requests in flight; others wait for the next check. */
const AT_ONCE = 4;

/** Reads the log of an attempt; null reads nothing. */
export function useLog(attempt: string | null): Log {
  const [known, setKnown] = useState<{ readonly attempt: string; readonly state: LogState }>();
  // State of another attempt does not apply to this one.
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

/** Complete, or to the end of the log: a page with gaps would be requested forever. */
function readPage({ read }: Reading, page: number): Promise<readonly string[]> {
  return readLines(read, page * PAGE_LINES, (page + 1) * PAGE_LINES);
}

/** Enough lines to fill the last page, wherever it starts, and usually the one before. */
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

/**
 * The line after the end of the group that starts at a line, or after the last line of the log if the group
 * never ends.
 */
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
      // The worker went away meanwhile: the stored end is another text, with its own line numbers.
      pages.clear();
      return follow(reading, pages, tell);
    }
    // A worker that is unreachable for a moment does not remove lines already shown.
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
