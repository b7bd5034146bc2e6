/** Finds the processes that tests started by the temporary folder in their environment, which children inherit. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { commandLine } from '../services/process.ts';

/** The variable that names the temporary folder. */
export const TEMPORARY = 'TMPDIR';

/** The live processes started with this temporary folder or one below it; none where the system has no `/proc`. */
export function carriers(folder: string): number[] {
  if (!existsSync('/proc/self/environ')) return [];
  const marks = [`\0${TEMPORARY}=${folder}\0`, `\0${TEMPORARY}=${folder}/`];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && marks.some((mark) => environmentOf(pid).includes(mark)))
    .filter((pid) => commandLine(pid) !== '');
}

function environmentOf(pid: number): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}\0`;
  } catch {
    return '';
  }
}
