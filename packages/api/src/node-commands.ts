/** Shell commands that start missing nodes. */
import type { NodeRow, Store } from '@orrery/store';
import { masterState } from './nodes.ts';

/** Starts a master; with a name, that one again. */
export function startMaster(dialect: Store['dialect'], name?: string): string {
  return dialect === 'sqlite' ? 'orrery dev' : `orrery server --role master${named(name)} --database URL`;
}

/** Starts a worker for a group; `join` is where it finds a master. With a name, that one again. */
export function startWorker(group: string, join: string, name?: string): string {
  return `orrery server --role worker${named(name)} --group ${quoted(group)} --join ${quoted(join)}`;
}

function named(name: string | undefined): string {
  return name === undefined ? '' : ` --name ${quoted(name)}`;
}

/** The address a worker can join at: that of a live master, if one is known. */
export function joinAddress(nodes: readonly NodeRow[], now: number): string {
  const alive = nodes.filter((node) => masterState(node, now) === 'alive');
  return alive.find(({ address }) => /:\d+$/.test(address))?.address ?? 'HOST:PORT';
}

/** A word for a POSIX shell. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
