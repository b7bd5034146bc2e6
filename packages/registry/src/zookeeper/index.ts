/** The ZooKeeper client, for direct use of ZooKeeper: multi, ACLs, zxids, containers, session reuse. */
export {
  isCode,
  type NodeData,
  type ZooKeeperAuth,
  ZooKeeperClient,
  type ZooKeeperOptions,
} from './client.ts';
export type { Host } from './connection.ts';
export type { MultiOperation, MultiResult } from './multi.ts';
export { zooKeeperOptions } from './options.ts';
export {
  type Acl,
  CREATOR_ALL_ACL,
  type CreateMode,
  OPEN_ACL,
  type Stat,
  type ZooKeeperCode,
  ZooKeeperError,
  type ZooKeeperEvent,
} from './records.ts';
export { asRegistryError } from './registry.ts';
