/** Lines that the worker itself writes into a log. */

/** The worker's own line, told from the task's lines by how it begins. */
export function markLine(text: string): string {
  return `[orrery] ${text.replaceAll('\n', ' ')}\n`;
}
