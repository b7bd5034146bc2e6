/** Parses the setting that names where a server sends its audit. */
import { InvalidInput } from '@orrery/core/errors';

/** Where messages go. */
export type SyslogTarget =
  | { readonly kind: 'udp' | 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** Reads `udp://HOST[:PORT]`, `tcp://HOST[:PORT]` or `unix:PATH`; the port is 514 unless given. */
export function readSyslogTarget(text: string): SyslogTarget {
  const path = /^unix:(\/[^\0]+)$/.exec(text)?.[1];
  if (path !== undefined) return { kind: 'unix', path };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const kind = url?.protocol.slice(0, -1);
  const isPlain = url && url.pathname.replace('/', '') === '' && !url.search && !url.hash && !url.username;
  if ((kind !== 'udp' && kind !== 'tcp') || !isPlain || url.hostname === '')
    throw new InvalidInput(`"${text}" is not udp://HOST:PORT, tcp://HOST:PORT or unix:/PATH`);
  return { kind, host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 514) };
}
