/** The name under which operators know this machine. */
import { hostname, networkInterfaces } from 'node:os';

/** The first IPv4 address that other machines can reach, or else the host name. */
export function serverAddress(interfaces = networkInterfaces()): string {
  const addresses = Object.values(interfaces).flatMap((all) => all ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? hostname();
}
