/**
 * The headline of a failed process: the log line that tells the error, with the exit code. An error from the
 * task itself needs no headline. The log mixes standard output and error in the order written
 * (docs/decisions/018), so the line is found by patterns.
 */
import { endOfTrace } from './stack-trace.ts';

const LONGEST = 500;
/** Lines at the end of a log in which a word like "failed" counts as the error. */
const NEAR_END = 20;

const EXIT_CODE = /^exit code \d+( \(.*\))?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of terminals begin with one
const COLOUR = /\u001b\[[0-9;]*[A-Za-z]/g;
/** curl writes its error after its progress on the same line. */
const BEHIND_PROGRESS = /^.*\d(curl: \(\d+\) )/;

/** Lines that follow an error and never describe it. */
const NOISE =
  /^(Node\.js v\d|\(Use `node --|exit status \d+$|Try '.*--help'|For more information about this error|note: |npm (ERR!|error)( A complete log| (code|errno|syscall|path|cwd|command) |$)|\[ERROR\] ?($|->|\[Help|To see the full|Re-run Maven|For more information))/;

/** Lines that say only that something failed: taken when no other line tells more. */
const SUMMARY =
  /^(make(\[\d+\])?: \*\*\* |collect2: error: |compilation terminated|error: (aborting due to|could not compile) |tar: (Error is not recoverable|Exiting with failure)|=+ .* =+$|\d+ errors?( generated\.?)?$|Found \d+ errors?\b|FAILED \()/;

/** A line at ERROR or FATAL. */
const LEVEL =
  /(?<!\b(0|no) )\b(ERROR|FATAL|CRITICAL|SEVERE)\b(?!S?[:=] ?0\b)|\blevel"?[=:] ?"?(error|fatal|[56]0\b)|^[EF]\d{4} \d\d:\d\d/;

/** How compilers, shells and other programs begin the line of an error. */
const TOLD =
  /^(error|fatal|panic|E)(\[\w+\])?: |: (fatal )?error( \w+)?: |^(PHP )?Fatal error: |: fatal: |^curl: \(\d+\) |^npm (ERR!|error) |^[\s|]*(Caused by: |Uncaught |Exception in thread ".*" )?[\w.$]*(Error|Exception)\b( \[\w+\])?: |^\S+: (line )?\d+: (?!`)\S|^E {3}\s*\S/;

const FAILURE =
  /\b(error|exception|fatal|fail(ed|ure|s)?|cannot|can't|couldn't|could not|unable to|refused|denied|not found|no such|does not exist|timed? ?out|unreachable|undefined|invalid|illegal|unrecogni[sz]ed|unbound|not permitted|no space left|out of memory|segmentation fault|core dumped|killed|aborted|usage:)(?!\w)/i;
const NO_FAILURE = /\b(0|no|without|zero) (error|fail)|\b(errors?|fail(ed|ures?))[=:] ?0\b|\bwarn(ing)?\b/i;
/** What `set -x` writes before a command. */
const SHELL_TRACE = /^\++ /;

/** The error shown for a failed attempt; `tail` is the end of the log. */
export function headline(error: string, tail: string | undefined): string {
  if (tail === undefined || !EXIT_CODE.test(error)) return error;
  const lines = tail
    .replace(COLOUR, '')
    .split(/[\r\n]+/)
    .map((line) => line.trimEnd().replace(BEHIND_PROGRESS, '$1'))
    .filter((line) => line !== '' && !line.startsWith('[orrery] ') && !NOISE.test(line));
  const line = lines[errorLine(lines)] ?? lines.at(-1);
  return line === undefined ? error : `${text(line).slice(0, LONGEST)} (${error})`;
}

/**
 * The index of the error line: the last line at ERROR or FATAL, the last line that starts like an error, or
 * the error of the last stack trace, whichever is latest. Otherwise a line near the end that mentions a
 * failure, or -1.
 */
function errorLine(lines: readonly string[]): number {
  const tells = (line: string): boolean => LEVEL.test(line) || TOLD.test(line);
  const told = Math.max(
    lines.findLastIndex((line) => !SUMMARY.test(line) && tells(line)),
    endOfTrace(lines),
  );
  if (told >= 0) return lines[told].startsWith('npm ') ? firstOfBlock(lines, told) : told;
  const near = lines.length - NEAR_END;
  return lines.findLastIndex(
    (line, k) =>
      k >= near &&
      FAILURE.test(line) &&
      !(NO_FAILURE.test(line) || SUMMARY.test(line) || SHELL_TRACE.test(line)),
  );
}

/** npm prints the error first and explains it in the following lines. */
function firstOfBlock(lines: readonly string[], place: number): number {
  const start = lines[place].split(' ', 2).join(' ');
  let first = place;
  while (lines[first - 1]?.startsWith(start)) first--;
  return first;
}

/** A line without the frame that some programs draw around it, or the message of a JSON line. */
function text(line: string): string {
  if (line.startsWith('{')) {
    try {
      const { msg, message, error } = JSON.parse(line);
      const said = [msg, message, error].find((one) => typeof one === 'string' && one !== '');
      if (said !== undefined) return said;
    } catch {
      // Not JSON: shown unchanged.
    }
  }
  return line.replace(/^[\s|]+/, '');
}
