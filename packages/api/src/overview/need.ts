/** Something that needs people: one sentence, since when, what would help, and an id that lasts as long as it does. */
import { createHash } from 'node:crypto';
import type { Answer } from '@orrery/contract';
import { english, type Said } from '@orrery/core/texts';
import type { Mute } from '@orrery/store';
import { optionalTime, timeText } from '../time.ts';
import { wordingOf } from '../worded.ts';
import { action } from '../workflows/actions.ts';

type ShownNeed = Answer<'showOverview'>['needs'][number];

/** A need before its mute and its reader's rights are known. */
export interface Need extends Omit<ShownNeed, 'muted' | 'since' | 'actions' | 'text' | 'said'> {
  readonly said: Said;
  readonly since: number | null;
  /** Grows when more of it happens: what was seen before is then seen again. */
  readonly mark: number;
}

/** Ids that are given as examples of a need. */
export const MOST_EXAMPLES = 10;

type Parts = Pick<Need, 'said' | 'fields' | 'since' | 'count' | 'address'> &
  Partial<Pick<Need, 'examples' | 'action' | 'command' | 'mark'>>;

/** A need of a kind; the key identifies it within that kind. */
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

/** The reader of needs. */
export interface Reader {
  readonly now: number;
  readonly withMuted: boolean;
  /** Why this caller may not mute, regardless of role. */
  readonly mayNotMute?: Said;
}

/** The mute that hides a need now; none where its time is over, or more of it has happened. */
export function muteOf({ mark }: Need, mute: Mute | undefined, now: number): Mute | undefined {
  return mute && (mute.until === null ? mark <= mute.seen : now < mute.until) ? mute : undefined;
}

/** The shown form of a need; undefined while it is muted, unless muted needs are requested too. */
export function shownNeed(need: Need, mute: Mute | undefined, reader: Reader): ShownNeed | undefined {
  const muted = muteOf(need, mute, reader.now);
  if (muted && !reader.withMuted) return undefined;
  const { mark: _, since, said, ...rest } = need;
  return {
    ...rest,
    text: english(said),
    said: wordingOf(said),
    since: optionalTime(since),
    actions: [
      ...(need.action ? [action(need.action.name)] : []),
      action(muted ? 'unmute' : 'mute', reader.mayNotMute),
    ],
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

/** Nothing is counted beyond this. */
const MOST_COUNTED = 10_000;

/** A count for people; a count that stopped at its limit is marked so. */
export function countText(count: number, most = MOST_COUNTED): string {
  return count > most ? `${most.toLocaleString('en')}+` : count.toLocaleString('en');
}
