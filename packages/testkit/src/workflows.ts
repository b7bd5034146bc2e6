/** Workflows for tests: written short, or random. */
import type { DynamicSpec, Parameters, Retries, TaskSpec, Workflow } from '@orrery/core/model';
import type { BackfillSpec } from '@orrery/core/run';
import type { Random } from './random.ts';

const plainTask: Omit<TaskSpec, 'name'> = {
  type: 'noop',
  needs: [],
  with: {},
  params: {},
  trigger: 'all-succeeded',
  retries: { limit: 0, delay: 0, backoff: 1, maxDelay: 86_400_000, on: 'any' },
  delay: 0,
  priority: 'medium',
  disabled: false,
  ignoreFailure: false,
  onLostContact: 'kill',
};

/** A task with everything not said at its default. */
export function task(name: string, given: Partial<TaskSpec> = {}): TaskSpec {
  const trigger = given.type === 'conditions' ? 'all-done' : 'all-succeeded';
  return { ...plainTask, trigger, ...given, name };
}

/** Retries with everything not said at its default. */
export function retries(limit: number, given: Partial<Retries> = {}): Retries {
  return { ...plainTask.retries, limit, ...given };
}

/** A task that runs a child run. */
export function subWorkflow(name: string, params: Parameters = {}, given: Partial<TaskSpec> = {}): TaskSpec {
  return task(name, { ...given, type: 'sub-workflow', with: { workflow: { name: 'child' }, params } });
}

/** A task that runs a child run for every value of `over`, one at a time unless said otherwise. */
export function dynamic(
  name: string,
  spec: Partial<DynamicSpec> = {},
  given: Partial<TaskSpec> = {},
): TaskSpec {
  const plain: DynamicSpec = {
    workflow: { name: 'child' },
    params: {},
    over: [{ name: 'a', values: '1,2,3' }],
    without: [],
    parallelism: 1,
    maxElements: 1_000,
    onFailure: 'continue',
  };
  return task(name, { ...given, type: 'dynamic', with: { ...plain, ...spec } });
}

/** The workflow of a backfill: one series task named `backfill`. */
export function backfill(given: Partial<BackfillSpec>): Workflow {
  const plain = { workflow: { name: 'daily' }, params: {}, times: [], parallelism: 1, onFailure: 'continue' };
  return workflow([task('backfill', { type: 'backfill', with: { ...plain, ...given } })]);
}

/** A workflow with everything not said at its default. */
export function workflow(tasks: readonly TaskSpec[], given: Partial<Workflow> = {}): Workflow {
  return {
    project: 'default',
    name: 'sample',
    tags: [],
    priority: 'medium',
    mode: 'parallel',
    onFailure: 'continue',
    workerGroup: 'default',
    tenant: 'default',
    timezone: 'UTC',
    params: {},
    schedules: [],
    triggers: [],
    ...given,
    tasks,
  };
}

/** A workflow from edges alone: `edges([['a', 'b']])`. */
export function edges(
  pairs: readonly (readonly [string, string])[],
  given: Partial<TaskSpec> = {},
): Workflow {
  const names = [...new Set(pairs.flat())];
  return workflow(
    names.map((name) =>
      task(name, { ...given, needs: pairs.filter(([, to]) => to === name).map(([from]) => from) }),
    ),
  );
}

/** A random workflow that uses every kind of task, rule and policy; `nested` ones also start child runs. */
export function randomWorkflow(random: Random, size: number, nested = true): Workflow {
  const names = Array.from({ length: size }, (_, i) => `t${i}`);
  const needs = names.map((_, i) => names.slice(0, i).filter(() => random.chance(2 / Math.max(i, 2))));
  const after = (name: string) => names.filter((_, i) => needs[i].includes(name));
  const half = (list: readonly string[]) => list.filter(() => random.chance(0.5));
  const tasks = names.map((name, i): TaskSpec => {
    const common: Partial<TaskSpec> = {
      needs: needs[i],
      trigger: random.chance(0.6)
        ? 'all-succeeded'
        : random.pick(['all-done', 'one-failed', 'one-succeeded', 'none-failed'] as const),
      delay: random.chance(0.15) ? 5_000 : 0,
      disabled: random.chance(0.08),
      ignoreFailure: random.chance(0.08),
      timeout: random.chance(0.2)
        ? { after: 60_000, action: random.pick(['warn', 'fail', 'both'] as const) }
        : undefined,
      queueTimeout: random.chance(0.1) ? 30_000 : undefined,
      retries: {
        ...plainTask.retries,
        limit: random.int(3),
        delay: random.pick([0, 1_000]),
        backoff: 2,
        on: random.pick(['any', 'same', 'other'] as const),
      },
    };
    const followers = after(name);
    switch (random.int(12)) {
      case 0:
        if (!nested) return task(name, common);
        return task(name, {
          ...common,
          type: 'sub-workflow',
          with: { workflow: { name: 'child' }, params: {} },
        });
      case 1:
        return task(name, { ...common, type: 'dependent', with: { relation: 'all', groups: [] } });
      case 2: {
        const success = half(followers);
        const items = needs[i].map((need) => ({
          task: need,
          is: random.pick(['success', 'failed'] as const),
        }));
        return task(name, {
          ...common,
          type: 'conditions',
          trigger: 'all-done',
          with: {
            relation: 'all',
            groups: [{ relation: random.pick(['all', 'any'] as const), items }],
            success,
            failure: followers.filter((follower) => !success.includes(follower)),
          },
        });
      }
      case 3:
        return task(name, {
          ...common,
          type: 'switch',
          with: {
            cases: [{ when: random.pick(['true', 'false', '1 < 2']), to: half(followers) }],
            default: random.chance(0.7) ? half(followers) : undefined,
          },
        });
      case 4:
        if (!nested) return task(name, common);
        return task(name, {
          ...common,
          type: 'dynamic',
          with: {
            workflow: { name: 'child' },
            params: {},
            over: [{ name: 'a', values: random.pick(['1', '1,2,3', '1,2,3,4,5']) }],
            without: random.chance(0.2) ? ['1'] : [],
            parallelism: 1 + random.int(3),
            maxElements: random.pick([3, 1_000]),
            onFailure: random.pick(['continue', 'stop'] as const),
          },
        });
      case 5:
        return task(name, {
          ...common,
          shards: { count: 1 + random.int(4), parameters: {}, plan: 'none', strategy: 'average' },
        });
      case 6:
        return task(name, {
          ...common,
          type: 'approval',
          with: { message: 'go on?', fields: {}, onNo: i % 2 === 0 ? 'fail' : 'continue' },
        });
      default:
        return task(name, common);
    }
  });
  return workflow(tasks, {
    onFailure: random.chance(0.3) ? 'end' : 'continue',
    timeout: random.chance(0.1)
      ? { after: 300_000, action: random.pick(['warn', 'fail', 'both'] as const) }
      : undefined,
  });
}

/** A random workflow of plain tasks, as a cluster runs it. */
export function randomFlow(random: Random, name: string, size: number): Workflow {
  const names = Array.from({ length: size }, (_, i) => `t${i}`);
  const tasks = names.map((taskName, i) =>
    task(taskName, {
      needs: names.slice(0, i).filter(() => random.chance(0.5)),
      retries: { ...plainTask.retries, limit: random.int(3), delay: random.pick([0, 2_000]) },
      trigger: random.chance(0.8) ? 'all-succeeded' : 'all-done',
    }),
  );
  return workflow(tasks, { name });
}
