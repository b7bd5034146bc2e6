/** Records of ZooKeeper's protocol used by this client: opcodes, error codes, stat, ACL, watch events. */
import type { JuteReader, JuteWriter } from './jute.ts';

/** Opcodes of requests. */
export const opcodes = {
  create: 1,
  delete: 2,
  exists: 3,
  getData: 4,
  setData: 5,
  getAcl: 6,
  setAcl: 7,
  sync: 9,
  ping: 11,
  getChildren2: 12,
  check: 13,
  multi: 14,
  create2: 15,
  removeWatches: 18,
  createContainer: 19,
  createTtl: 21,
  auth: 100,
  getEphemerals: 103,
  getAllChildrenNumber: 104,
  setWatches2: 105,
  addWatch: 106,
  closeSession: -11,
} as const;

/** Numbers reserved for frames that answer no ordinary request. */
export const xids = { notification: -1, ping: -2, auth: -4, setWatches: -8 } as const;

const codes = {
  [-1]: 'SYSTEM_ERROR',
  [-2]: 'RUNTIME_INCONSISTENCY',
  [-4]: 'CONNECTION_LOSS',
  [-5]: 'MARSHALLING_ERROR',
  [-6]: 'UNIMPLEMENTED',
  [-7]: 'OPERATION_TIMEOUT',
  [-8]: 'BAD_ARGUMENTS',
  [-101]: 'NO_NODE',
  [-102]: 'NO_AUTH',
  [-103]: 'BAD_VERSION',
  [-108]: 'NO_CHILDREN_FOR_EPHEMERALS',
  [-110]: 'NODE_EXISTS',
  [-111]: 'NOT_EMPTY',
  [-112]: 'SESSION_EXPIRED',
  [-113]: 'INVALID_CALLBACK',
  [-114]: 'INVALID_ACL',
  [-115]: 'AUTH_FAILED',
  [-118]: 'SESSION_MOVED',
  [-119]: 'NOT_READ_ONLY',
  [-121]: 'NO_WATCHER',
  [-124]: 'SASL_REQUIRED',
  [-125]: 'QUOTA_EXCEEDED',
  [-127]: 'THROTTLED',
} as const;

/** ZooKeeper's name of an error; `CODE_<n>` for a code this client does not know. */
export type ZooKeeperCode = (typeof codes)[keyof typeof codes] | `CODE_${number}`;

/**
 * A request that ZooKeeper refused, or that lost its connection (`CONNECTION_LOSS`: a write may have been
 * made).
 */
export class ZooKeeperError extends Error {
  readonly tag = 'zookeeper';
  readonly code: ZooKeeperCode;
  readonly path: string | undefined;
  /** In a multi: the index of the failed operation. */
  readonly step: number | undefined;
  /** False if the request never left this client. */
  readonly sent: boolean;

  constructor(
    code: ZooKeeperCode,
    path?: string,
    { step, sent = true }: { step?: number; sent?: boolean } = {},
  ) {
    super(path === undefined ? `ZooKeeper: ${code}` : `ZooKeeper: ${code} ${path}`);
    this.code = code;
    this.path = path;
    this.step = step;
    this.sent = sent;
  }
}

/** The name of an error number; undefined for 0, success. */
export function codeOf(error: number): ZooKeeperCode | undefined {
  if (error === 0) return undefined;
  return (codes as Record<number, ZooKeeperCode>)[error] ?? `CODE_${error}`;
}

/** A node's metadata. */
export interface Stat {
  /** The transaction that created it. */
  readonly czxid: bigint;
  /** The transaction that last changed its data. */
  readonly mzxid: bigint;
  /** Epoch milliseconds by the server's wall clock. */
  readonly ctime: number;
  readonly mtime: number;
  /** Number of changes of its data, of its children, of its ACL. */
  readonly version: number;
  readonly cversion: number;
  readonly aversion: number;
  /** The session of an ephemeral node, else 0. */
  readonly ephemeralOwner: bigint;
  readonly dataLength: number;
  readonly numChildren: number;
  /** The transaction that last created or deleted a child. */
  readonly pzxid: bigint;
}

export function readStat(reader: JuteReader): Stat {
  return {
    czxid: reader.long(),
    mzxid: reader.long(),
    ctime: Number(reader.long()),
    mtime: Number(reader.long()),
    version: reader.int(),
    cversion: reader.int(),
    aversion: reader.int(),
    ephemeralOwner: reader.long(),
    dataLength: reader.int(),
    numChildren: reader.int(),
    pzxid: reader.long(),
  };
}

/** Permissions on a node. `perms` is a sum: read 1, write 2, create 4, delete 8, admin 16. */
export interface Acl {
  readonly perms: number;
  readonly scheme: string;
  readonly id: string;
}

/** Full access for everybody. */
export const OPEN_ACL: readonly Acl[] = [{ perms: 31, scheme: 'world', id: 'anyone' }];
/** Full access for clients with the creator's credentials only; needs `auth`. */
export const CREATOR_ALL_ACL: readonly Acl[] = [{ perms: 31, scheme: 'auth', id: '' }];

export function writeAcls(writer: JuteWriter, acls: readonly Acl[]): void {
  writer.list(acls, ({ perms, scheme, id }) => writer.int(perms).text(scheme).text(id));
}

export function readAcls(reader: JuteReader): Acl[] {
  return reader.list(() => ({ perms: reader.int(), scheme: reader.text(), id: reader.text() }));
}

/** Lifetime of a node. The server deletes a container some time after its last child. */
export type CreateMode =
  | 'persistent'
  | 'ephemeral'
  | 'persistent-sequential'
  | 'ephemeral-sequential'
  | 'container';

export const createFlags: Record<CreateMode, number> = {
  persistent: 0,
  ephemeral: 1,
  'persistent-sequential': 2,
  'ephemeral-sequential': 3,
  container: 4,
};

/** An event of a persistent watch; `resync` after a reconnect, when changes may have been missed. */
export interface ZooKeeperEvent {
  readonly type: 'created' | 'deleted' | 'changed' | 'children' | 'resync';
  readonly path: string;
}

const eventTypes: Readonly<Record<number, ZooKeeperEvent['type']>> = {
  1: 'created',
  2: 'deleted',
  3: 'changed',
  4: 'children',
};

/** Reads a watch event; undefined if it only reports that a watch was removed. */
export function readEvent(reader: JuteReader): ZooKeeperEvent | undefined {
  const type = eventTypes[reader.int()];
  reader.int();
  const path = reader.text();
  return type && { type, path };
}
