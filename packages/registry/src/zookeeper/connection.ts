/**
 * One connection to one ZooKeeper server: opening -> open -> closed. It frames requests, matches answers to
 * them in order, and passes watch events on. It does not reconnect; closing it fails all requests in flight.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TlsOptions } from '../options.ts';
import { JuteReader, JuteWriter } from './jute.ts';
import { codeOf, readEvent, xids, ZooKeeperError, type ZooKeeperEvent } from './records.ts';

/** Larger than any answer of ZooKeeper with its default limits. */
const LARGEST_FRAME = 64 * 2 ** 20;

export interface Host {
  readonly host: string;
  readonly port: number;
}

/** The client's request to connect; id 0 asks for a new session. */
export interface Handshake {
  readonly lastZxid: bigint;
  readonly timeout: number;
  readonly sessionId: bigint;
  readonly password: Buffer;
}

/** The server's answer; `sessionId` 0 means that the session has expired. */
export interface Agreement {
  readonly timeout: number;
  readonly sessionId: bigint;
  readonly password: Buffer;
}

interface Request {
  readonly started: number;
  readonly path: string | undefined;
  readonly read: (reader: JuteReader, zxid: bigint) => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

export interface ConnectionEvents {
  /** An answer arrived to a request sent at this monotonic time. */
  answered(started: number, zxid: bigint): void;
  event(event: ZooKeeperEvent): void;
  closed(reason: string): void;
}

export class Connection {
  readonly #socket: Socket;
  readonly #now: () => number;
  readonly #events: ConnectionEvents;
  readonly #requests = new Map<number, Request[]>();
  #agree: ((agreement: Agreement) => void) | undefined;
  #received: Buffer[] = [];
  #receivedBytes = 0;
  #xid = 0;
  #closed = false;

  private constructor(socket: Socket, now: () => number, events: ConnectionEvents) {
    this.#socket = socket;
    this.#now = now;
    this.#events = events;
  }

  /** Connects and performs the handshake; `signal` stops it. */
  static open(
    { host, port }: Host,
    tls: TlsOptions | undefined,
    handshake: Handshake,
    now: () => number,
    events: ConnectionEvents,
    signal: AbortSignal,
  ): Promise<{ connection: Connection; agreement: Agreement }> {
    return new Promise((resolve, reject) => {
      const ready = tls ? 'secureConnect' : 'connect';
      const socket = tls
        ? connectTls({ host, port, ...tls, servername: tls.servername ?? (isIP(host) ? '' : host) })
        : connectTcp({ host, port });
      const connection = new Connection(socket, now, events);
      let reason = 'the server closed the connection';
      socket.setNoDelay(true);
      signal.addEventListener('abort', () => socket.destroy(new Error('no answer in time')), { once: true });
      socket.on('error', (error) => {
        reason = error.message;
      });
      socket.on('close', () => {
        const isOpen = connection.#agree === undefined && connection.#opened;
        connection.#fail();
        if (isOpen) events.closed(reason);
        else reject(new Error(`${host}:${port}: ${reason}`));
      });
      socket.on('data', (bytes) => connection.#take(bytes));
      socket.once(ready, () => {
        connection.#agree = (agreement) => {
          connection.#opened = true;
          resolve({ connection, agreement });
        };
        const writer = new JuteWriter().int(0).long(handshake.lastZxid).int(handshake.timeout);
        socket.write(writer.long(handshake.sessionId).bytes(handshake.password).bool(false).frame());
      });
    });
  }

  #opened = false;

  /** Sends a request. A fixed `xid` is for requests with a reserved number. */
  request<T>(
    opcode: number,
    write: (writer: JuteWriter) => void,
    read: (reader: JuteReader, zxid: bigint) => T,
    path?: string,
    xid?: number,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closed) {
        reject(new ZooKeeperError('CONNECTION_LOSS', path, { sent: false }));
        return;
      }
      const number = xid ?? this.#nextXid();
      const writer = new JuteWriter().int(number).int(opcode);
      write(writer);
      const request = { started: this.#now(), path, read, resolve, reject };
      const waiting = this.#requests.get(number);
      if (waiting) waiting.push(request);
      else this.#requests.set(number, [request]);
      this.#send(writer.frame());
    });
  }

  /** Requests of one turn leave together: a system call for each takes longer than the requests themselves. */
  #send(frame: Buffer): void {
    const socket = this.#socket;
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    socket.write(frame);
  }

  /** Breaks the connection; `closed` follows. */
  destroy(reason?: string): void {
    this.#socket.destroy(reason === undefined ? undefined : new Error(reason));
  }

  #nextXid(): number {
    this.#xid = this.#xid === 2 ** 31 - 1 ? 1 : this.#xid + 1;
    return this.#xid;
  }

  #take(bytes: Buffer): void {
    this.#received.push(bytes);
    this.#receivedBytes += bytes.length;
    while (this.#receivedBytes >= 4) {
      if (this.#received[0].length < 4) this.#received = [Buffer.concat(this.#received)];
      const length = this.#received[0].readInt32BE(0);
      if (length < 0 || length > LARGEST_FRAME) {
        this.destroy(`a frame of ${length} bytes: this is not ZooKeeper`);
        return;
      }
      if (this.#receivedBytes < 4 + length) return;
      const all = this.#received.length === 1 ? this.#received[0] : Buffer.concat(this.#received);
      this.#received = [all.subarray(4 + length)];
      this.#receivedBytes -= 4 + length;
      try {
        this.#read(new JuteReader(all.subarray(4, 4 + length)));
      } catch (error) {
        this.destroy(`a frame that cannot be read: ${(error as Error).message}`);
        return;
      }
    }
  }

  #read(reader: JuteReader): void {
    if (this.#agree) {
      reader.int();
      const agreement = { timeout: reader.int(), sessionId: reader.long(), password: reader.bytes() };
      this.#agree(agreement);
      this.#agree = undefined;
      return;
    }
    const xid = reader.int();
    const zxid = reader.long();
    const error = reader.int();
    if (xid === xids.notification) {
      const event = readEvent(reader);
      if (event) this.#events.event(event);
      return;
    }
    const requests = this.#requests.get(xid);
    const request = requests?.shift();
    if (!request) throw new Error(`an answer to request ${xid}, which was not sent`);
    if (requests?.length === 0) this.#requests.delete(xid);
    this.#events.answered(request.started, zxid);
    settle(request, error, reader, zxid);
  }

  #fail(): void {
    this.#closed = true;
    const waiting = [...this.#requests.values()].flat();
    this.#requests.clear();
    for (const { reject, path } of waiting) reject(new ZooKeeperError('CONNECTION_LOSS', path));
  }
}

/** An unreadable answer fails its request and the connection. */
function settle(request: Request, error: number, reader: JuteReader, zxid: bigint): void {
  const code = codeOf(error);
  // A failed multi may carry its errors in the body.
  if (code && reader.rest === 0) {
    request.reject(new ZooKeeperError(code, request.path));
    return;
  }
  try {
    request.resolve(request.read(reader, zxid) as never);
  } catch (failure) {
    request.reject(failure as Error);
    if (!(failure instanceof ZooKeeperError)) throw failure;
  }
}
