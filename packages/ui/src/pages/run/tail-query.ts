/** The query of a log's end: once if the log is complete, otherwise polled. */
import { type AnswerOf, call } from '../../data/client.ts';
import { readLastLines } from '../../model/log-read.ts';

/** Lines that are read. */
export const TAIL_LINES = 50;
const READ_EVERY = 1_000;

/** The end of a log. */
export interface Tail extends Pick<AnswerOf<'readLog'>, 'source' | 'done' | 'loss' | 'worker'> {
  readonly lines: readonly string[];
  /** The number of the first of them, from 1. */
  readonly firstLine: number;
}

/** What asks for the end of an attempt's log; an attempt is named as the API does: `12.extract.2`. */
export function tailQuery(attempt: string) {
  return {
    queryKey: ['logTail', attempt],
    queryFn: ({ signal }: { signal: AbortSignal }) => readTail(attempt, signal),
    refetchInterval: ({ state }: { state: { data?: Tail } }) => (state.data?.done ? false : READ_EVERY),
  } as const;
}

async function readTail(id: string, signal: AbortSignal): Promise<Tail> {
  const { last, source, done, loss, worker, firstLine } = await readLastLines(
    ({ line }) => call('readLog', { id, line }, { signal }),
    TAIL_LINES,
  );
  return { source, done, loss, worker, lines: last, firstLine: firstLine ?? 1 };
}
