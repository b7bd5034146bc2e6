/**
 * Registry URLs: `memory:NAME`, `postgres://…`, `zookeeper://h1,h2/chroot`, `etcd://h1,h2/prefix`.
 * Credentials stand before the hosts (`user:password@`), percent-encoded; `?tls=true` turns on TLS, with
 * `ca`, `cert` and `key` naming files.
 */
import { readFileSync } from 'node:fs';
import { InvalidInput } from '@orrery/core/errors';
import type { TlsOptions } from './options.ts';
import { checkPath } from './path.ts';
import type { RegistryKind } from './registry.ts';

/** A parsed URL. */
export interface RegistryAddress {
  readonly kind: RegistryKind;
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Root path of the tree; default `/`. */
  readonly root: string;
  readonly tls: TlsOptions | undefined;
}

const ports = { zookeeper: 2181, etcd: 2379 } as const;
const FORM =
  'a registry url looks like postgres://host/db, zookeeper://h1,h2/chroot, etcd://h1,h2 or memory:';
const PARAMETERS = ['tls', 'ca', 'cert', 'key', 'servername'];

/** The implementation that a URL asks for. */
export function kindOf(url: string): RegistryKind {
  const scheme = /^([a-z]+):/.exec(url)?.[1];
  if (scheme === 'postgresql') return 'postgres';
  if (scheme === 'memory' || scheme === 'postgres' || scheme === 'zookeeper' || scheme === 'etcd')
    return scheme;
  throw new InvalidInput(`${scheme ?? 'no scheme'} is no registry; ${FORM}`, 'registry');
}

/** The URL without credentials and parameters, for people. */
export function publicUrl(url: string): string {
  return url.replace(/\/\/[^/?]*@/, '//').replace(/\?.*$/, '');
}

/** Parses a ZooKeeper or etcd URL; the `URL` class does not accept several hosts. */
export function parseAddress(url: string): RegistryAddress {
  const kind = kindOf(url);
  const refuse = (why: string): never => {
    throw new InvalidInput(`${why}; ${FORM}`, `registry ${publicUrl(url)}`);
  };
  const match = /^[a-z]+:\/\/(?:([^@/?]*)@)?([^@/?]+)(\/[^?]*)?(?:\?(.*))?$/.exec(url);
  if (!match || (kind !== 'zookeeper' && kind !== 'etcd')) return refuse('this is no address');
  const [, credentials, hosts, path = '/', query = ''] = match;
  const [user, password] = credentials?.split(/:(.*)/s).map(decodeURIComponent) ?? [];
  const root = path === '/' ? '/' : path.replace(/\/$/, '');
  checkPath(root);
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys())
    if (!PARAMETERS.includes(name)) refuse(`unknown parameter ${name}, there are ${PARAMETERS.join(', ')}`);
  return {
    kind,
    hosts: hosts.split(',').map((host) => hostOf(host, ports[kind]) ?? refuse(`${host} is no host`)),
    user,
    password,
    root,
    tls: tlsOf(parameters),
  };
}

function hostOf(text: string, defaultPort: number): { host: string; port: number } | undefined {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text.trim());
  if (!match) return undefined;
  return { host: match[1].replace(/^\[|\]$/g, ''), port: Number(match[2] ?? defaultPort) };
}

function tlsOf(parameters: URLSearchParams): TlsOptions | undefined {
  if (parameters.get('tls') !== 'true') return undefined;
  const file = (name: string) => {
    const path = parameters.get(name);
    return path === null ? undefined : readFileSync(path);
  };
  return {
    ca: file('ca'),
    cert: file('cert'),
    key: file('key'),
    servername: parameters.get('servername') ?? undefined,
  };
}
