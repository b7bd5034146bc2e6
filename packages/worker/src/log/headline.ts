/**
 * What a failed process says about itself: the line of its log that tells the error, with the exit code beside it. An
 * error in a task's own words needs none of this.
 */

const LONGEST = 500;
const EXIT_CODE = /^exit code \d+( \(.*\))?$/;
const LEVEL = /\b(ERROR|FATAL|CRITICAL|SEVERE)\b|\blevel"?[=:] ?"?(error|fatal)\b/;
/** A frame of a stack trace of Java, JavaScript and languages like them. */
const FRAME = /^\s+at \S|^\s*\.\.\. \d+ more$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of terminals begin with one
const COLOUR = /\u001b\[[0-9;]*m/g;

/**
 * The error with which a failed attempt is shown. Where that is only an exit code: the last line at ERROR or FATAL, or
 * the error that a later stack trace ends with, or else the last line of the log; `tail` is the end of the log.
 */
export function headline(error: string, tail: string | undefined): string {
  if (tail === undefined || !EXIT_CODE.test(error)) return error;
  const lines = tail
    .replace(COLOUR, '')
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !line.startsWith('[orrery] '));
  const place = Math.max(
    lines.findLastIndex((line) => LEVEL.test(line)),
    traceEnd(lines),
  );
  const said = (lines[place] ?? lines.at(-1))?.trim().slice(0, LONGEST);
  return said === undefined ? error : `${said} (${error})`;
}

/** Where the last stack trace says what was thrown; -1 without one. */
function traceEnd(lines: readonly string[]): number {
  return Math.max(
    pythonEnd(lines),
    frameEnd(lines),
    lines.findLastIndex((line) => line.startsWith('panic: ')),
  );
}

/** The first line after the frames, which are indented. */
function pythonEnd(lines: readonly string[]): number {
  const start = lines.findLastIndex((line) => line.startsWith('Traceback (most recent call last)'));
  return start < 0 ? -1 : lines.findIndex((line, k) => k > start && !/^\s/.test(line));
}

/** The line above the last frames: the deepest cause where there is one. */
function frameEnd(lines: readonly string[]): number {
  let above = lines.findLastIndex((line) => FRAME.test(line));
  while (above >= 0 && FRAME.test(lines[above])) above--;
  return above;
}
