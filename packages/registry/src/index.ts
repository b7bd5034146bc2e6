/** Coordination between nodes: one interface, its errors and its paths. */
export { isRegistryError, RegistryError, type RegistryReason } from './errors.ts';
export { comparePaths, isBelow, join, nameOf, parentOf, sequenceOf } from './path.ts';
export type {
  CreateOptions,
  Entry,
  Operation,
  Registry,
  RegistryKind,
  Session,
  SessionState,
  Watch,
  WatchEvent,
  WatchScope,
} from './registry.ts';
