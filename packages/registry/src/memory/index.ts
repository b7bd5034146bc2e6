/** The registry in one process; the simulation's too. */
export { type MemoryClientOptions, MemoryRegistry } from './client.ts';
export type { MemoryFaults } from './link.ts';
export { MemoryTree } from './tree.ts';
