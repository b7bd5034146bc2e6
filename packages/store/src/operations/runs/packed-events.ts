/**
 * The events of one commit as one row of the feed, a line each, which readers expand: a commit of a hundred runs writes
 * one row and one entry of an index instead of a hundred. One event alone is stored as it is.
 */
import type { FeedEvent } from './feed.ts';

/** The topic of such a row; no reader sees it. */
export const SEVERAL = 'several';

/** Events in one row at most. */
export const MOST_PACKED = 500;

/** A row of the feed, and which of the events it comes from is its last, counted from 1. */
export interface PackedEvent extends FeedEvent {
  readonly last: number;
}

/** The rows for the events of one commit, in their order. */
export function packEvents(events: readonly FeedEvent[]): PackedEvent[] {
  const packed: PackedEvent[] = [];
  let lines: string[] = [];
  let alone: FeedEvent | undefined;
  for (const [k, event] of events.entries()) {
    const { topic, subject, revision, body } = event;
    // A body is JSON on one line; whatever is not would be read as two events.
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

/** The events that a row stands for. */
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
