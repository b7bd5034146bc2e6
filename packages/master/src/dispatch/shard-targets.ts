/**
 * Chooses workers for the shards of a task with a plan. The first attempt of each shard targets the worker
 * that the plan names. A retry goes where the task's `retries` say, and a lost attempt goes to another
 * worker. A target is a preference: when its worker is lost or drained, the store opens the attempt to all
 * workers.
 */
import type { TaskSpec } from '@orrery/core/model';
import type { ShardRun } from '@orrery/core/run';
import { chooseShardPlan, type ShardPlace, type StrategyName } from '@orrery/core/shard';
import type { ReadyRow, Store } from '@orrery/store';
import type { RunEntry } from '../runs/run-entry.ts';

/** Returns the rows with the targets of plans, or the same rows if there are none. */
export async function withTargets(
  entry: RunEntry,
  rows: readonly ReadyRow[],
  store: Store,
): Promise<readonly ReadyRow[]> {
  for (const task of new Set(rows.flatMap((row) => (failsOver(entry, row) ? [row.task] : []))))
    await store.dropShardPlan({ workflow: entry.workflow, task: entry.run.plan.tasks[task].spec.name });
  const places = new Map<number, ReadonlyMap<number, string>>();
  for (const task of new Set(rows.flatMap((row) => (isPlanned(entry, row) ? [row.task] : []))))
    places.set(task, await plan(entry, task, store));
  if (places.size === 0) return rows;
  return rows.map((row) =>
    isPlanned(entry, row) ? { ...row, target: places.get(row.task)?.get(row.shard) } : row,
  );
}

/** Whether the row is the first attempt of a shard in this round, for a task with a plan. */
function isPlanned({ run }: RunEntry, { task, shard, target, avoid }: ReadyRow): boolean {
  const { shards } = run.plan.tasks[task].spec;
  if (!shards || shards.plan === 'none' || target !== undefined || avoid !== undefined) return false;
  return isFirst(run.tasks[task].shards[shard]);
}

/** Whether a shard leaves the worker of a stored plan. The plan is then not reused by the next run. */
function failsOver({ run }: RunEntry, { task, shard }: ReadyRow): boolean {
  const { shards } = run.plan.tasks[task].spec;
  return shards?.plan === 'static' && !isFirst(run.tasks[task].shards[shard]);
}

function isFirst(line: ShardRun | undefined): boolean {
  return line !== undefined && line.failures === 0 && line.lost === 0;
}

/** Assigns a worker to each shard; none if the group has no live worker. */
async function plan(entry: RunEntry, task: number, store: Store): Promise<ReadonlyMap<number, string>> {
  const { spec } = entry.run.plan.tasks[task];
  const { shards } = spec;
  if (!shards) return new Map();
  const healthy = await healthyWorkers(entry, spec, store);
  const stored = shards.plan === 'static' ? await storedPlan(entry, spec, store) : undefined;
  const { project, name } = entry.run.plan.workflow;
  const choice = chooseShardPlan({
    mode: shards.plan,
    job: `${project}/${name}/${spec.name}`,
    shards: shards.count,
    parameters: Array.from({ length: shards.count }, (_, k) => shards.parameters[k] ?? ''),
    defaultInstances: shards.instances ?? Math.max(1, healthy.length),
    healthy,
    strategy: shards.strategy as StrategyName,
    stored,
    // Each run starts at another worker. The choice does not depend on the master that plans.
    random: (Math.imul(entry.id, 0x9e3779b1) >>> 0) / 2 ** 32,
  });
  if (choice.kind === 'refused') return new Map();
  if (choice.store)
    await store.keepShardPlan({
      workflow: entry.workflow,
      task: spec.name,
      body: JSON.stringify(choice.plan),
    });
  return new Map(choice.plan.map(({ item, node }) => [item, node]));
}

async function healthyWorkers({ run }: RunEntry, spec: TaskSpec, store: Store): Promise<string[]> {
  const group = spec.workerGroup ?? run.plan.workflow.workerGroup;
  return (await store.listWorkers())
    .filter(
      ({ lost, draining, unhealthy, groups }) =>
        lost === 0 && draining === 0 && unhealthy === null && JSON.parse(groups).includes(group),
    )
    .map(({ id }) => id);
}

async function storedPlan(
  { workflow }: RunEntry,
  { name }: TaskSpec,
  store: Store,
): Promise<ShardPlace[] | undefined> {
  const body = await store.readShardPlan({ workflow, task: name });
  if (body === undefined) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    // An unusable plan is computed again.
    return undefined;
  }
}
