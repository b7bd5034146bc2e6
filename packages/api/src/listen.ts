/** The API as a server: on this machine alone unless a token guards it. */
import dns from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import { InvalidInput } from '@orrery/core/errors';
import { isLoopback } from '@orrery/wire/address';
import type { ApiOptions } from './options.ts';
import { createApi } from './server.ts';

/** Where the API listens unless told otherwise. */
export const apiDefaults = { host: '127.0.0.1', port: 7070 } as const;

/** A running server. */
export interface RunningApi {
  /** Where it can be reached, without a path. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Listens; port 0 takes any free one. Refuses an address that others can reach unless there is a token. */
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

/** Refuses what others can reach; a hosts file can give even the name localhost another address. */
async function refuseOthers(host: string): Promise<void> {
  const addresses = host === 'localhost' ? await dns.lookup(host, { all: true }) : [{ address: host }];
  const open = addresses.map(({ address }) => address).find((address) => !isLoopback(address));
  if (open === undefined) return;
  const named = open === host ? host : `${host} (${open})`;
  throw new InvalidInput(
    `listening on ${named} lets others in; give the server a token first, or listen on 127.0.0.1`,
  );
}
