/**
 * Date formats with the letters of Java's SimpleDateFormat: y M d H m s S. Every other ASCII letter is
 * refused. Other text is printed unchanged, and so is text in single quotes ('' is one quote).
 */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';
import { type Wall, wall, type Zone } from '../time/zone.ts';

const FIELDS: ReadonlyMap<string, (shown: Wall) => string> = new Map([
  ['yyyy', (shown) => pad(shown.year, 4)],
  ['yy', (shown) => pad(shown.year % 100, 2)],
  ['y', (shown) => String(shown.year)],
  ['MM', (shown) => pad(shown.month, 2)],
  ['M', (shown) => String(shown.month)],
  ['dd', (shown) => pad(shown.day, 2)],
  ['d', (shown) => String(shown.day)],
  ['HH', (shown) => pad(shown.hour, 2)],
  ['H', (shown) => String(shown.hour)],
  ['mm', (shown) => pad(shown.minute, 2)],
  ['m', (shown) => String(shown.minute)],
  ['ss', (shown) => pad(shown.second, 2)],
  ['s', (shown) => String(shown.second)],
  ['SSS', (shown) => pad(shown.ms, 3)],
]);

const PIECE = /([A-Za-z])\1*|'((?:[^']|'')*)'|[^A-Za-z']+|'/g;

/** Formats an instant in a zone, for example as `yyyy-MM-dd HH:mm:ss`. */
export function formatDate(format: string, at: number, zone: Zone): string {
  const shown = wall(at, zone);
  return format.replace(PIECE, (piece, letter?: string, quoted?: string) => {
    if (quoted !== undefined) return quoted === '' ? "'" : quoted.replaceAll("''", "'");
    if (piece === "'") throw new InvalidInput(said('param.openQuote', { format }));
    if (letter === undefined) return piece;
    const print = FIELDS.get(piece);
    if (print) return print(shown);
    throw new InvalidInput(
      said('param.dateFormat', { format, found: piece, fields: [...FIELDS.keys()].join(' ') }),
    );
  });
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}
