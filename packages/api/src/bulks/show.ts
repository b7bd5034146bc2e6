/** Bulks as the API shows them. */
import type { Answer } from '@orrery/contract';
import { type Said, said } from '@orrery/core/texts';
import type { BulkRow } from '@orrery/store';
import { optionalTime, timeText } from '../time.ts';
import { recordedWording } from '../worded.ts';
import { action as actionOf } from '../workflows/actions.ts';

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
    actions: [actionOf('abort', state === 'running' ? undefined : endedReason(state))],
  };
}

/** Why a bulk cannot be aborted any more. */
export function endedReason(state: BulkRow['state']): Said {
  return state === 'aborted' ? said('bulk.aborted') : said('bulk.ended');
}

/** Reasons with how many were refused for them, the most common first. */
export function showRefusals(refusals: BulkRow['refusals']): Answer<'showBulk'>['refusals'] {
  return Object.entries(refusals)
    .map(([reason, count]) => ({ reason, count, ...recordedWording(reason) }))
    .sort((a, b) => b.count - a.count);
}
