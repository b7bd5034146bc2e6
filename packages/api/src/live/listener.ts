/**
 * One connection that listens. It gets what the hub makes for its topics; one that reads too slowly gets nothing more
 * until it has caught up, and then `resync`: what waits for it never grows beyond a bound.
 *
 * joining -> listening <-> behind -> over
 */
import type { Readable } from 'node:stream';
import { type LiveMessages, liveRules } from '@orrery/contract/live';
import type { FeedPosition } from '@orrery/store';
import type { Identity } from '../access/identity.ts';

/** Bytes that may wait to be read by one connection. */
const MOST_WAITING = 1024 * 1024;

/** Beats for which a connection may read nothing before it is given up. */
const MOST_MISSED = 4;

/** The options of a listener. */
export interface Listening {
  readonly topics: readonly string[];
  /** Where it begins; undefined: now. */
  readonly after: FeedPosition | undefined;
  readonly identity: Identity;
}

/** A connection and its subscriptions. */
export class Listener {
  readonly topics: readonly string[];
  readonly after: FeedPosition | undefined;
  readonly identity: Identity;
  /** Listeners with the same key are sent the same bytes. */
  readonly key: string;
  private readonly out: Readable;
  private behind = false;
  private missed = 0;
  private over = false;

  constructor({ topics, after, identity }: Listening, out: Readable) {
    this.topics = topics;
    this.after = after;
    this.identity = identity;
    this.out = out;
    const mine = topics.includes('me') ? identity.token : '';
    this.key = [identity.role, identity.project ?? '', mine, ...topics].join('\n');
  }

  /** The first message: from here on nothing is left out. */
  greet(seq: string): void {
    this.out.push(`retry: ${liveRules.retry}\n`);
    this.send(message('hello', { seq, topics: this.topics }));
  }

  /** Sends a message that was made for its key. */
  send(bytes: string | Uint8Array): void {
    if (this.behind || this.over) return;
    this.out.push(bytes);
    if (this.out.readableLength > MOST_WAITING) this.behind = true;
  }

  /** Whether it waits for `resync`; ready once everything that waited was read. */
  get needsResync(): boolean {
    return this.behind && this.out.readableLength === 0;
  }

  /** What it shows is out of date. */
  resync(seq: string): void {
    this.behind = false;
    this.missed = 0;
    this.send(message('resync', { seq }));
  }

  /** Keeps the connection from looking dead, and lets it resume from here. */
  beat(seq: string): void {
    if (!this.behind) this.send(`: beat\nid: ${seq}\n\n`);
    else if (++this.missed > MOST_MISSED) this.out.destroy();
  }

  /** Ends the connection. */
  end(): void {
    this.over = true;
    this.out.push(null);
  }
}

/** A message as bytes of the stream. */
function message<Name extends keyof LiveMessages>(name: Name, data: LiveMessages[Name]): string {
  return `id: ${data.seq}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A message of changes that are already serialized. */
export function frameMessage(seq: string, events: readonly string[]): string {
  return `id: ${seq}\nevent: frame\ndata: {"seq":"${seq}","events":[${events.join()}]}\n\n`;
}
