/**
 * The order of nodes before a division. It is total and the same on every node, so the same members always
 * give the same plan: addresses first, by their numbers (10.0.0.9 before 10.0.0.10), then all other names by
 * code points.
 */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';

/** IPv4, then nothing, a port (`10.0.0.1:8080`) or a process (`10.0.0.1@-@4711`, as ElasticJob writes it). */
const ADDRESS = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:(?::|@-@)(\d+))?$/;

interface Key {
  readonly name: string;
  /** The address as one number; infinite for other names, which puts them after addresses. */
  readonly address: number;
  /** Port or process; -1 if there is none. */
  readonly tail: number;
}

/** The nodes in order, in a new array. */
export function sortNodes(nodes: readonly string[]): string[] {
  return nodes
    .map(keyOf)
    .sort(compareKeys)
    .map((key) => key.name);
}

/** Refuses a list that names a node twice: its share would be assigned twice. */
export function checkDistinct(nodes: readonly string[]): void {
  if (new Set(nodes).size === nodes.length) return;
  throw new InvalidInput(
    said('value.nodeTwice', { name: String(nodes.find((node, i) => nodes.indexOf(node) !== i)) }),
  );
}

function keyOf(name: string): Key {
  const parts = ADDRESS.exec(name);
  const bytes = parts?.slice(1, 5).map(Number) ?? [];
  if (!parts || bytes.some((byte) => byte > 255)) return { name, address: Infinity, tail: -1 };
  const address = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  return { name, address, tail: parts[5] === undefined ? -1 : Number(parts[5]) };
}

function compareKeys(a: Key, b: Key): number {
  if (a.address !== b.address) return a.address < b.address ? -1 : 1;
  if (a.tail !== b.tail) return a.tail < b.tail ? -1 : 1;
  return compareText(a.name, b.name);
}

function compareText(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const difference = codePointRank(a.charCodeAt(i)) - codePointRank(b.charCodeAt(i));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** UTF-16 sorts surrogates (code points from 0x10000) below 0xE000; this ranks them last. */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
