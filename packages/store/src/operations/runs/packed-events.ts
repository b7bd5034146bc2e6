/**
 * Packs the events of one commit into one row of the feed, one line each; readers expand them. A commit of a
 * hundred runs writes one row and one index entry instead of a hundred. A single event is stored unpacked.
 */
import type { FeedEvent } from './feed.ts';

/** Topic of a packed row; readers never see it. */
export const SEVERAL = 'several';

/** Limit of events in one row. */
export const MOST_PACKED = 500;

/** A row of the feed, and the position in the commit of its last event, from 1. */
export interface PackedEvent extends FeedEvent {
  readonly last: number;
}

/** Packs the events of one commit, in order. */
export function packEvents(events: readonly FeedEvent[]): PackedEvent[] {
  const packed: PackedEvent[] = [];
  let lines: string[] = [];
  let alone: FeedEvent | undefined;
  for (const [k, event] of events.entries()) {
    const { topic, subject, revision, body } = event;
    // A body is JSON on one line; a line break would be read as a second event.
    if (body.includes('\n')) throw new Error(`an event of topic "${topic}" has a body of several lines`);
    lines.push(`${topic} ${subject} ${revision} ${body}`);
    alone = lines.length === 1 ? event : undefined;
    if (lines.length < MOST_PACKED && k + 1 < events.length) continue;
    const row: FeedEvent = alone ?? { topic: SEVERAL, subject: 0, revision: 0, body: lines.join('\n') };
    packed.push({ ...row, last: k + 1 });
    lines = [];
  }
  return packed;
}

/** Expands the events of a row. */
export function expandEvents(row: FeedEvent): FeedEvent[] {
  if (row.topic !== SEVERAL) return [row];
  return row.body.split('\n').map((line) => {
    const subject = line.indexOf(' ') + 1;
    const revision = line.indexOf(' ', subject) + 1;
    const body = line.indexOf(' ', revision) + 1;
    return {
      topic: line.slice(0, subject - 1) as FeedEvent['topic'],
      subject: Number(line.slice(subject, revision - 1)),
      revision: Number(line.slice(revision, body - 1)),
      body: line.slice(body),
    };
  });
}
