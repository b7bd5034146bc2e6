/** A client of the live stream, for tests and benchmarks: reads messages, and can stop reading. */
import { type IncomingMessage, request } from 'node:http';
import type { LiveEvent, LiveMessages } from '@orrery/contract/live';

/** One message of the stream. */
export type Received = {
  [Name in keyof LiveMessages]: { name: Name; data: LiveMessages[Name] };
}[keyof LiveMessages];

/** An open stream. */
export class StreamClient {
  /** Everything that came, in order. */
  readonly received: Received[] = [];
  /** The id of the last message, as a browser would send it on reconnecting. */
  lastId: string | undefined;
  /** Bytes that came. */
  bytes = 0;
  /** Settles when the connection ends, however it ends. */
  readonly ended: Promise<void>;
  private readonly waiting = new Set<() => void>();
  private readonly asked: ReturnType<typeof request>;
  private answer: IncomingMessage | undefined;
  private rest = '';

  constructor(url: string, { topics, after, lastEventId, headers = {} }: StreamOptions) {
    const query = new URLSearchParams({ topics, ...(after === undefined ? {} : { after }) });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.asked = request(`${url}/api/v1/events?${query}`, {
      headers: { ...headers, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
    });
    this.asked.on('error', () => resolve());
    this.asked.on('response', (answer) => {
      this.answer = answer;
      answer.setEncoding('utf8');
      answer.on('data', (text: string) => this.read(text));
      answer.on('error', () => resolve());
      answer.on('close', () => resolve());
    });
    this.asked.end();
  }

  /** Waits until something that came satisfies `found`. */
  async until<T>(found: (client: StreamClient) => T | undefined | false): Promise<T> {
    for (;;) {
      const value = found(this);
      if (value !== undefined && value !== false) return value;
      await new Promise<void>((wake) => this.waiting.add(wake));
    }
  }

  /** Every change that came. */
  get events(): LiveEvent[] {
    return this.received.flatMap((message) => (message.name === 'frame' ? message.data.events : []));
  }

  /** Stops reading, as a client that hangs. */
  pause(): void {
    this.answer?.pause();
  }

  /** Reads again. */
  resume(): void {
    this.answer?.resume();
  }

  /** Disconnects. */
  close(): void {
    this.asked.destroy();
  }

  private read(text: string): void {
    this.bytes += Buffer.byteLength(text);
    const blocks = `${this.rest}${text}`.split('\n\n');
    this.rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      this.lastId = field('id') ?? this.lastId;
      const [name, data] = [field('event'), field('data')];
      if (name !== undefined && data !== undefined)
        this.received.push({ name, data: JSON.parse(data) } as Received);
    }
    for (const wake of this.waiting) wake();
    this.waiting.clear();
  }
}

/** The options of a stream. */
interface StreamOptions {
  readonly topics: string;
  readonly after?: string;
  readonly lastEventId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
