/** Coordination between nodes: one interface, its errors and its paths. */
export { kindOf } from './address.ts';
export { isRegistryError, RegistryError, type RegistryReason } from './errors.ts';
export { openRegistry } from './open.ts';
export type { RegistryOptions, TlsOptions } from './options.ts';
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
export { SubtreeView, type ViewChange } from './view.ts';
