/** Sizes as people write them: `512MB`, `1.5GB`; units are powers of 1,024. */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';

const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const;
const shape = /^(\d+(?:\.\d+)?)\s?(?:(B|KB|MB|GB|TB)|([KMGT])iB)$/;

/** Parses a size to bytes; the error for anything else says what is accepted. */
export function parseSize(text: string): number {
  const found = shape.exec(text);
  if (!found) throw new InvalidInput(said('value.size', { text }));
  const [, amount, unit, prefix] = found;
  const power = units.indexOf((unit ?? `${prefix}B`) as (typeof units)[number]);
  const bytes = Math.round(Number(amount) * 1_024 ** power);
  if (!Number.isSafeInteger(bytes)) throw new InvalidInput(said('value.largeSize', { text }));
  return bytes;
}

/** Formats a size in the largest exact unit. */
export function writeSize(bytes: number): string {
  let power = 0;
  let amount = bytes;
  while (power < units.length - 1 && amount >= 1_024 && amount % 1_024 === 0) {
    amount /= 1_024;
    power++;
  }
  return `${amount}${units[power]}`;
}

/** Formats a size for people, with at most one decimal. */
export function sizeAbout(bytes: number): string {
  let power = 0;
  let amount = bytes;
  while (power < units.length - 1 && amount >= 1_024) {
    amount /= 1_024;
    power++;
  }
  return `${Number(amount.toFixed(1))} ${units[power]}`;
}
