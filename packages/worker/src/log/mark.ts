/** Lines that the worker itself writes into a task's log. */

/** Marks a line as the worker's own by its prefix. */
export function markLine(text: string): string {
  return `[orrery] ${text.replaceAll('\n', ' ')}\n`;
}
