/** Refuses workflows that would start each other endlessly, by triggers and child runs. */
import { InvalidInput } from '@orrery/core/errors';
import type { Workflow } from '@orrery/core/model';
import { usesOf, type WorkflowUse } from '@orrery/core/model/uses';
import { batch, change, type Operation } from '../../operation.ts';
import { unnest } from '../../table.ts';

/** Limit of workflows inspected for one publication. */
const MOST_LOOKED_AT = 10_000;

/**
 * Refuses workflows that lead back to themselves, and shows the path. These workflows count as given, all
 * others as published.
 */
export function* refuseCycles({ workflows }: { readonly workflows: readonly Workflow[] }): Operation<void> {
  for (const workflow of workflows) yield* refuseCycle(workflow, workflows);
}

/** The same check for one of them. */
export function* refuseCycle(workflow: Workflow, workflows: readonly Workflow[]): Operation<void> {
  const given = new Map([...workflows, workflow].map((each) => [keyOf(each), usesOf(each)]));
  // A workflow that adds no way to start another closes no cycle.
  if (!given.get(keyOf(workflow))?.some(({ as }) => as !== 'dependent')) return;
  const back = yield* wayBack(keyOf(workflow), given);
  if (!back) return;
  const what = back.triggered ? 'triggers' : 'child runs';
  throw new InvalidInput(
    `${what} would start runs without end: ${back.way.join(' -> ')}; nothing was changed`,
  );
}

/**
 * Lets one publication run at a time, so that its checks still hold at its commit. Must be the first lock
 * taken.
 */
export function* publishAlone(): Operation<void> {
  yield* change({ sqlite: 'SELECT 1', postgres: 'LOCK TABLE workflow_use IN SHARE ROW EXCLUSIVE MODE' });
}

interface Way {
  readonly way: readonly string[];
  /** Whether the path passes a trigger. */
  readonly triggered: boolean;
}

/** A shortest path from a workflow back to itself. */
function* wayBack(root: string, given: Given): Operation<Way | undefined> {
  const ways = new Map<string, Way>([[root, { way: [root], triggered: false }]]);
  for (let ends = [root]; ends.length > 0 && ways.size < MOST_LOOKED_AT; ) {
    const reached: string[] = [];
    for (const { from, to, triggers } of yield* startsOf(ends, given)) {
      const { way = [], triggered = false } = ways.get(from) ?? {};
      const longer = { way: [...way, to], triggered: triggered || triggers };
      if (to === root) return longer;
      if (ways.has(to)) continue;
      ways.set(to, longer);
      reached.push(to);
    }
    ends = reached;
  }
  return undefined;
}

type Given = ReadonlyMap<string, readonly WorkflowUse[]>;

interface Start {
  readonly from: string;
  readonly to: string;
  readonly triggers: boolean;
}

/** What runs of workflows start: workflows with triggers on them, and child runs. */
function* startsOf(froms: readonly string[], given: Given): Operation<Start[]> {
  const names = froms.map((from) => from.split('/'));
  const heard = yield* batch<Pair>(
    pairs(
      'k.project AS from_project, k.name AS from_name, w.project, w.name',
      `JOIN workflow_use u ON u.project = k.project AND u.name = k.name AND u.used_as = 'trigger'
       JOIN workflow w ON w.id = u.workflow`,
    ),
    ['text', 'text'],
    names,
  );
  const called = yield* batch<Pair>(
    pairs(
      'k.project AS from_project, k.name AS from_name, u.project, u.name',
      `JOIN workflow w ON w.project = k.project AND w.name = k.name
       JOIN workflow_use u ON u.workflow = w.id AND u.used_as IN ('sub-workflow', 'dynamic')`,
    ),
    ['text', 'text'],
    names.filter((_, k) => !given.has(froms[k])),
  );
  const asked = new Set(froms);
  const uses = [...given].flatMap(([key, list]) => list.map((use) => ({ key, on: keyOf(use), as: use.as })));
  return [
    ...heard.rows.map((pair) => startOf(pair, true)).filter(({ to }) => !given.has(to)),
    ...called.rows.map((pair) => startOf(pair, false)),
    ...uses
      .filter(({ as, on }) => as === 'trigger' && asked.has(on))
      .map(({ key, on }) => ({ from: on, to: key, triggers: true })),
    ...uses
      .filter(({ as, key }) => (as === 'sub-workflow' || as === 'dynamic') && asked.has(key))
      .map(({ key, on }) => ({ from: key, to: on, triggers: false })),
  ];
}

interface Pair {
  readonly from_project: string;
  readonly from_name: string;
  readonly project: string;
  readonly name: string;
}

/** A statement over workflows by name, as table k. */
function pairs(columns: string, joins: string): { sqlite: string; postgres: string } {
  return {
    sqlite: `SELECT ${columns} FROM (SELECT ?1 AS project, ?2 AS name) k ${joins}`,
    postgres: `SELECT ${columns} FROM ${unnest(['text', 'text'])} AS k(project, name) ${joins}`,
  };
}

function startOf({ from_project, from_name, project, name }: Pair, triggers: boolean): Start {
  return { from: `${from_project}/${from_name}`, to: keyOf({ project, name }), triggers };
}

function keyOf({ project, name }: { readonly project: string; readonly name: string }): string {
  return `${project}/${name}`;
}
