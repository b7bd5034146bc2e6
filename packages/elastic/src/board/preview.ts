/** How the shards of a job would be divided with other settings, by the code that divides them. */
import type { Job } from '@orrery/core/model';
import { divide, movedItems } from '@orrery/core/shard';
import { writeShards } from '../native/shard-set.ts';
import type { JobDetails } from './operator.ts';
import { BALANCE, isBuiltIn, strategyOf } from './strategy.ts';

/** The shards of each instance, such as `0-3,7`, now and after the division. */
export interface DivisionPreview {
  readonly instances: readonly { readonly id: string; readonly before: string; readonly after: string }[];
  readonly moved: number;
}

/** Undefined where only the instances know: a strategy of the user's own, or one that takes turns. */
export function previewDivision(
  { job, instanceList, status }: JobDetails,
  next: Job,
  sort: (ids: readonly string[]) => readonly string[],
): DivisionPreview | undefined {
  const strategy = isBuiltIn(next.strategy) ? strategyOf(next, {}) : BALANCE;
  if (strategy === BALANCE) return undefined;
  const before = new Map(instanceList.map(({ id, shards }) => [id, shards]));
  const stays = next.staticSharding && next.shards === job.shards;
  const servers =
    status === 'disabled' ? [] : sort(instanceList.filter(({ disabled }) => !disabled).map(({ id }) => id));
  const after = stays ? before : divide(strategy, { items: next.shards, servers, job: next.name });
  return {
    instances: instanceList.map(({ id, shards }) => ({
      id,
      before: writeShards(shards),
      after: writeShards(after.get(id) ?? []),
    })),
    moved: movedItems(before, after),
  };
}
