/** What a line of a log is about: its level, whether it opens or closes a group, and its JSON if it is some. */

/** How bad a line says it is. */
export type Level = 'error' | 'warn' | 'info' | 'debug';

const levels: readonly (readonly [Level, RegExp])[] = [
  [
    'error',
    /\b(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC)\b|^\s*(?:Error|error|fatal|Fatal|panic)\b:?|\bTraceback\b|"level":\s*"(?:error|fatal)"/,
  ],
  ['warn', /\bWARN(?:ING)?\b|^\s*(?:warning|Warning)\b:?|"level":\s*"warn(?:ing)?"/],
  ['info', /\b(?:INFO|NOTICE)\b|"level":\s*"info"/],
  ['debug', /\b(?:DEBUG|TRACE)\b|"level":\s*"(?:debug|trace)"/],
];

/** Only the start of a line is looked at: levels stand there, and lines can be very long. */
const LOOKED_AT = 200;

/** The level a line names, if it names one. */
export function levelOf(line: string): Level | undefined {
  const start = line.slice(0, LOOKED_AT);
  return levels.find(([, shape]) => shape.test(start))?.[0];
}

/** The worst levels, for a filter. */
export const filterLevels = ['error', 'warn', 'info'] as const;

/** A level that a log can be filtered by. */
export type FilterLevel = (typeof filterLevels)[number];

/** A regular expression of lines that name this level or a worse one, for the server to look for. */
export function atLeast(level: FilterLevel): string {
  const wanted = levels.slice(0, levels.findIndex(([name]) => name === level) + 1);
  return wanted.map(([, shape]) => shape.source).join('|');
}

/** A line that opens a group has its title; one that closes a group is `end`. */
export function groupOf(line: string): { readonly title: string } | 'end' | undefined {
  if (line.startsWith('::endgroup::')) return 'end';
  return line.startsWith('::group::') ? { title: line.slice('::group::'.length).trim() } : undefined;
}

/** A line of JSON over several lines; undefined where it is none. */
export function expandedJson(line: string): string | undefined {
  const text = line.trim();
  if (!/^[{[]/.test(text)) return undefined;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined;
  }
}

/** A line without the times and the attempt's own number: what two attempts printed alike is still the same. */
export function untimed(line: string): string {
  const plain = line.startsWith('[orrery] ') ? line.replace(/\battempt \d+/, 'attempt') : line;
  return plain.replaceAll(/(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/g, '');
}

/** Lines longer than this are cut until somebody asks for the rest. */
export const LONG_LINE = 10_240;

/** Lines of the address, `120` or `120-140`, counted from 1; undefined where it is none. */
export function parseLines(
  text: string | undefined,
): { readonly from: number; readonly to: number } | undefined {
  const found = /^([1-9]\d{0,9})(?:-([1-9]\d{0,9}))?$/.exec(text ?? '');
  if (!found) return undefined;
  const [from, to] = [Number(found[1]), Number(found[2] ?? found[1])];
  return from <= to ? { from, to } : { from: to, to: from };
}

/** The same as text. */
export function linesText({ from, to }: { readonly from: number; readonly to: number }): string {
  return from === to ? String(from) : `${from}-${to}`;
}
