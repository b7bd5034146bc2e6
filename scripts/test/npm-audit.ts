/** Known vulnerabilities of the shipped packages, from the npm registry: `npm audit` in the full tier. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The used part of the output of `npm audit --json`. */
interface Printed {
  readonly vulnerabilities?: Readonly<
    Record<string, { readonly severity: string; readonly range: string; readonly isDirect: boolean }>
  >;
  readonly message?: string;
}

/** Faults that fail a run. */
const serious = new Set(['high', 'critical']);

/** What was found; neither passed nor failed: the registry could not be asked, which proves nothing. */
export interface Audited {
  readonly passed: number;
  readonly failed: number;
  readonly lines: readonly string[];
}

/** Asks the registry about everything that is installed with the package. */
export function npmAudit(): Audited {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
    cwd: join(import.meta.dirname, '..', '..'),
    encoding: 'utf8',
    timeout: 120_000,
  });
  return readAudit(stdout ?? '');
}

/** Reads what npm printed. */
export function readAudit(text: string): Audited {
  let printed: Printed;
  try {
    printed = JSON.parse(text);
  } catch {
    printed = {};
  }
  const { vulnerabilities, message = 'npm printed nothing that can be read' } = printed;
  if (!vulnerabilities)
    return { passed: 0, failed: 0, lines: [`npm audit: the registry could not be asked: ${message}`] };
  const found = Object.entries(vulnerabilities).filter(([, { severity }]) => serious.has(severity));
  return {
    passed: found.length === 0 ? 1 : 0,
    failed: found.length,
    lines: found.map(
      ([name, { severity, range }]) => `failed: ${name} ${range} has a fault that is ${severity}`,
    ),
  };
}
