/** The registry within one process, also used by the simulation. */
export { type MemoryClientOptions, MemoryRegistry } from './client.ts';
export type { MemoryFaults } from './link.ts';
export { MemoryTree } from './tree.ts';
