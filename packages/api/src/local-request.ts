/**
 * Which requests a server without a token answers: those of this machine. A web page can point its own name
 * at this machine (DNS rebinding), and a proxy forwards requests of other machines; the headers reveal both.
 */

import type { IncomingMessage } from 'node:http';
import { said } from '@orrery/core/texts';
import { isLoopback } from '@orrery/wire/address';
import { Refusal } from './problem.ts';

/** Headers that only proxies add. */
const proxyHeader = /^(x-forwarded-.*|forwarded|via|x-real-ip)$/;

/**
 * Why a request is refused where no token is needed; undefined if it is answered. The port is not checked: a tunnel
 * listens on another one.
 */
export function localRefusal({ url = '', rawHeaders, headers }: IncomingMessage): Refusal | undefined {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const hosts = names.filter((name) => name === 'host').length;
  // Node keeps the first of several hosts; a target that is a whole URL counts more than any.
  if (hosts !== 1 || !url.startsWith('/') || !isLocal(headers.host))
    return new Refusal('wrong-host', said('access.localOnly'));
  const added = names.find((name) => proxyHeader.test(name));
  if (added !== undefined) return new Refusal('not-allowed', said('access.proxy', { header: added }));
  const { origin } = headers;
  if (origin !== undefined && !isLocal(hostOf(origin)))
    return new Refusal('not-allowed', said('access.otherSite'));
  return undefined;
}

/** The host of an origin, with its port; undefined for one that has none. */
export function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** Whether HOST or HOST:PORT names this machine. Names below `localhost` always do. */
function isLocal(text = ''): boolean {
  const [, bracketed, plain = ''] = /^(?:\[([\d:]+)\]|([\w.-]+))(?::\d{1,5})?$/.exec(text) ?? [];
  const name = (bracketed ?? plain).toLowerCase();
  return isLoopback(name) || name.endsWith('.localhost');
}
