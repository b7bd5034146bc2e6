/**
 * The addresses that channels over HTTP may connect to. Administrators choose channels, so any written address may be
 * used, private ones and `localhost` too. Refused are the addresses where clouds serve credentials of the machine, and
 * a name of another host that resolves to this machine: whoever controls that name would reach what listens here. The
 * check applies to the address of the connection, so a name that changes its address gains nothing.
 */
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { InvalidInput } from '@orrery/core/errors';

const metadata = blockList(
  '169.254.0.0/16',
  '168.63.129.16/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
  '64:ff9b::a9fe:0/112',
  'fe80::/10',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
);
const thisMachine = blockList('0.0.0.0/8', '127.0.0.0/8', '::/127');

/** Refuses the host of an address if it is an address itself and no channel may connect to it. */
export function checkHost(hostname: string): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) && contains(metadata, host)) throw refused(host, host);
}

/** Resolves a name to the addresses that a channel may connect to. */
export const lookupAllowed: LookupFunction = (host, options, callback) => {
  const all: LookupOptions & { all: true } = { ...options, all: true };
  lookup(host, all, (error, found) => {
    if (error) return callback(error, '');
    const open = found.filter(({ address }) => isAllowed(host.toLowerCase(), address));
    if (open.length === 0) return callback(refused(host, found[0]?.address ?? 'nothing'), '');
    if (options.all) return callback(null, open as LookupAddress[]);
    callback(null, open[0].address, open[0].family);
  });
};

/** Whether a channel may connect to an address that a name resolved to. */
export function isAllowed(host: string, address: string): boolean {
  const isLocalName = host === 'localhost' || host.endsWith('.localhost');
  return !contains(metadata, address) && (isLocalName || !contains(thisMachine, address));
}

function refused(host: string, address: string): InvalidInput {
  const where = host === address ? address : `${host} is ${address}, which`;
  return new InvalidInput(`${where} is an address that no channel may connect to`);
}

function contains(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function blockList(...entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address, bits] = entry.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}
