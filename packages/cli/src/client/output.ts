/** What people see: aligned columns, times from now, colours where a terminal shows them. */
import { stripVTControlCharacters, styleText } from 'node:util';
import { forTerminal } from './for-terminal.ts';

/** Colours of states; the words carry all information, for terminals without colours. */
const colours: Readonly<Record<string, 'green' | 'red' | 'yellow' | 'blue' | 'gray'>> = {
  success: 'green',
  alive: 'green',
  on: 'green',
  failed: 'red',
  broken: 'red',
  killed: 'red',
  gone: 'red',
  lost: 'red',
  stopped: 'yellow',
  stopping: 'yellow',
  failing: 'yellow',
  paused: 'yellow',
  pausing: 'yellow',
  retrying: 'yellow',
  silent: 'yellow',
  draining: 'yellow',
  unhealthy: 'red',
  running: 'blue',
  skipped: 'gray',
  passed: 'gray',
  excluded: 'gray',
  pending: 'gray',
};

/** A state in its colour. */
export function stateText(state: string): string {
  const colour = colours[state];
  return colour ? styleText(colour, state) : state;
}

/** The state of a run in its colour, and whether it counts for nothing. */
export function runStateText({
  state,
  counted,
}: {
  readonly state: string;
  readonly counted: boolean;
}): string {
  return `${stateText(state)}${counted ? '' : faint(' not counted')}`;
}

/** Something less important. */
export function faint(text: string): string {
  return styleText('gray', text);
}

/** Rows under each other with a head of names; every column but the last is padded. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head.map((name) => faint(name)), ...rows.map((row) => row.map(forTerminal))];
  const widths = head.map((_, i) => Math.max(...all.map((row) => width(row[i]))));
  return all
    .map((row) =>
      row
        .map((cell, i) => pad(cell, widths[i]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function pad(cell: string, to: number): string {
  return cell + ' '.repeat(to - width(cell));
}

function width(cell: string): number {
  return [...stripVTControlCharacters(cell)].length;
}

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1_000, 's'],
] as const;

/** How long something took, in its largest unit and the next: `3m 20s`; below a minute `4.2s`. */
export function duration(ms: number): string {
  if (ms < 60_000) return `${(Math.max(0, ms) / 1_000).toFixed(1)}s`;
  const largest = units.findIndex(([size]) => ms >= size);
  const [[size, unit], [next, small]] = [units[largest], units[largest + 1]];
  const rest = Math.floor((ms % size) / next);
  return `${Math.floor(ms / size)}${unit}${rest > 0 ? ` ${rest}${small}` : ''}`;
}

/** A time seen from now: `3m ago`, `in 2h`; a dash where there is none. */
export function fromNow(time: string | null | undefined, now = Date.now()): string {
  if (!time) return '-';
  const away = Date.parse(time) - now;
  const [size, unit] = units.find(([size]) => Math.abs(away) >= size) ?? [1_000, 's'];
  const count = `${Math.round(Math.abs(away) / size)}${unit}`;
  return away > 0 ? `in ${count}` : `${count} ago`;
}

/**
 * A moment in the time zone of this process, as ISO 8601 with its offset: `2026-03-01T08:00:00+08:00`. Any
 * option that takes a time accepts such a text. `--utc` makes UTC the zone of the process.
 */
export function timeText(time: string): string {
  const date = new Date(time);
  const offset = -date.getTimezoneOffset();
  const local = new Date(date.getTime() + offset * 60_000).toISOString().replace(/(\.000)?Z$/, '');
  const two = (value: number) => String(value).padStart(2, '0');
  const away = Math.abs(offset);
  const sign = offset < 0 ? '-' : '+';
  return local + (offset === 0 ? 'Z' : `${sign}${two(Math.floor(away / 60))}:${two(away % 60)}`);
}

/** How long between two times, or until now. */
export function took(from: string | null, to: string | null, idle = 0, now = Date.now()): string {
  return from === null ? '-' : duration((to === null ? now : Date.parse(to)) - Date.parse(from) - idle);
}

/** Prints an answer for a script, on one line. */
export function printJson(answer: unknown): void {
  console.log(JSON.stringify(answer));
}

/** Prints a list: as JSON if asked for, else as a table; `none` says that it is empty. */
export function printTable(
  answer: unknown,
  { json }: { readonly json?: boolean },
  none: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  if (json) printJson(answer);
  else console.log(rows.length === 0 ? none : table(head, rows));
}

/** Prints that something was deleted. */
export function printDeleted(kind: string, name: string, { json }: { readonly json?: boolean }): void {
  if (json) printJson({ deleted: name });
  else console.log(`${kind} ${name} deleted`);
}

/** The version that a run is on; those of drafts have no number that people use. */
export function versionText(version: number): string {
  return version < 0 ? 'draft' : `v${version}`;
}
