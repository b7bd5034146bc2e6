/**
 * Invitations: which workers may join from other machines, and which groups each may serve; stored as hashes.
 */
import { change, type Operation, row, rows } from '../../operation.ts';
import { readOr } from '../../stored.ts';
import { audit } from '../access/audit.ts';
import { endWorker } from './workers.ts';

/** An invitation, without anything that would reveal its secret. */
export interface InvitationRow {
  readonly worker: string;
  /** JSON: a list of names. */
  readonly groups: string;
  readonly hash: string;
  readonly createdBy: string;
  readonly createdAt: number;
  /** When a worker last joined with it. */
  readonly usedAt: number | null;
}

const columns = `worker, groups, hash, created_by AS "createdBy", created_at AS "createdAt", used_at AS "usedAt"`;

/** Invites a worker by name. An earlier invitation of that name ends; a worker that joined with it stays. */
export function* inviteWorker(input: {
  readonly worker: string;
  readonly groups: readonly string[];
  readonly hash: string;
  readonly by: string;
  readonly now: number;
}): Operation<void> {
  const { worker, groups, hash, by, now } = input;
  const before = yield* row<{ groups: string }>('SELECT groups FROM invitation WHERE worker = ?1', worker);
  yield* change(
    `INSERT INTO invitation (worker, groups, hash, created_by, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT (worker) DO UPDATE SET groups = excluded.groups, hash = excluded.hash,
       created_by = excluded.created_by, created_at = excluded.created_at, used_at = NULL`,
    worker,
    JSON.stringify(groups),
    hash,
    by,
    now,
  );
  yield* audit(by, 'worker.invite', worker, { before: groupsText(before), after: groups.join(',') }, now);
}

/** Revokes an invitation and ends its worker; false if it does not exist. */
export function* revokeInvitation(input: {
  readonly worker: string;
  readonly by: string;
  readonly now: number;
}): Operation<boolean> {
  const { worker, by, now } = input;
  const removed = yield* row<{ groups: string }>(
    'DELETE FROM invitation WHERE worker = ?1 RETURNING groups',
    worker,
  );
  if (!removed) return false;
  yield* endWorker(worker, `the invitation of worker ${worker} was revoked`, now);
  yield* audit(by, 'worker.uninvite', worker, { before: groupsText(removed) }, now);
  return true;
}

function groupsText(invitation: { readonly groups: string } | undefined): string | null {
  return invitation ? readOr<string[]>(invitation.groups, []).join(',') : null;
}

/** All invitations, by name. */
export function* listInvitations(): Operation<readonly InvitationRow[]> {
  return yield* rows<InvitationRow>(`SELECT ${columns} FROM invitation ORDER BY worker`);
}

/** The invitation with this hash. */
export function* findInvitation({ hash }: { readonly hash: string }): Operation<InvitationRow | undefined> {
  return yield* row<InvitationRow>(`SELECT ${columns} FROM invitation WHERE hash = ?1`, hash);
}
