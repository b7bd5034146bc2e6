/**
 * One list: its calm rows, the current row, and the selection. Its rows come page by page from
 * `usePagedRows`; `ListBody` draws it in every state.
 */
import { useCallback } from 'react';
import { type PagedId, usePages } from '../../data/api.ts';
import type { AnswerOf, InputOf } from '../../data/client.ts';
import { useMemoWhen } from '../../data/when.ts';
import { useCalmPages } from './use-calm-pages.ts';
import { type ListControl, useListPlace } from './use-list-place.ts';

/** Where the rows of a list come from. */
export interface RowSource<Row> {
  /** Undefined until the first answer. */
  readonly all: readonly Row[] | undefined;
  readonly pages: number;
  /** Tells lists apart: another filter is another list. */
  readonly key: string;
  /** The rows are those of the filter before. */
  readonly stale: boolean;
  readonly error: Error | null;
  /** Why there is no further page. */
  readonly refused: Error | null;
  retry(): void;
  /** Absent where there is no further page, or it is on its way. */
  readonly more?: (() => void) | undefined;
}

/** Rows that come page by page; read again this often where no live topic tells of them. */
export function usePagedRows<Id extends PagedId, Row>(
  id: Id,
  input: InputOf<Id>,
  rowsOf: (answer: AnswerOf<Id>) => readonly Row[],
  every?: number,
): RowSource<Row> {
  const found = usePages(id, input, every);
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage, isPlaceholderData } = found;
  // The data say when their rows have changed.
  const all = useMemoWhen(() => data?.pages.flatMap((page) => rowsOf(page as AnswerOf<Id>)), [data]);
  const next = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  return {
    all,
    pages: data?.pages.length ?? 0,
    key: `${JSON.stringify(input)} ${isPlaceholderData}`,
    stale: isPlaceholderData,
    error: data ? null : error,
    refused: found.refused,
    retry: found.refused ? next : () => void refetch(),
    // A refused page is retried only by hand.
    more: hasNextPage && !isFetchingNextPage && !found.refused ? next : undefined,
  };
}

/** Rows that come whole with one answer; `key` tells their filters apart. */
export function wholeRows<Row>(
  query: { readonly error: Error | null; readonly data: unknown; refetch(): unknown },
  all: readonly Row[] | undefined,
  key: string,
): RowSource<Row> {
  return {
    all,
    pages: 1,
    key,
    stale: false,
    error: query.data === undefined ? query.error : null,
    refused: null,
    retry: () => void query.refetch(),
  };
}

interface ListOptions<Row> {
  /** The same function each time. */
  idOf(row: Row): string;
  onOpen?(row: Row): void;
  onInspect?(row: Row): void;
  readonly choosable?: boolean;
}

/** A list as `ListBody` draws it. */
export interface List<Row> extends ListOptions<Row> {
  readonly source: RowSource<Row>;
  readonly rows: readonly Row[];
  readonly control: ListControl;
  /** The row that keys act on. */
  readonly current: Row | undefined;
  readonly chosen: readonly Row[];
  readonly waiting: number;
  showNew(): void;
  open(id: string): void;
  inspect(id: string): void;
}

/** The state of a list: calm rows, the current row, a selection, and the keys of lists. */
export function useList<Row>(source: RowSource<Row>, options: ListOptions<NoInfer<Row>>): List<Row> {
  const { idOf, onOpen, onInspect, choosable = false } = options;
  const { rows, waiting, showNew } = useCalmPages(source.all ?? none, source.pages, source.key, idOf);
  const withRow = (id: string, act: ((row: Row) => void) | undefined) => {
    const row = rows.find((each) => idOf(each) === id);
    if (row) act?.(row);
  };
  const open = (id: string) => withRow(id, onOpen);
  const inspect = (id: string) => withRow(id, onInspect);
  const control = useListPlace({
    onOpen: onOpen && open,
    onInspect: onInspect && inspect,
    choosable,
    list: source.key,
  });
  const { current, chosen } = control.place;
  return {
    ...options,
    source,
    rows,
    control,
    current: rows.find((row) => idOf(row) === current),
    chosen: rows.filter((row) => chosen.has(idOf(row))),
    waiting,
    showNew,
    open,
    inspect,
  };
}

const none: readonly never[] = [];
