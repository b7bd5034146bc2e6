/** Converts a `zookeeper://` URL to client options. */
import { parseAddress } from '../address.ts';
import { fillOptions, type RegistryOptions } from '../options.ts';
import type { ZooKeeperOptions } from './client.ts';

export function zooKeeperOptions(url: string, options: RegistryOptions): ZooKeeperOptions {
  const filled = fillOptions(options);
  const { hosts, root, tls, user, password } = parseAddress(url);
  const auth = user === undefined ? [] : [{ scheme: 'digest', auth: `${user}:${password ?? ''}` }];
  return { ...filled, hosts, chroot: root, tls: tls ?? filled.tls, auth };
}
