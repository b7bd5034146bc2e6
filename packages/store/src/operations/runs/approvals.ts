/**
 * Approvals: tasks that wait for a person, and links for answering without signing in. A row exists while its
 * task waits. The first answer takes it, in the transaction that tells the run; the run's owner deletes it
 * with its links when the task ends for any reason. So a link works once, and never longer than its approval.
 */

import type { Control } from '@orrery/core/run';
import { said } from '@orrery/core/texts';
import { Conflict } from '../../errors.ts';
import { batch, change, type Operation, row, rows, type Value } from '../../operation.ts';
import { insert, unnest } from '../../table.ts';
import { approvalTable } from '../../tables.ts';
import { audit } from '../access/audit.ts';
import { sendControl } from './controls.ts';
import type { WaitRef } from './dependents.ts';

/** An approval that starts to wait. */
export interface OpenApproval extends WaitRef {
  /** Name of its task. */
  readonly name: string;
  readonly message: string;
}

/** An approval waiting for an answer. */
export interface ApprovalRow {
  readonly run: number;
  readonly project: string;
  readonly workflow: string;
  readonly task: number;
  readonly round: number;
  readonly name: string;
  readonly message: string;
  readonly since: number;
}

/** A link to a waiting approval; `holder` is the person it was made for. */
export interface ApprovalLink {
  readonly run: number;
  readonly name: string;
  readonly round: number;
  readonly holder: string;
  readonly madeBy: string;
}

/** Identifies an approval. */
interface ApprovalKey {
  readonly run: number;
  readonly name: string;
  readonly round: number;
}

type OfRun<T> = T & { readonly run: number };
type AnswerControl = Extract<Control, { type: 'answer' }>;

/** Opens approvals; one that was open in an earlier round asks again. */
export function* openApprovals(list: readonly OfRun<OpenApproval>[], now: number): Operation<void> {
  yield* insert(
    approvalTable,
    list.map(({ run, task, round, name, message }) => ({
      run,
      task,
      round,
      name,
      message,
      since: now,
      answered_by: null,
    })),
    `(run, task) DO UPDATE SET round = excluded.round, message = excluded.message, since = excluded.since,
      answered_by = NULL`,
  );
}

/** Closes approvals and their links, answered or not. */
export function* closeApprovals(list: readonly OfRun<WaitRef>[]): Operation<void> {
  const types = ['int', 'int'] as const;
  for (const table of ['approval_link', 'approval']) {
    yield* batch(
      {
        sqlite: `DELETE FROM ${table} WHERE run = ?1 AND task = ?2`,
        postgres: `DELETE FROM ${table} t USING ${unnest(types)} AS k(run, task) WHERE t.run = k.run AND t.task = k.task`,
      },
      types,
      list.map(({ run, task }) => [run, task]),
    );
  }
}

/** Unanswered approvals of all projects or one, the longest waiting first. */
export function* listApprovals(input: {
  readonly project?: string;
  readonly run?: number;
  readonly limit: number;
}): Operation<readonly ApprovalRow[]> {
  const { project, run, limit } = input;
  const params: Value[] = [limit];
  const inProject = project === undefined ? '' : `AND r.project = ?${params.push(project)}`;
  const ofRun = run === undefined ? '' : `AND a.run = ?${params.push(run)}`;
  return yield* rows<ApprovalRow>(
    `SELECT a.run, r.project, r.name AS workflow, a.task, a.round, a.name, a.message, a.since
     FROM approval a JOIN run r ON r.id = a.run
     WHERE a.answered_by IS NULL ${inProject} ${ofRun} ORDER BY a.since, a.run, a.task LIMIT ?1`,
    ...params,
  );
}

/** Answers an approval; refused if another answer came first, or it has ended. */
export function* answerApproval(input: {
  readonly run: number;
  readonly control: AnswerControl;
  /** Who made the link used for the answer. */
  readonly linkBy?: string;
  readonly now: number;
}): Operation<{ owner: string | null }> {
  const { run, control, linkBy = null, now } = input;
  const { task: name, round, by, answer, comment = '' } = control;
  const taken = yield* change(
    `UPDATE approval SET answered_by = ?4 WHERE run = ?1 AND name = ?2 AND round = ?3 AND answered_by IS NULL`,
    run,
    name,
    round,
    by,
  );
  if (taken === 0) {
    const found = yield* row<{ answeredBy: string | null }>(
      'SELECT answered_by AS "answeredBy" FROM approval WHERE run = ?1 AND name = ?2 AND round = ?3',
      run,
      name,
      round,
    );
    const first = found?.answeredBy;
    throw new Conflict(first ? said('control.answered', { by: first }) : said('control.noAnswer'));
  }
  yield* audit(by, 'approval.answer', `${run}.${name}`, { answer, comment, linkBy }, now);
  return yield* sendControl({ run, message: { type: 'control', control, by }, audited: false, now });
}

/** Makes a link to a waiting approval, identified by the hash of its key. */
export function* linkApproval(
  input: ApprovalKey & {
    readonly hash: string;
    readonly holder: string;
    readonly by: string;
    readonly now: number;
  },
): Operation<void> {
  const { run, name, round, hash, holder, by, now } = input;
  const made = yield* change(
    `INSERT INTO approval_link (hash, run, task, round, holder, made_by, made_at)
     SELECT ?4, run, task, round, ?5, ?6, ?7 FROM approval
     WHERE run = ?1 AND name = ?2 AND round = ?3 AND answered_by IS NULL`,
    run,
    name,
    round,
    hash,
    holder,
    by,
    now,
  );
  if (made === 0) throw new Conflict(said('control.noAnswer'));
  yield* audit(by, 'approval.link', `${run}.${name}`, { holder }, now);
}

/** The link with this hash, while its approval waits. */
export function* findApprovalLink({ hash }: { readonly hash: string }): Operation<ApprovalLink | undefined> {
  return yield* row<ApprovalLink>(
    `SELECT a.run, a.name, a.round, l.holder, l.made_by AS "madeBy" FROM approval_link l
     JOIN approval a ON a.run = l.run AND a.task = l.task AND a.round = l.round
     WHERE l.hash = ?1 AND a.answered_by IS NULL`,
    hash,
  );
}
