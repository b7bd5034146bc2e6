/** A TCP proxy for tests that can stop forwarding without closing anything: the silent cut that networks have. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class TcpProxy {
  readonly address: string;
  private readonly server: Server;
  /** Where what comes from each socket goes. */
  private readonly pairs: Map<Socket, Socket>;
  private readonly state: { frozen: boolean };

  private constructor(server: Server, pairs: Map<Socket, Socket>, state: { frozen: boolean }) {
    this.server = server;
    this.pairs = pairs;
    this.state = state;
    this.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Forwards to a port of this machine; listens on any free port unless one is given. */
  static async to(port: number, listen = 0): Promise<TcpProxy> {
    const pairs = new Map<Socket, Socket>();
    const state = { frozen: false };
    const forward = (from: Socket, to: Socket): void => {
      pairs.set(from, to);
      if (!state.frozen) from.pipe(to);
      from.on('error', () => {});
      from.once('close', () => {
        pairs.delete(from);
        to.destroy();
      });
    };
    const server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      forward(near, far);
      forward(far, near);
    });
    await new Promise<void>((resolve) => server.listen(listen, '127.0.0.1', resolve));
    return new TcpProxy(server, pairs, state);
  }

  /** Whether somebody is connected. */
  get used(): boolean {
    return this.pairs.size > 0;
  }

  /** Nothing gets through any more, on new connections neither, and nobody is told. */
  freeze(): void {
    this.state.frozen = true;
    for (const from of this.pairs.keys()) from.unpipe().pause();
  }

  /** What was held up gets through. */
  thaw(): void {
    this.state.frozen = false;
    for (const [from, to] of this.pairs) from.pipe(to);
  }

  /** The connections break. */
  cut(): void {
    for (const from of this.pairs.keys()) from.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.cut();
    await closed;
  }
}
