/** HOST:PORT addresses, on which nodes listen and at which they are reached. */
import { isIP } from 'node:net';
import { InvalidInput } from '@orrery/core/errors';

/** A listening address; port 0 takes any free port. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Parses HOST:PORT; an IPv6 host stands in brackets. */
export function parseAddress(text: string, at?: string): Address {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535)
    throw new InvalidInput(`"${text}" is no address; write HOST:PORT, such as 10.0.0.5:7071`, at);
  return { host, port: Number(port) };
}

/** Formats HOST:PORT. */
export function addressText({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Whether only this machine can reach a host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
