/** Paths, values and transactions as every implementation accepts them; checked once, before anything is sent. */
import { InvalidInput } from '@orrery/core/errors';
import type { Operation } from './registry.ts';

/** A path travels in a notification of PostgreSQL, which takes 8,000 bytes. */
const LONGEST_PATH = 1_000;
/** ZooKeeper takes requests of 1 MiB; a transaction holds several values. */
const LARGEST_VALUE = 500_000;
const DIGITS = 10;
/** ZooKeeper refuses these characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\ud800-\udfff\ufff0-\uffff]/;

/** Refuses a path that not every implementation can hold. */
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

/** Refuses a value that is too large for one of the implementations. */
function checkValue(path: string, value: string): void {
  const bytes = Buffer.byteLength(value);
  if (bytes > LARGEST_VALUE)
    throw new InvalidInput(
      `a registry value has at most ${LARGEST_VALUE} bytes, this one has ${bytes}`,
      path,
    );
}

/** Refuses what a transaction may not hold; see `Operation`. */
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

/** The path one level up; the root is its own parent. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

/** The last name of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A path and a name below it. */
export function join(path: string, ...names: readonly string[]): string {
  return [path === '/' ? '' : path, ...names].join('/');
}

/** Whether `path` is somewhere below `above`. */
export function isBelow(path: string, above: string): boolean {
  return above === '/' ? path !== '/' : path.startsWith(`${above}/`);
}

/** Orders paths by their names from the root, so that everything below an entry follows it directly. */
export function comparePaths(a: string, b: string): number {
  const left = a.replaceAll('/', '\u0000');
  const right = b.replaceAll('/', '\u0000');
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The ten digits of a sequential entry. */
export function sequenceDigits(sequence: number): string {
  return String(sequence).padStart(DIGITS, '0');
}

/** The number at the end of a sequential name or path; undefined when there is none. */
export function sequenceOf(name: string): number | undefined {
  const digits = /\d{10}$/.exec(name)?.[0];
  return digits === undefined ? undefined : Number(digits);
}
