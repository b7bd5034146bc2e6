/** Something that needs people: one sentence, since when, what would help, and an id that lasts as long as it does. */
import { createHash } from 'node:crypto';
import type { Answer } from '@orrery/core/contract';
import type { Mute } from '@orrery/store';
import { optionalTime, timeText } from '../time.ts';

type ShownNeed = Answer<'showOverview'>['needs'][number];

/** A need before it is known whether somebody muted it. */
export interface Need extends Omit<ShownNeed, 'muted' | 'since'> {
  readonly since: number | null;
  /** Grows when more of it happens: what was seen before is then seen anew. */
  readonly mark: number;
}

/** Ids that are given as examples of a need. */
export const MOST_EXAMPLES = 10;

type Parts = Pick<Need, 'text' | 'fields' | 'since' | 'count' | 'address'> &
  Partial<Pick<Need, 'examples' | 'action' | 'command' | 'mark'>>;

/** A need of a kind; the key tells it from others of that kind. */
export function need(kind: Need['kind'], key: string, parts: Parts): Need {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 16);
  return {
    id: `${kind}-${hash}`,
    kind,
    examples: [],
    action: null,
    command: null,
    mark: parts.since ?? 0,
    ...parts,
  };
}

/** A need as it is shown; undefined while it is muted, unless those are wanted too. */
export function shownNeed(
  { mark, since, ...need }: Need,
  mute: Mute | undefined,
  now: number,
  withMuted: boolean,
): ShownNeed | undefined {
  const muted = mute && (mute.until === null ? mark <= mute.seen : now < mute.until) ? mute : undefined;
  if (muted && !withMuted) return undefined;
  return {
    ...need,
    since: optionalTime(since),
    muted: muted
      ? {
          by: muted.actor,
          at: timeText(muted.at),
          until: optionalTime(muted.until),
          reason: muted.reason,
        }
      : null,
  };
}
