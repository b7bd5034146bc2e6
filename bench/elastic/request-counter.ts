/** Counts the requests that a process in any language sends to ZooKeeper: a proxy that parses frames. */
import { type AddressInfo, connect, createServer, type Server } from 'node:net';

export class RequestCounter {
  requests = 0;
  readonly port: number;
  private readonly server: Server;

  private constructor(server: Server) {
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  static async to(port: number): Promise<RequestCounter> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const counter = new RequestCounter(server);
    server.on('connection', (near) => {
      const far = connect(port, '127.0.0.1');
      let rest = Buffer.alloc(0);
      near.on('data', (bytes) => {
        far.write(bytes);
        rest = Buffer.concat([rest, bytes]);
        // A frame is its length in four bytes, and its content.
        while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
          counter.requests++;
          rest = rest.subarray(4 + rest.readInt32BE(0));
        }
      });
      far.pipe(near);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ]) {
        one.on('error', () => {});
        one.once('close', () => other.destroy());
      }
    });
    return counter;
  }

  close(): void {
    this.server.close();
  }
}
