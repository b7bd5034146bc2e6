/** Durations as people write them: `500ms`, `10s`, `5m`, `1h30m`, `2d`, `1w`. */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';

const units: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const shape = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d|w))+$/;

/** Parses a duration to milliseconds; the error for anything else says what is accepted. */
export function parseDuration(text: string): number {
  if (text === '0') return 0;
  if (!shape.test(text)) {
    throw new InvalidInput(said('value.duration', { text }));
  }
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d|w)/g))
    total += Number(amount) * units[unit];
  const result = Math.round(total);
  if (!Number.isSafeInteger(result)) throw new InvalidInput(said('value.longDuration', { text }));
  return result;
}

/** Formats a duration in its largest units: `1h30m`. */
export function writeDuration(ms: number): string {
  let rest = ms;
  let text = '';
  for (const unit of ['w', 'd', 'h', 'm', 's', 'ms']) {
    const amount = Math.floor(rest / units[unit]);
    rest -= amount * units[unit];
    if (amount > 0) text += `${amount}${unit}`;
  }
  return text || '0s';
}
