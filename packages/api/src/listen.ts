/** Runs the API as a server, which listens on this machine only unless a token protects it. */
import dns from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import { InvalidInput } from '@orrery/core/errors';
import { isLoopback } from '@orrery/wire/address';
import type { ApiOptions } from './options.ts';
import { createApi } from './server.ts';

/** Default address of the API. */
export const apiDefaults = { host: '127.0.0.1', port: 7070 } as const;

/** A running server. */
export interface RunningApi {
  /** Where it can be reached, without a path. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Listens; port 0 takes any free one. Without a token, refuses an address that other machines can reach. */
export async function startApi(
  options: ApiOptions,
  { host = apiDefaults.host, port = apiDefaults.port }: { host?: string; port?: number } = {},
): Promise<RunningApi> {
  if (!options.token) await refuseOthers(host);
  const app = createApi(options);
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new InvalidInput(`port ${port} is taken; stop what uses it, or choose another port`);
  }
  const { port: chosen } = app.server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${chosen}`, stop: () => app.close() };
}

/**
 * Refuses addresses that other machines can reach. A hosts file can point even the name localhost elsewhere.
 */
async function refuseOthers(host: string): Promise<void> {
  const addresses = host === 'localhost' ? await dns.lookup(host, { all: true }) : [{ address: host }];
  const open = addresses.map(({ address }) => address).find((address) => !isLoopback(address));
  if (open === undefined) return;
  const named = open === host ? host : `${host} (${open})`;
  throw new InvalidInput(
    `listening on ${named} lets others in; give the server a token first, or listen on 127.0.0.1`,
  );
}
