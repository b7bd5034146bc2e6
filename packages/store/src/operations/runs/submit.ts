/**
 * Starts requested from outside. Many are one operation: a start costs a few rows, not a transaction. If one
 * of them is refused or fails, the whole operation fails, and each start is tried alone
 * (`coalesced-starts.ts`).
 */
import { Conflict } from '../../errors.ts';
import { batch, type Operation, together } from '../../operation.ts';
import { insert, unnest } from '../../table.ts';
import { auditTable } from '../../tables.ts';
import { type Asker, type AuditDetail, asker, auditRow } from '../access/audit.ts';
import { type HookDelivery, keepDelivery } from '../access/hook-deliveries.ts';
import { whyTaken } from '../limits/periods.ts';
import { offlineAmong } from '../workflows/workflow-online.ts';
import { type Command, claimPeriods, writeCommands } from './commands.ts';
import { newNumbers } from './numbers.ts';

/** One start. With a key, a repeated request returns the first run. */
export interface Submit {
  readonly command: Command;
  readonly key?: string;
  /** The webhook delivery that caused it. */
  readonly delivery?: HookDelivery;
  /** Audit entry, if the start is part of another action. */
  readonly audited?: { readonly by: string; readonly action: string; readonly subject: string };
  readonly now: number;
}

/** The run reserved by a start; `repeated` if an earlier request reserved it. */
export interface Submitted {
  readonly run: number;
  readonly repeated: boolean;
}

/** Queues a command. */
export function* submitCommand(input: Submit): Operation<Submitted> {
  const [answer] = yield* submitStarts({ starts: [{ ...input, who: yield* asker() }] });
  return answer;
}

/** Queues commands, each on behalf of its asker; returns the answers in order. */
export function* submitStarts(input: {
  readonly starts: readonly (Submit & { readonly who: Asker | undefined })[];
}): Operation<readonly Submitted[]> {
  const numbers = yield* newNumbers(input.starts.length);
  const starts = input.starts.map(({ command, who, ...start }, k) => ({
    ...start,
    who,
    run: numbers[k],
    command: who ? { ...command, startedBy: who.name } : command,
  }));
  const earlier = yield* claimKeys(starts);
  for (const { delivery, run, now } of starts) {
    if (!delivery || earlier.has(run)) continue;
    const kept = yield* keepDelivery(delivery, run, now);
    if (kept !== undefined) earlier.set(run, kept);
  }
  const fresh = starts.filter(({ run }) => !earlier.has(run));
  for (const taken of yield* claimPeriods(fresh))
    if (taken !== undefined) throw new Conflict(whyTaken(taken), [taken]);
  // A test run of a draft does not use the live version.
  const live = fresh.flatMap(({ command: { version, workflow } }) => (version > 0 ? [workflow] : []));
  const [offline] = yield* together(offlineAmong(live), writeCommands(null, fresh));
  for (const reason of offline.values()) throw new Conflict(reason);
  yield* insert(auditTable, fresh.flatMap(auditOf));
  return numbers.map((run) => ({ run: earlier.get(run) ?? run, repeated: earlier.has(run) }));
}

/** Claims the keys of starts; returns the runs of keys claimed before. */
function* claimKeys(
  starts: readonly { readonly run: number; readonly key?: string; readonly now: number }[],
): Operation<Map<number, number>> {
  const keyed = starts.flatMap(({ run, key, now }) => (key === undefined ? [] : [{ run, key, now }]));
  // All callers use this order: a concurrent start waits here and then sees the first one's answer.
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.run - b.run));
  const into = 'INSERT INTO idempotency (key, answer, created_at)';
  const unlessThere = 'ON CONFLICT (key) DO NOTHING RETURNING answer';
  const { rows: claimed } = yield* batch<{ answer: string }>(
    {
      sqlite: `${into} VALUES (?1, ?2, ?3) ${unlessThere}`,
      postgres: `${into} SELECT * FROM ${unnest(['text', 'text', 'int'])} ${unlessThere}`,
    },
    ['text', 'text', 'int'],
    keyed.map(({ run, key, now }) => [key, String(run), now]),
  );
  const ours = new Set(claimed.map(({ answer }) => Number(answer)));
  const others = keyed.filter(({ run }) => !ours.has(run));
  const { rows: found } = yield* batch<{ key: string; answer: string }>(
    {
      sqlite: 'SELECT key, answer FROM idempotency WHERE key = ?1',
      postgres: 'SELECT key, answer FROM idempotency WHERE key = ANY (?1::text[])',
    },
    ['text'],
    others.map(({ key }) => [key]),
  );
  const answers = new Map(found.map(({ key, answer }) => [key, Number(answer)]));
  return new Map(others.map(({ run, key }) => [run, answers.get(key) ?? Number.NaN]));
}

function auditOf({
  run,
  command,
  audited,
  who,
  now,
}: Submit & { readonly run: number; readonly who: Asker | undefined }) {
  if (audited) return [auditRow(who, audited.by, audited.action, audited.subject, { run }, now)];
  if (!who) return [];
  const { project, name, params, trigger, request } = command;
  const detail: AuditDetail = { run, trigger, params: Object.keys(params).join(', ') };
  const action = request.backfill ? 'backfill.start' : request.replayOf ? 'run.replay' : 'run.start';
  return [auditRow(who, who.name, action, `${project}/${name}`, detail, now)];
}
