/** Bulks as the API shows them. */
import type { Answer } from '@orrery/contract';
import type { BulkRow } from '@orrery/store';
import { optionalTime, timeText } from '../time.ts';

/** A bulk with how far it has come. */
export function showBulk(bulk: BulkRow): Answer<'showBulk'> {
  const { id, action, tags, state, project, asked, by, reason, gathering, total, told, refused, refusals } =
    bulk;
  return {
    id,
    action,
    tags,
    state,
    project,
    filter: asked === null ? null : JSON.parse(asked),
    by,
    at: timeText(bulk.createdAt),
    reason,
    gathering,
    total,
    told,
    refused,
    left: total - told - refused,
    refusals: showRefusals(refusals),
    endedAt: optionalTime(bulk.endedAt),
    abortedBy: bulk.endedBy,
    actions: [
      state === 'running'
        ? { name: 'abort', allowed: true }
        : { name: 'abort', allowed: false, reason: endedReason(state) },
    ],
  };
}

/** Why a bulk cannot be aborted any more. */
export function endedReason(state: BulkRow['state']): string {
  return state === 'aborted' ? 'it was aborted already' : 'it has ended';
}

/** Reasons with how many were refused for them, the most common first. */
export function showRefusals(refusals: BulkRow['refusals']): { reason: string; count: number }[] {
  return Object.entries(refusals)
    .map(([reason, count]) => ({ reason, count }))
    .sort((a, b) => b.count - a.count);
}
