/** Finds the thrown error in the stack traces of several languages. */

/** A frame as Java, JavaScript, .NET and Ruby print it. */
const FRAME = /^\s+at \S|^\s*\.\.\. \d+ (more|lines)\b|^\s+from \S+:\d+/;
/** Lines between frames, or between frames and the error. */
const BETWEEN =
  /^\s+\d+: \S|^stack backtrace:$|^Emitted 'error' event on |^Require stack:$|^- \/|^\s+Suppressed: /;
const THROWN =
  /^\s*(\[cause\]: |Caused by: |Uncaught |Unhandled exception\. |Exception in thread ".*" )?[\w.$]*(Error|Exception)\b/;
/** Limit of lines in an error message. */
const LONGEST_MESSAGE = 10;

/** The line on which the last stack trace names the error; -1 without one. */
export function endOfTrace(lines: readonly string[]): number {
  return Math.max(python(lines), frames(lines), goOrRust(lines));
}

/** The first line after the frames, which are indented. */
function python(lines: readonly string[]): number {
  const start = lines.findLastIndex((line) => line.startsWith('Traceback (most recent call last)'));
  return start < 0 ? -1 : lines.findIndex((line, k) => k > start && !/^\s/.test(line));
}

/** The line above the last frames: the deepest cause if there is one. */
function frames(lines: readonly string[]): number {
  let above = lines.findLastIndex((line) => FRAME.test(line));
  while (above >= 0 && (FRAME.test(lines[above]) || BETWEEN.test(lines[above]))) above--;
  for (let k = above; k >= 0 && k > above - LONGEST_MESSAGE && !FRAME.test(lines[k]); k--)
    if (THROWN.test(lines[k])) return k;
  return above;
}

function goOrRust(lines: readonly string[]): number {
  const panic = lines.findLastIndex((line) => /^panic: |^thread .* panicked at /.test(line));
  return panic >= 0 && lines[panic].endsWith(':') && panic + 1 < lines.length ? panic + 1 : panic;
}
