/**
 * The key that proves that a session continues, and that reports come from the worker that ran the attempts.
 * It is created once, stored beside the spool, and shown only to masters. A master stores its hash with the
 * worker.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The key of the worker with this spool. An unreadable key is replaced; the old life then ends first. */
export function sessionKey(spool: string): string {
  mkdirSync(spool, { recursive: true, mode: 0o700 });
  const file = join(spool, 'key');
  const kept = read(file);
  if (kept !== undefined) return kept;
  const made = randomBytes(32).toString('hex');
  writeFileSync(file, made, { mode: 0o600 });
  chmodSync(file, 0o600);
  return made;
}

function read(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'latin1').trim();
    return /^[0-9a-f]{64}$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
