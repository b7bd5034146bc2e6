/** What a line of a log is about: its level, whether it opens or closes a group, and its JSON if it is some. */

/** The severity of a line. */
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

/** A level is near the start of a line; further on in a long line the word means something else. */
const near = (shapes: string) => `^[^]{0,200}?(?:${shapes})`;

const nearLevels = levels.map(([level, { source }]) => [level, new RegExp(near(source))] as const);

/** The level a line names, if it names one. */
export function levelOf(line: string): Level | undefined {
  return nearLevels.find(([, shape]) => shape.test(line))?.[0];
}

/** The worst levels, for a filter. */
export const filterLevels = ['error', 'warn', 'info'] as const;

/** A level that a log can be filtered by. */
export type FilterLevel = (typeof filterLevels)[number];

/** A regular expression of lines that name this level or a worse one, for the server: the rule of `levelOf`. */
export function atLeast(level: FilterLevel): string {
  const wanted = levels.slice(0, levels.findIndex(([name]) => name === level) + 1);
  return near(wanted.map(([, shape]) => shape.source).join('|'));
}

/** A line that opens a group has its title; one that closes a group is `end`. */
export function groupOf(line: string): { readonly title: string } | 'end' | undefined {
  if (line.startsWith('::endgroup::')) return 'end';
  return line.startsWith('::group::') ? { title: line.slice('::group::'.length).trim() } : undefined;
}

/** Places after the beginning where the JSON of a line is looked for. */
const MOST_PLACES = 5;

/**
 * A JSON line expanded to several lines; undefined for any other line. The object may follow a prefix, such
 * as a time and a level, which then gets its own line.
 */
export function expandedJson(line: string): string | undefined {
  const text = line.trim();
  if (!/[}\]]$/.test(text)) return undefined;
  if (/^[{[]/.test(text)) {
    const whole = spread(text);
    if (whole !== undefined) return whole;
  }
  for (let at = text.indexOf('{', 1), tries = 0; at > 0 && tries < MOST_PLACES; tries++) {
    const part = spread(text.slice(at));
    if (part !== undefined) return `${text.slice(0, at).trimEnd()}\n${part}`;
    at = text.indexOf('{', at + 1);
  }
  return undefined;
}

function spread(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined;
  }
}

/** Whether the worker itself wrote a line, and not the task. */
export function isOwnLine(line: string): boolean {
  return line.startsWith('[orrery] ');
}

/** A line without times and its own attempt number, so that equal output of two attempts compares equal. */
export function untimed(line: string): string {
  const plain = isOwnLine(line) ? line.replace(/\battempt \d+/, 'attempt') : line;
  return plain.replaceAll(/(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/g, '');
}

/** Longer lines are cut until the user asks for the rest. */
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

/** Used instead of lines: the first error, or the end if there is none. */
export const FIRST_ERROR = 'first-error';

/** The same as text. */
export function linesText({ from, to }: { readonly from: number; readonly to: number }): string {
  return from === to ? String(from) : `${from}-${to}`;
}
