/** `switch`: takes the first branch whose expression is true, else the default; without either it fails. */
import { InvalidInput } from '../../errors.ts';
import { evaluateCondition } from '../../expression/index.ts';
import type { SwitchSpec } from '../../model/index.ts';
import { finish } from '../finish.ts';
import { namesOf } from '../parameters.ts';
import { indexOf } from '../plan.ts';
import { decidedAtOnce } from './decided.ts';

export const switchTask = decidedAtOnce((draft, i) => {
  const { plan, request } = draft.run;
  const spec = plan.tasks[i].spec.with as SwitchSpec;
  const take = (names: readonly string[], reason: string) =>
    finish(draft, i, 'succeed', { branch: names.map((name) => indexOf(plan.index, name)), reason });
  try {
    const names = namesOf(draft, i);
    const chosen = spec.cases.find(({ when }) => evaluateCondition(when, names));
    if (chosen) take(chosen.to, `${chosen.when} is true`);
    else if (spec.default) take(spec.default, 'no case is true');
    else finish(draft, i, 'fail', { reason: 'no case is true and there is no default' });
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    // A dry run has no outputs to evaluate: it takes the default branch instead of failing on a missing
    // value.
    if (request.dryRun && spec.default) take(spec.default, `dry run: ${error.message}`);
    else finish(draft, i, 'fail', { reason: error.message });
  }
});
