/** What a control would do to the task runs of a run, by the rules of its owner. */
import type { Answer } from '@orrery/contract';
import { type Control, decide, type Run, type TaskRun } from '@orrery/core/run';

type Would = NonNullable<Answer<'stopRun'>['would']>;
type What = Would['effects'][number]['what'];

/** Names shown of each effect. */
const MOST_NAMED = 1_000;

/** Decides the control on a copy in memory; nothing is written. */
export function wouldDo(run: Run, control: Control, now: number): Would {
  const { changes } = decide(run, { now, type: 'control', control }, { given: run.fields.given });
  const effects = new Map<What, { count: number; tasks: string[] }>();
  let changed = 0;
  for (const [i, after] of changes.tasks) {
    const what = whatHappens(run.tasks[i], after);
    if (what === undefined) continue;
    changed++;
    const effect = effects.get(what) ?? { count: 0, tasks: [] };
    effects.set(what, effect);
    effect.count++;
    if (effect.tasks.length < MOST_NAMED) effect.tasks.push(run.plan.tasks[i].spec.name);
  }
  return {
    effects: [...effects].map(([what, effect]) => ({ what, ...effect })),
    kept: run.plan.tasks.length - changed,
  };
}

function whatHappens(before: TaskRun, after: TaskRun): What | undefined {
  if (after.round !== before.round) return 'again';
  if (after.forced && !before.forced) return 'force';
  const called = (task: TaskRun) => task.shards.filter(({ cause }) => cause !== undefined).length;
  if (after.state === before.state) {
    // Still on a worker or in the queue, but withdrawn: a stop ends it, a pause holds it.
    if (called(after) <= called(before)) return undefined;
    return after.shards.some(({ cause }) => cause === 'pause') ? 'hold' : 'kill';
  }
  switch (after.state) {
    case 'stopping':
    case 'killed':
      return 'kill';
    case 'paused':
      return 'hold';
    case 'skipped':
      return 'skip';
    default:
      return 'go-on';
  }
}
