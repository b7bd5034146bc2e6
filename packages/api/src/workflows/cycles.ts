/** Workflows that would start each other without end, by triggers and child runs: refused before they are published. */
import { usesOf, type Workflow } from '@orrery/core/model';
import type { Store } from '@orrery/store';
import { Refusal } from '../problem.ts';
import type { WorkflowName } from './find.ts';

/** Workflows that are looked at for one publication. */
const MOST_LOOKED_AT = 10_000;

interface Start extends WorkflowName {
  readonly as: string;
}

/** Refuses workflows of which one leads back to itself, with the way. */
export async function refuseCycles(store: Store, workflows: readonly Workflow[]): Promise<void> {
  const own = new Map(workflows.map((workflow) => [keyOf(workflow), usesOf(workflow)]));
  for (const workflow of workflows) {
    const back = await wayBack(keyOf(workflow), (from) => startsOf(store, own, from));
    if (back)
      throw new Refusal(
        'not-accepted',
        `${back.triggered ? 'triggers' : 'child runs'} would start runs without end: ${back.way.join(' -> ')}; nothing was changed`,
      );
  }
}

/** What runs of a workflow start: those whose triggers wait for it, and its child runs. */
async function startsOf(
  store: Store,
  own: ReadonlyMap<string, readonly Start[]>,
  from: string,
): Promise<Start[]> {
  const [project, name] = from.split('/');
  const [users, kept] = await Promise.all([
    store.listUsers({ project, name, limit: MOST_LOOKED_AT }),
    own.get(from) ?? store.listUses({ project, name }),
  ]);
  const triggered = users.filter((user) => user.as === 'trigger' && !own.has(keyOf(user)));
  const here = [...own].flatMap(([key, uses]) => {
    const [project, name] = key.split('/');
    const hears = uses.some((use) => use.as === 'trigger' && keyOf(use) === from);
    return hears ? [{ project, name, as: 'trigger' }] : [];
  });
  const children = kept.filter(({ as }) => as === 'sub-workflow' || as === 'dynamic');
  return [...triggered, ...here, ...children];
}

/** A way from a workflow back to itself, as people read it, and whether it passes a trigger. */
async function wayBack(
  root: string,
  starts: (from: string) => Promise<Start[]>,
): Promise<{ readonly way: readonly string[]; readonly triggered: boolean } | undefined> {
  const seen = new Set<string>();
  const open = [{ at: root, triggered: false, way: [root] }];
  for (let step = open.pop(); step && seen.size < MOST_LOOKED_AT; step = open.pop()) {
    for (const start of await starts(step.at)) {
      const at = keyOf(start);
      const triggered = step.triggered || start.as === 'trigger';
      const way = [...step.way, at];
      if (at === root) return { way, triggered };
      if (seen.has(at)) continue;
      seen.add(at);
      open.push({ at, triggered, way });
    }
  }
  return undefined;
}

function keyOf({ project, name }: WorkflowName): string {
  return `${project}/${name}`;
}
