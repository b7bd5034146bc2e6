/**
 * Progress of a series: which elements are open, paused or failed, and which start next. At most
 * `parallelism` are open at once; every change returns a new value.
 */
import type { Parameters } from '../model/index.ts';

/** The state of a series. Elements from `next` on have not started; those in `again` continue before them. */
export interface SeriesProgress {
  readonly total: number;
  readonly next: number;
  readonly open: readonly number[];
  readonly paused: readonly number[];
  readonly failed: readonly number[];
  readonly again: readonly number[];
  readonly succeeded: number;
  /** Outputs of finished children, by element; only for a series of at most `COLLECTED` elements. */
  readonly results: Readonly<Record<number, Parameters>>;
}

/** A larger series stores no results: the state of a task run must stay small. */
const COLLECTED = 1_000;

/** A series before its first element. */
export function seriesOf(total: number): SeriesProgress {
  return { total, next: 0, open: [], paused: [], failed: [], again: [], succeeded: 0, results: {} };
}

/** Opens elements while there is room: first those to continue, then new ones; returns both. */
export function openNext(
  series: SeriesProgress,
  parallelism: number,
): { series: SeriesProgress; resumed: readonly number[]; started: readonly number[] } {
  const room = Math.max(0, parallelism - series.open.length - series.paused.length);
  const resumed = series.again.slice(0, room);
  const count = Math.min(room - resumed.length, series.total - series.next);
  const started = Array.from({ length: count }, (_, k) => series.next + k);
  return {
    series: {
      ...series,
      next: series.next + count,
      again: series.again.slice(resumed.length),
      open: [...series.open, ...resumed, ...started],
    },
    resumed,
    started,
  };
}

/** Ends an open or paused element. Any other element is ignored: its end was already handled. */
export function endElement(
  series: SeriesProgress,
  element: number,
  state: 'success' | 'failed' | 'stopped',
  outputs?: Parameters,
): SeriesProgress {
  if (!series.open.includes(element) && !series.paused.includes(element)) return series;
  const ended = { ...series, open: without(series.open, element), paused: without(series.paused, element) };
  if (state !== 'success') return { ...ended, failed: [...series.failed, element] };
  const collects = outputs && series.total <= COLLECTED && Object.keys(outputs).length > 0;
  const results = collects ? { ...series.results, [element]: outputs } : series.results;
  return { ...ended, succeeded: series.succeeded + 1, results };
}

/** Queues an open or paused element that has more to do: it is opened again before new ones. */
export function continueElement(series: SeriesProgress, element: number): SeriesProgress {
  return {
    ...series,
    open: without(series.open, element),
    paused: without(series.paused, element),
    again: [...series.again, element],
  };
}

/** Records that an element's child run came to rest, or continues. */
export function restElement(series: SeriesProgress, element: number, paused: boolean): SeriesProgress {
  const from = paused ? series.open : series.paused;
  if (!from.includes(element)) return series;
  return paused
    ? { ...series, open: without(series.open, element), paused: [...series.paused, element] }
    : { ...series, paused: without(series.paused, element), open: [...series.open, element] };
}

/**
 * Queues every unsuccessful element for resumption. Elements are still open only if the run was set aside
 * meanwhile. Their children may have ended since: a child that cannot be recovered reports its state instead.
 */
export function recoverUnfinished(series: SeriesProgress): SeriesProgress {
  const { again, failed, open, paused } = series;
  return { ...series, failed: [], open: [], paused: [], again: [...again, ...failed, ...open, ...paused] };
}

/** Whether every element has ended. */
export function isExhausted(series: SeriesProgress): boolean {
  return series.next >= series.total && series.open.length + series.paused.length + series.again.length === 0;
}

function without(list: readonly number[], element: number): number[] {
  return list.filter((other) => other !== element);
}
