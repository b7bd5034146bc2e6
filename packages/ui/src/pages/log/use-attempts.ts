/** The shown attempt of a task run, its shard, and the other attempts to choose from. */
import { useApi } from '../../data/api.ts';
import { firstShard, type ShardRun } from '../../model/shard-runs.ts';
import type { Attempt, LogSearch } from './log-search.ts';

/** Attempts in one answer. */
const MOST = 1_000;

/** All shards, one after another, in the place of one. */
export const ALL_SHARDS = 'all';

interface Chosen {
  /** Undefined until the attempts are loaded. */
  readonly attempts: readonly Attempt[] | undefined;
  readonly attempt: Attempt | undefined;
  /** Of the same shard, the one before. */
  readonly earlier: Attempt | undefined;
  /** There are more attempts than those. */
  readonly cut: boolean;
  /** All shards as they stand; none of a task that has no shards. */
  readonly shards: readonly (ShardRun & { readonly shard: number })[];
  readonly shard: number | null;
  readonly error: Error | null;
  readonly retry: () => void;
}

/** Reads the attempts, and again every few seconds. */
export function useAttempts(id: string, search: LogSearch): Chosen {
  const listed = useApi('listAttempts', { id, limit: MOST }, { every: 5_000 });
  const whole = listed.data?.next === null;
  const sharded = listed.data?.attempts.some(({ shard }) => shard !== null) ?? false;
  const detail = useApi('showTaskRun', sharded || listed.data?.next ? { id } : null, { every: 5_000 });
  const runs = detail.data?.shardRuns ?? [];
  const shards = runs.flatMap((one) => (one.shard === null ? [] : [{ ...one, shard: one.shard }]));
  const named = shards.find(({ shard }) => String(shard) === search.shard);
  const shard = named?.shard ?? firstShard(shards);
  // With very many attempts, the ones around the wanted one, or else the last ones, are requested separately.
  const last = runs.find((one) => one.shard === shard)?.attempt;
  const from = Math.max(0, search.attempt ? Number(search.attempt) - MOST / 2 : (last ?? 0) - MOST);
  const near = useApi(
    'listAttempts',
    whole || last === undefined ? null : { id, limit: MOST, after: `${shard ?? -1}.${from}` },
    { every: 5_000 },
  );
  const known = whole ? listed.data : near.data;
  const ready = known !== undefined && (!sharded || detail.data !== undefined);
  const attempts = ready ? known.attempts.filter((one) => one.shard === shard) : undefined;
  const attempt = attempts?.find(({ number }) => String(number) === search.attempt) ?? attempts?.at(-1);
  return {
    attempts,
    attempt,
    earlier: attempt && attempts?.[attempts.indexOf(attempt) - 1],
    cut: from > 0 || (last ?? 0) > (attempts?.at(-1)?.number ?? 0),
    shards,
    shard,
    error: listed.error ?? detail.error ?? near.error,
    retry: () => void Promise.all([listed, detail, near].map(({ error, refetch }) => error && refetch())),
  };
}
