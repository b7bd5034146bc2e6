/**
 * Whole-number arithmetic inside time placeholders: + - * / and brackets. A division must have no remainder,
 * so that a mistyped unit is an error, not a silent zero.
 */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';

/** An offset in time: calendar days, and elapsed seconds. */
interface TimeOffset {
  days: number;
  seconds: number;
}

/** Divisions that name a unit below the day, longest first, with the unit's length in seconds. */
const UNITS: readonly [suffix: string, seconds: number][] = [
  ['/24/60/60', 1],
  ['/24/60', 60],
  ['/24', 3600],
];

/** The value of an expression such as `-12*2`. */
export function wholeNumber(text: string): number {
  return evaluate(tokens(text), text);
}

/**
 * The value of an offset such as `-7*2`, `+3/24/60` or `+1-2/24`. Each summand is in days unless it ends in
 * `/24` (hours), `/24/60` (minutes) or `/24/60/60` (seconds).
 */
export function timeOffset(text: string): TimeOffset {
  const sum: TimeOffset = { days: 0, seconds: 0 };
  for (const summand of summands(tokens(text))) {
    const joined = summand.join('');
    const unit = UNITS.find(([suffix]) => joined.endsWith(suffix));
    if (!unit) {
      sum.days += evaluate(summand, text);
      continue;
    }
    const [suffix, seconds] = unit;
    const factors = summand.slice(0, -tokens(suffix).length);
    sum.seconds += evaluate(factors, text) * seconds;
  }
  return sum;
}

function tokens(text: string): string[] {
  const found = text.match(/\d+|[-+*/()]|\S/g) ?? [];
  const strange = found.find((token) => !/^[\d\-+*/()]/.test(token));
  if (strange !== undefined) {
    throw new InvalidInput(said('param.notArithmetic', { text, found: strange }));
  }
  return found;
}

/** Splits at each plus or minus between two operands outside brackets; a minus stays with its operand. */
function summands(all: readonly string[]): string[][] {
  const found: string[][] = [[]];
  let depth = 0;
  all.forEach((token, i) => {
    if (token === '(') depth++;
    if (token === ')') depth--;
    const joins = (token === '+' || token === '-') && depth === 0 && /^[\d)]/.test(all[i - 1] ?? '');
    if (joins) found.push([]);
    found[found.length - 1].push(token);
  });
  return found;
}

function evaluate(all: readonly string[], text: string): number {
  let next = 0;
  const value = sum();
  if (next < all.length) throw malformed();
  return value;

  function sum(): number {
    let left = product();
    while (all[next] === '+' || all[next] === '-') {
      left = safe(all[next++] === '+' ? left + product() : left - product());
    }
    return left;
  }

  function product(): number {
    let left = factor();
    while (all[next] === '*' || all[next] === '/') {
      const times = all[next++] === '*';
      const right = factor();
      if (!times && (right === 0 || left % right !== 0)) {
        throw new InvalidInput(said('param.division', { text, left, right }));
      }
      left = safe(times ? left * right : left / right);
    }
    return left;
  }

  function factor(): number {
    const token = all[next++];
    if (token === '-') return -factor();
    if (token === '+') return factor();
    if (token === '(') {
      const inner = sum();
      if (all[next++] !== ')') throw malformed();
      return inner;
    }
    if (token === undefined || !/^\d/.test(token)) throw malformed();
    return safe(Number(token));
  }

  function malformed(): InvalidInput {
    return new InvalidInput(said('param.badArithmetic', { text }));
  }

  function safe(value: number): number {
    if (Number.isSafeInteger(value)) return value;
    throw new InvalidInput(said('param.tooLarge', { text }));
  }
}
