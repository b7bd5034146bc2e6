/** Approvals: what they ask, and what people say. The store lets one answer through; the run's owner applies it. */

import { createHash, randomBytes } from 'node:crypto';
import type { Answer, ReadInput } from '@orrery/contract';
import { roleActions } from '@orrery/contract/roles';
import type { ApprovalSpec, DeclaredParameter } from '@orrery/core/model';
import { type Control, refusal, type TaskRunName, taskRunText } from '@orrery/core/run';
import { english, type Said, said as text } from '@orrery/core/texts';
import { Conflict } from '@orrery/store';
import { needsRole } from '../access/actions.ts';
import type { Identity } from '../access/identity.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../problem.ts';
import { optionalTime } from '../time.ts';
import { wordingOf } from '../worded.ts';
import { checkParameters } from './parameters.ts';
import { asRun, findTaskRun } from './read.ts';

/** A person's answer. */
export type GivenAnswer = ReadInput<'answerApproval'>['body'];

/** The question of an approval; `identity` is the possible answerer. */
export async function readApproval(
  context: Context,
  id: TaskRunName,
  identity?: Identity,
): Promise<Answer<'showApproval'>> {
  const { spec, settings, run, index } = await find(context, id);
  const { question, state, round, since, started, pausedFor = 0 } = run.tasks[index];
  const closed = refusal(run, answerOf(id, round, { answer: 'yes', values: {}, comment: '' }, ''));
  const waiting = closed === undefined;
  const why = closed ?? (identity && notAmong(settings, identity));
  const limit = spec.timeout && started !== undefined ? started + spec.timeout.after + pausedFor : undefined;
  return {
    id: taskRunText(id),
    run: id.run,
    project: run.request.project,
    workflow: run.plan.workflow.name,
    task: id.task,
    message: question?.message ?? settings.message,
    fields: Object.entries(settings.fields).map(([name, declared]) => ({
      name,
      type: declared.type,
      default: question?.defaults[name] ?? declared.default ?? null,
      required: declared.required,
      options: declared.options ? [...declared.options] : null,
      description: declared.description ?? null,
    })),
    by: settings.by ? [...settings.by] : null,
    waiting,
    since: waiting ? optionalTime(since) : null,
    until: waiting && state === 'waiting' ? optionalTime(limit) : null,
    refusal: why ? english(why) : null,
    said: wordingOf(why),
  };
}

/** Answers as a signed-in person. */
export async function answer(context: Context, id: TaskRunName, said: GivenAnswer, identity: Identity) {
  const { run, index, settings } = await find(context, id);
  const refused = notAmong(settings, identity);
  if (refused !== undefined) throw new Refusal('not-allowed', refused);
  const { round } = run.tasks[index];
  await record(context, { id, round, said, by: identity.name });
}

/** Creates a link for a person without sign-in, and returns the path of its page. Its key is not stored. */
export async function makeLink(context: Context, id: TaskRunName, holder: string, identity: Identity) {
  const { run, index, settings } = await find(context, id);
  const refused = notAmong(settings, identity);
  if (refused !== undefined) throw new Refusal('not-allowed', refused);
  const key = randomBytes(32).toString('base64url');
  const { round } = run.tasks[index];
  const { store, clock } = context;
  const named = { run: id.run, name: id.task, round };
  await refuseConflict(
    store.linkApproval({ ...named, hash: hashOf(key), holder, by: identity.name, now: clock.now() }),
  );
  return `/approve/${key}`;
}

/** The approval that a link is for; undefined where the key is wrong, was used, or its approval has ended. */
export async function findLinked(context: Context, key: string) {
  const link = await context.store.findApprovalLink({ hash: hashOf(key) });
  return link && { link, id: { run: link.run, task: link.name } };
}

/** Answers for the holder of a link. */
export async function answerByLink(context: Context, key: string, said: GivenAnswer): Promise<boolean> {
  const found = await findLinked(context, key);
  if (!found) return false;
  const { link, id } = found;
  const by = `${link.holder} (link by ${link.madeBy})`;
  await record(context, { id, round: link.round, said, by, linkBy: link.madeBy });
  return true;
}

interface Recorded {
  readonly id: TaskRunName;
  readonly round: number;
  readonly said: GivenAnswer;
  readonly by: string;
  readonly linkBy?: string;
}

async function record(context: Context, { id, round, said, by, linkBy }: Recorded): Promise<void> {
  const { run, settings } = await find(context, id);
  const control = answerOf(id, round, said, by);
  const refused = refusal(run, control);
  if (refused !== undefined) throw new Refusal('conflict', refused);
  const asked = said.answer === 'yes' ? settings.fields : optional(settings.fields);
  checkParameters(asked, said.values, new Set(Object.keys(asked)), 'approval');
  const { store, clock, hints } = context;
  await refuseConflict(store.answerApproval({ run: id.run, control, linkBy, now: clock.now() }));
  hints.inboxTold([id.run]);
}

function answerOf({ task }: TaskRunName, round: number, said: GivenAnswer, by: string) {
  const { answer, values, comment } = said;
  const control: Extract<Control, { type: 'answer' }> = { type: 'answer', task, round, answer, values, by };
  return comment === '' ? control : { ...control, comment };
}

async function find(context: Context, id: TaskRunName) {
  const found = await findTaskRun(context, id);
  const { index, plan } = found;
  const { spec, logic } = plan.tasks[index];
  if (logic !== 'approval') throw new Refusal('not-found', text('none.approval', { task: taskRunText(id) }));
  return { run: asRun(found), index, spec, settings: spec.with as ApprovalSpec };
}

/** A no needs nothing to be filled in. */
function optional(fields: ApprovalSpec['fields']): Record<string, DeclaredParameter> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, { ...field, required: false }]),
  );
}

function notAmong({ by }: ApprovalSpec, { name, role }: Identity): Said | undefined {
  if (!roleActions[role].has('run.control')) return needsRole('run.control');
  if (by === undefined || by.includes(name)) return undefined;
  return text('approval.notYours', { names: by, name });
}

async function refuseConflict(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    throw error instanceof Conflict ? new Refusal('conflict', error.said ?? error.message) : error;
  });
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
