/**
 * The addresses an `http` task may connect to: those of the internet, and the private ones the worker's
 * operator allows. The check applies to the address actually connected to, so a name that changes its address
 * gains nothing.
 */
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { InvalidInput } from '@orrery/core/errors';
import { TaskFailure } from '../plugin/contract.ts';

/**
 * Addresses of this machine, private, link-local (where clouds serve metadata), shared, and those that wrap
 * an IPv4 one.
 */
const inside = blockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '168.63.129.16/32',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2001::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]);

/** Checks hosts and addresses. */
export interface Gate {
  /** Refuses a host written as an address if it is not allowed. */
  check(host: string): void;
  /** Resolves a name to its allowed addresses. */
  readonly lookup: LookupFunction;
}

/** A gate that allows the internet and everything in `allowed`: host names, addresses, and ranges. */
export function createGate(allowed: readonly string[]): Gate {
  const hosts = new Set(
    allowed.filter((entry) => !isIP(entry.split('/')[0])).map((host) => host.toLowerCase()),
  );
  const addresses = blockList(allowed.filter((entry) => isIP(entry.split('/')[0])));
  const isAllowed = (host: string, address: string) =>
    hosts.has(host) || contains(addresses, address) || !contains(inside, address);
  return {
    check(written) {
      const host = bare(written);
      if (isIP(host) && !isAllowed(host, host)) throw refused(host, host);
    },
    lookup(host, options, callback) {
      const all: LookupOptions & { all: true } = { ...options, all: true };
      lookup(host, all, (error, found) => {
        if (error) return callback(error, '');
        const open = found.filter(({ address }) => isAllowed(host.toLowerCase(), address));
        if (open.length === 0) return callback(refused(host, found[0]?.address ?? 'nothing'), '');
        if (options.all) return callback(null, open as LookupAddress[]);
        callback(null, open[0].address, open[0].family);
      });
    },
  };
}

function refused(host: string, address: string): TaskFailure {
  const where = host === address ? address : `${host} is ${address}, which`;
  return new TaskFailure(
    `${where} is not an address of the internet; the operator of the worker can allow it (ORRERY_HTTP_ALLOW)`,
    { fatal: true },
  );
}

function contains(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}

function blockList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address, bits] = entry.split('/');
    const type = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const most = type === 'ipv6' ? 128 : 32;
    const length = bits === undefined ? most : Number(bits);
    if (!Number.isInteger(length) || length < 0 || length > most)
      throw new InvalidInput(`"${entry}" is not a range of addresses; write 10.0.0.0/8`, 'worker httpAllow');
    list.addSubnet(address, length, type);
  }
  return list;
}
