/**
 * Topics beyond what one stream may have. The server refuses a stream that asks for more as a whole, so the least recently
 * wanted are left out of it; what listens to them is told every few seconds that it may have changed, and read again.
 */
import { liveRules } from '@orrery/sdk/client';
import type { LiveEvent } from './rules.ts';

/** How often what is left out is read again. */
const READ_EVERY = 5_000;

/** What a stream is asked for, and what it has no room for. The last that is wanted comes first; topics of many things before those of one. */
export function fitTopics(wanted: Iterable<readonly string[]>): {
  readonly heard: readonly string[];
  readonly left: readonly string[];
} {
  const newest = [...new Set([...wanted].flat().reverse())];
  const isOfOne = (topic: string) => topic.includes(':');
  const all = [...newest.filter((topic) => !isOfOne(topic)), ...newest.filter(isOfOne)];
  return { heard: all.slice(0, liveRules.mostTopics).sort(), left: all.slice(liveRules.mostTopics) };
}

/** Topics of one tab that no stream tells of. */
export interface LeftOut {
  /** From now on these; of those that are no more, one last time. */
  set(topics: readonly string[]): void;
  stop(): void;
}

/** Tells that what is left out may have changed, as long as something is. */
export function createLeftOut(tell: (events: readonly LiveEvent[]) => void): LeftOut {
  let left: readonly string[] = [];
  let timer: ReturnType<typeof setInterval> | undefined;
  const tellOf = (topics: readonly string[]) => {
    if (topics.length > 0)
      tell(topics.map((topic) => ({ topic, kind: 'many', id: null, version: 0, patch: { count: null } })));
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    set(topics) {
      // The stream begins a little before now: what changed earlier, since they were last read, it does not tell.
      tellOf(left.filter((topic) => !topics.includes(topic)));
      left = topics;
      if (left.length === 0) stop();
      else timer ??= setInterval(() => tellOf(left), READ_EVERY);
    },
    stop,
  };
}
