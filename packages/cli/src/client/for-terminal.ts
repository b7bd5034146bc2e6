/**
 * Texts of others for a terminal: colours stay. What moves the cursor, sets the title, fills the clipboard or makes the
 * terminal answer in the place of the user is removed.
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
