/**
 * Makes untrusted text safe for a terminal: colours stay. Sequences that move the cursor, set the title, fill
 * the clipboard or make the terminal answer for the user are removed.
 */

const ESCAPE = '\u001b';
const COLOUR = String.raw`\[[0-9;:]*m`;
const COMMAND = String.raw`\[[0-?]*[ -/]*[@-~]`;
const STRING = String.raw`[\]PX^_][^\u0007${ESCAPE}]*(?:\u0007|${ESCAPE}\\)?`;

const ONLY_COLOUR = new RegExp(`^${ESCAPE}${COLOUR}$`);
const CONTROL = new RegExp(`${ESCAPE}(?:${COMMAND}|${STRING}|.)?|(?![\n\t])\\p{Cc}`, 'gsu');

/** The text without what a terminal would obey, apart from colours. */
export function forTerminal(text: string): string {
  return text.replace(CONTROL, (found) => (ONLY_COLOUR.test(found) ? found : ''));
}

/** Streams that a command prints to. */
interface Streams {
  readonly stdout: { readonly isTTY?: boolean };
  readonly stderr: { readonly isTTY?: boolean };
}

/**
 * Makes a console sanitize its output to terminals: names, values, reasons and answers all come from other
 * people.
 */
export function guardConsole(to: Pick<Console, 'log' | 'warn' | 'error'>, streams: Streams): void {
  const guard = (name: 'log' | 'warn' | 'error', { isTTY = false }: Streams['stdout']) => {
    if (!isTTY) return;
    const print = to[name].bind(to);
    to[name] = (...texts: unknown[]) =>
      print(...texts.map((text) => (typeof text === 'string' ? forTerminal(text) : text)));
  };
  guard('log', streams.stdout);
  guard('warn', streams.stderr);
  guard('error', streams.stderr);
}
