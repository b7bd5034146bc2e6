/** The time that a line of a log carries, as programs write it: with its date, at the beginning or in a field of JSON. */

const moment = String.raw`(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\s?(Z|[+-]\d\d:?\d\d)?`;
/** Before it there may be brackets and the level. */
const plain = new RegExp(String.raw`^\W*(?:[A-Z]{3,8}\W+)?${moment}`);
const inJson = new RegExp(String.raw`^\W*\{[^]{0,300}?"(?:@?timestamp|time|ts)":\s*"${moment}`);
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const colours = /\u001b\[[\d;]*m/g;

/** The time in epoch milliseconds, undefined where there is none. One without zone is taken for UTC. */
export function timeOf(line: string): number | undefined {
  const start = line.slice(0, 500).replaceAll(colours, '');
  const found = plain.exec(start) ?? inJson.exec(start);
  if (!found) return undefined;
  const [, date, time, fraction = '', zone = 'Z'] = found;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  const at = Date.parse(`${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}${offset}`);
  return Number.isNaN(at) ? undefined : at;
}
