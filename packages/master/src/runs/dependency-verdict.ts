/** Checks whether the rounds that a dependent task waits for have ended. */
import type { DependencyState, ItemResult } from '@orrery/core/depend';
import { InvalidInput } from '@orrery/core/errors';
import type { Happening, Run } from '@orrery/core/run';
import { english, type Said } from '@orrery/core/texts';
import { evaluateDependent } from '@orrery/store/dependency';
import type { Context } from '../ports.ts';

/** The result of a check; undefined if the task still waits or the answer is not available now. */
export async function verdictOf(
  run: Run,
  task: number,
  round: number,
  { store, clock, report }: Pick<Context, 'store' | 'clock' | 'report'>,
): Promise<Extract<Happening, { type: 'dependency' }> | undefined> {
  const verdict = { type: 'dependency', task, round } as const;
  try {
    const { state, items } = await evaluateDependent(run, task, store, clock.now());
    if (state === 'waiting') return undefined;
    return { ...verdict, now: clock.now(), state, reason: reasonOf(items, state) };
  } catch (error) {
    if (error instanceof InvalidInput)
      return { ...verdict, now: clock.now(), state: 'failed', reason: error.message };
    report(`dependency of run ${run.request.id}`, error);
    return undefined;
  }
}

/** Why the dependency failed, or that a round it waits for was never due. */
function reasonOf(items: readonly ItemResult[], state: DependencyState): string | undefined {
  if (state === 'failed') return spoken(items.find((item) => item.state === 'failed'));
  return spoken(items.flatMap(({ intervals }) => intervals).find(({ noDue }) => noDue));
}

/** Rows hold reasons in English. */
function spoken(found: { readonly reason: Said } | undefined): string | undefined {
  return found && english(found.reason);
}
