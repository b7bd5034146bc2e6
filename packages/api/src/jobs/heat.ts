/**
 * The result of each shard at the last ticks of a job. A tick combines the rounds of all instances with its
 * due time. A failover belongs to the tick before it, whose round the lost instance cannot report. A manual
 * trigger is a column of its own.
 */
import { type RecentRound, shardRanges } from '@orrery/elastic/board';
import type { JobEventRow, Store } from '@orrery/store';

/** A column: sets of shards, such as `0-3,7`. */
export interface HeatTick {
  readonly at: number;
  readonly cause: 'tick' | 'trigger' | 'misfire';
  /** From the first start to the last end. */
  readonly took: number;
  readonly succeeded: string;
  readonly failed: string;
  /** Those that a failover ran to their end. */
  readonly takenOver: string;
}

/** Ticks that are shown. */
const MOST_TICKS = 60;
/** Rows of the history that are read at a time, and at most. */
const PAGE = 250;
const MOST_ROWS = 2_000;
/** Instances begin the round of one trigger within that time. */
const TOGETHER = 2_000;

const NOTHING = 0;
const SUCCEEDED = 1;
const FAILED = 2;
const TAKEN_OVER = 3;

type Round = Omit<RecentRound, 'number' | 'at'> & { readonly at: number };

interface Column {
  readonly at: number;
  readonly cause: HeatTick['cause'];
  begun: number;
  ended: number;
  /** What each shard did. */
  readonly did: Uint8Array;
}

/** Reads as much of a job's history as its last ticks need. */
export async function readHeat(
  store: Pick<Store, 'listJobEvents'>,
  name: { readonly center: string; readonly job: string },
  shards: number,
): Promise<readonly HeatTick[]> {
  const rounds: Round[] = [];
  const dues = new Set<number>();
  let before: number | undefined;
  // One tick more than is shown: the oldest one may be cut.
  while (rounds.length < MOST_ROWS && dues.size <= MOST_TICKS) {
    const rows: readonly JobEventRow[] = await store.listJobEvents({ ...name, before, limit: PAGE });
    for (const { kind, at, body } of rows)
      if (kind === 'round') {
        const round = { ...(JSON.parse(body) as Omit<Round, 'at'>), at };
        rounds.push(round);
        dues.add(round.due ?? round.startedAt);
      }
    before = rows.at(-1)?.id;
    if (rows.length < PAGE) break;
  }
  return heatOf(rounds, shards);
}

/** The columns of rounds in any order, the oldest first. Shards that the job no longer has are left out. */
export function heatOf(rounds: readonly Round[], shards: number): readonly HeatTick[] {
  const columns: Column[] = [];
  const byDue = new Map<number, Column>();
  for (const round of rounds.toSorted((a, b) => a.startedAt - b.startedAt)) {
    const column = columnOf(round);
    column.begun = Math.min(column.begun, round.startedAt);
    column.ended = Math.max(column.ended, round.at);
    const good = round.cause === 'failover' ? TAKEN_OVER : SUCCEEDED;
    for (const [from, to] of shardRanges(round.shards)) column.did.fill(good, from, to + 1);
    const failed = round.failedShards ?? round.failed.map(({ shard }) => shard).join();
    for (const [from, to] of shardRanges(failed)) column.did.fill(FAILED, from, to + 1);
  }
  return columns
    .sort((a, b) => a.at - b.at)
    .slice(-MOST_TICKS)
    .map(({ at, cause, begun, ended, did }) => ({
      at,
      cause,
      took: ended - begun,
      succeeded: setOf(did, SUCCEEDED),
      failed: setOf(did, FAILED),
      takenOver: setOf(did, TAKEN_OVER),
    }));

  function columnOf({ cause, due, startedAt }: Round): Column {
    const last = columns.at(-1);
    if (cause === 'failover' && last) return last;
    const known = due === undefined ? undefined : byDue.get(due);
    if (known) return known;
    if (cause === 'trigger' && last?.cause === 'trigger' && startedAt - last.begun < TOGETHER) return last;
    const made: Column = {
      at: due ?? startedAt,
      cause: cause === 'failover' ? 'tick' : cause,
      begun: startedAt,
      ended: startedAt,
      did: new Uint8Array(shards).fill(NOTHING),
    };
    columns.push(made);
    if (due !== undefined) byDue.set(due, made);
    return made;
  }
}

function setOf(did: Uint8Array, what: number): string {
  const parts: string[] = [];
  for (let from = did.indexOf(what); from >= 0; ) {
    let to = from;
    while (did[to + 1] === what) to++;
    parts.push(from === to ? `${from}` : `${from}-${to}`);
    from = did.indexOf(what, to + 1);
  }
  return parts.join();
}
