/**
 * Tokens in files, or descriptors such as `/dev/fd/3`: neither tasks nor other users of the machine see them
 * there.
 */
import { readFileSync, statSync } from 'node:fs';
import { InvalidInput } from '@orrery/core/errors';

const OPEN_TO_OTHERS = 0o077;

/** The tokens of a file, one a line; refuses a file that other users can read, and one without any. */
export function readTokens(path: string, option: string): [string, ...string[]] {
  const [first, ...others] = linesOf(path, option);
  if (first === undefined) throw new InvalidInput(`${path} is empty; write the token into it`, option);
  for (const token of [first, ...others])
    if (!/^[\x21-\x7e]+$/.test(token))
      throw new InvalidInput(`a line of ${path} is no token: use letters, digits and signs of ASCII`, option);
  return [first, ...others];
}

function linesOf(path: string, option: string): string[] {
  try {
    const { mode, isFile } = fileAt(path);
    if (isFile && (mode & OPEN_TO_OTHERS) !== 0)
      throw new InvalidInput(`other users can read ${path}; close it to them: chmod 600 ${path}`, option);
    return readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  } catch (error) {
    if (error instanceof InvalidInput) throw error;
    throw new InvalidInput((error as Error).message, option);
  }
}

function fileAt(path: string): { readonly mode: number; readonly isFile: boolean } {
  const stats = statSync(path);
  return { mode: stats.mode, isFile: process.platform !== 'win32' && stats.isFile() };
}
