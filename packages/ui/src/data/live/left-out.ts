/**
 * Topics beyond the limit of one stream. The server refuses a stream that asks for more, so the least
 * recently used topics are left out. Their listeners are told every few seconds that they may have changed,
 * and read again.
 */
import { liveRules } from '@orrery/sdk/client';
import type { LiveEvent } from './rules.ts';

/** Interval at which left-out topics are read again. */
const READ_EVERY = 5_000;

/**
 * Splits topics into those that fit into a stream and those that do not. The most recently used come first,
 * and topics of lists come before those of single things.
 */
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
  /** Replaces the left-out topics. Removed ones are reported one last time. */
  set(topics: readonly string[]): void;
  stop(): void;
}

/** Reports possible changes of left-out topics while there are any. */
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
