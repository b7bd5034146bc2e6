/**
 * `approval`: waits for a person's yes or no, and outputs the answer, the person and the filled-in fields. A
 * pause does not end the wait: an answer counts while the run is paused, and its successors start on resume.
 */
import type { ApprovalSpec } from '../../model/index.ts';
import { type Said, said } from '../../texts/index.ts';
import type { Draft } from '../draft.ts';
import type { Control } from '../events.ts';
import { finish } from '../finish.ts';
import { resolveParameters } from '../parameters.ts';
import type { Run } from '../run.ts';
import { failOnBadInput } from './children.ts';
import type { Logic } from './logic.ts';

/** A person's answer. */
export type AnswerControl = Extract<Control, { type: 'answer' }>;

export const approval: Logic = {
  onReady(draft, i) {
    if (draft.run.request.dryRun) finish(draft, i, 'succeed', { reason: 'dry run' });
    else {
      failOnBadInput(draft, i, () => {
        const { message, fields } = specOf(draft.run, i);
        const given = Object.entries(fields).flatMap(([name, { default: value }]) =>
          value === undefined ? [] : [[name, value]],
        );
        const question = {
          ...(resolveParameters(draft, i, { message }) as { readonly message: string }),
          defaults: resolveParameters(draft, i, Object.fromEntries(given)),
        };
        draft.move(i, 'wait', { question });
        tellApproval(draft, i, true);
      });
    }
  },
  onEvent() {},
  onPause(draft, i) {
    draft.move(i, 'hold');
  },
  onResume(draft, i) {
    draft.move(i, 'wait');
  },
  onStop(draft, i, reason) {
    tellApproval(draft, i, false);
    finish(draft, i, 'kill', { reason });
  },
};

/** Opens or closes the approval of a task run. */
export function tellApproval(draft: Draft, i: number, open: boolean): void {
  draft.approvals.push({ task: i, round: draft.fields.round, open });
}

/** Why a task cannot be answered; undefined if it can. */
export function answerRefusal(run: Run, i: number, { round }: AnswerControl): Said | undefined {
  if (run.plan.tasks[i].logic !== 'approval') return said('control.notApproval');
  const { state, question, round: current } = run.tasks[i];
  const asks = question !== undefined && (state === 'waiting' || state === 'paused');
  return asks && round === current ? undefined : said('control.noAnswer');
}

/** Ends an approval with a person's answer. */
export function answerTask(draft: Draft, i: number, control: AnswerControl): void {
  const { onNo } = specOf(draft.run, i);
  const { answer, by, values, comment = '' } = control;
  tellApproval(draft, i, false);
  const reason = `${answer === 'yes' ? 'approved' : 'rejected'} by ${by}${comment && `: ${comment}`}`;
  if (answer === 'no' && onNo === 'fail') {
    finish(draft, i, 'fail', { reason });
    return;
  }
  const { defaults } = draft.task(i).question ?? {};
  const outputs = { ...defaults, ...values, answer, answeredBy: by, comment };
  finish(draft, i, 'succeed', { reason, outputs });
}

function specOf({ plan }: Run, i: number): ApprovalSpec {
  return plan.tasks[i].spec.with as ApprovalSpec;
}
