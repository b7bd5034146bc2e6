/** Decides whether a worker may join with the name, groups and key of its hello. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Caller } from '@orrery/wire/caller';
import type { WorkerFrame } from '@orrery/wire/frames';

type Hello = Extract<WorkerFrame, { type: 'hello' }>;

/** Returns why the worker may not join, or undefined if it may. */
export function joinRefusal(
  { worker, groups, key }: Hello,
  { isLocal, invited }: Caller,
  openJoin: boolean,
): string | undefined {
  if (invited) {
    if (invited.worker !== worker)
      return `this invitation is for worker ${invited.worker}, and not for ${worker}`;
    const foreign = groups.filter((group) => !invited.groups.includes(group));
    if (foreign.length > 0)
      return `worker ${worker} is invited to serve ${invited.groups.join(', ')}, and not ${foreign.join(', ')}`;
  } else if (!isLocal && !openJoin)
    return `worker ${worker} has no invitation; make one: orrery nodes invite ${worker} --groups ${groups.join(',')}`;
  if (key === undefined && !isLocal) return `worker ${worker} has shown no session key`;
  return undefined;
}

/** Hashes a session key: only the hash is stored. */
export function keyHash(key: string | undefined): string | undefined {
  return key === undefined ? undefined : createHash('sha256').update(key).digest('hex');
}

/** Whether a worker has proved that the session is its own. A session without a key needs no proof. */
export function provesSession(kept: string | null, key: string | undefined): boolean {
  if (kept === null) return true;
  const shown = keyHash(key);
  return shown !== undefined && timingSafeEqual(Buffer.from(kept), Buffer.from(shown));
}
