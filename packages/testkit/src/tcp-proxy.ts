/** A TCP proxy for tests that can stop forwarding without closing anything: the silent cut that networks have. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** From the one who connects, or back to it. */
export type Direction = 'requests' | 'answers';

const ALL: readonly Direction[] = ['requests', 'answers'];

interface Flow {
  readonly to: Socket;
  readonly direction: Direction;
}

export class TcpProxy {
  readonly address: string;
  private readonly server: Server;
  /** The open sockets, and where each sends what it receives. */
  private readonly flows: Map<Socket, Flow>;
  private readonly frozen: Set<Direction>;

  private constructor(server: Server, flows: Map<Socket, Flow>, frozen: Set<Direction>) {
    this.server = server;
    this.flows = flows;
    this.frozen = frozen;
    const { address, port } = server.address() as AddressInfo;
    this.address = `${address}:${port}`;
  }

  /** Forwards to a port of this machine; listens on any free port of 127.0.0.1 unless told otherwise. */
  static async to(port: number, listen = 0, host = '127.0.0.1'): Promise<TcpProxy> {
    const flows = new Map<Socket, Flow>();
    const frozen = new Set<Direction>();
    const forward = (from: Socket, to: Socket, direction: Direction): void => {
      flows.set(from, { to, direction });
      if (!frozen.has(direction)) from.pipe(to);
      from.on('error', () => {});
      from.once('close', () => {
        flows.delete(from);
        to.destroy();
      });
    };
    const server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      forward(near, far, 'requests');
      forward(far, near, 'answers');
    });
    await new Promise<void>((resolve) => server.listen(listen, host, resolve));
    return new TcpProxy(server, flows, frozen);
  }

  /** Whether somebody is connected. */
  get used(): boolean {
    return this.flows.size > 0;
  }

  /** Holds everything back without telling anybody, on new connections too; or what goes in one direction. */
  freeze(...directions: readonly Direction[]): void {
    for (const direction of directions.length > 0 ? directions : ALL) this.frozen.add(direction);
    for (const [from, { direction }] of this.flows) if (this.frozen.has(direction)) from.unpipe().pause();
  }

  /** Lets everything through again, what was held back first. */
  thaw(): void {
    this.frozen.clear();
    for (const [from, { to }] of this.flows) from.unpipe().pipe(to);
  }

  /** The connections break. */
  cut(): void {
    for (const from of this.flows.keys()) from.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.cut();
    await closed;
  }
}
