/** Windows of a dependency as written: `today`, `last1Days`, …, `previous`, or versions as in `(-2,2)`. */
import { DATE_VALUES, type DateValue, type DependencyWindow } from '../depend/index.ts';
import { InvalidInput } from '../errors.ts';
import { versionOffsets } from '../params/index.ts';
import { said } from '../texts/index.ts';
import { hintFor } from './nearest.ts';

const names: readonly string[] = [...DATE_VALUES, 'previous'];

/**
 * Parses the name of a window. `previous` is the previous tick of the other workflow's schedule. A pair
 * (offset, count) means `count` of its versions, starting `offset` versions from the newest.
 */
export function parseWindow(text: string): DependencyWindow {
  if (text === 'previous') return { offset: -1, count: 1 };
  if (isDateValue(text)) return text;
  const [, offset, count] = /^\(\s*([+-]?\d{1,9})\s*,\s*(\d{1,9})\s*\)$/.exec(text) ?? [];
  if (offset === undefined) {
    const hint = hintFor(text, names) || said('hint.windows', { names });
    throw new InvalidInput(said('file.noWindow', { window: text, hint }));
  }
  const range = { offset: Number(offset), count: Number(count) };
  versionOffsets(range);
  return range;
}

function isDateValue(text: string): text is DateValue {
  return (DATE_VALUES as readonly string[]).includes(text);
}
