/**
 * Checks paths, values and transactions against the limits of all implementations, before anything is sent.
 */
import { InvalidInput } from '@orrery/core/errors';
import type { Operation } from './registry.ts';

/** Characters of a path: it must fit a PostgreSQL notification of 8,000 bytes. */
const LONGEST_PATH = 1_000;
/** Bytes of a value: ZooKeeper limits requests to 1 MiB, and a transaction holds several values. */
const LARGEST_VALUE = 500_000;
const DIGITS = 10;
/** ZooKeeper refuses these characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\ud800-\udfff\ufff0-\uffff]/;

/** Refuses a path that some implementation cannot store. */
export function checkPath(path: string): void {
  const refuse = (why: string) => {
    throw new InvalidInput(`${why}; a path looks like /orrery/main/live`, JSON.stringify(path.slice(0, 200)));
  };
  if (!path.startsWith('/')) refuse('a registry path starts with /');
  if (path === '/') return;
  for (const name of path.slice(1).split('/')) {
    if (name === '') refuse('a registry path has no empty names');
    if (name === '.' || name === '..') refuse('a registry path has no relative names');
  }
  if (FORBIDDEN.test(path)) refuse('a registry path has no control characters');
  if (Buffer.byteLength(path) > LONGEST_PATH) refuse(`a registry path has at most ${LONGEST_PATH} bytes`);
}

/** Refuses a value that is too large for some implementation. */
function checkValue(path: string, value: string): void {
  const bytes = Buffer.byteLength(value);
  if (bytes > LARGEST_VALUE)
    throw new InvalidInput(
      `a registry value has at most ${LARGEST_VALUE} bytes, this one has ${bytes}`,
      path,
    );
}

/** Refuses a transaction that breaks the rules of `Operation`. */
export function checkOperations(operations: readonly Operation[]): void {
  const written = new Set<string>();
  const deleted: string[] = [];
  for (const operation of operations) {
    const { op, path } = operation;
    checkPath(path);
    if (op === 'check') continue;
    if (path === '/') throw new InvalidInput('the root of the registry cannot be written', path);
    if ('value' in operation) checkValue(path, operation.value);
    if (op === 'create' && operation.sequential) continue;
    if (written.has(path)) throw new InvalidInput('a transaction writes each path at most once', path);
    written.add(path);
    if (op === 'delete') deleted.push(path);
  }
  for (const path of deleted)
    for (const other of written)
      if (isBelow(other, path)) throw new InvalidInput(`cannot be deleted together with ${other}`, path);
}

/** The parent path; the root is its own parent. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

/** The last name in a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Joins a path and names below it. */
export function join(path: string, ...names: readonly string[]): string {
  return [path === '/' ? '' : path, ...names].join('/');
}

/** Whether `path` is below `above`, at any depth. */
export function isBelow(path: string, above: string): boolean {
  return above === '/' ? path !== '/' : path.startsWith(`${above}/`);
}

/** Compares paths name by name from the root, so that everything below an entry directly follows it. */
export function comparePaths(a: string, b: string): number {
  const left = a.replaceAll('/', '\u0000');
  const right = b.replaceAll('/', '\u0000');
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The ten digits of a sequential entry. */
export function sequenceDigits(sequence: number): string {
  return String(sequence).padStart(DIGITS, '0');
}

/** The number at the end of a sequential name or path; undefined if there is none. */
export function sequenceOf(name: string): number | undefined {
  const digits = /\d{10}$/.exec(name)?.[0];
  return digits === undefined ? undefined : Number(digits);
}
