/** What listeners have in common: the topics of all of them, and a frame that each is sent its part of. */
import type { Frame } from './frame.ts';
import { frameMessage, type Listener } from './listener.ts';

/** Sends each listener what it may see; those with the same key are sent the same bytes. */
export function send(frame: Frame, seq: string, listeners: Iterable<Listener>): void {
  const made = new Map<string, Uint8Array | undefined>();
  for (const listener of listeners) {
    if (!made.has(listener.key)) made.set(listener.key, bytesFor(frame, listener, seq));
    const bytes = made.get(listener.key);
    if (bytes) listener.send(bytes);
  }
}

function bytesFor(frame: Frame, { topics, identity }: Listener, seq: string): Uint8Array | undefined {
  const texts = frame.textsFor(topics, identity);
  return texts.length > 0 ? Buffer.from(frameMessage(seq, texts)) : undefined;
}

/** Every topic that one of them listens to. */
export function topicsOf(listeners: Iterable<Listener>): ReadonlySet<string> {
  const topics = new Set<string>();
  for (const listener of listeners) for (const topic of listener.topics) topics.add(topic);
  return topics;
}
