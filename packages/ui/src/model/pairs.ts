/** Values by name as lines `name=value`, the way people type them, and back. */

/** The lines of values, by name. */
export function linesOf(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`)
    .join('\n');
}

/** The names in a text, with commas or spaces between them. */
export function namesOf(typed: string): string[] {
  return typed.split(/[\s,]+/).filter(Boolean);
}

/** The values of lines; `wrong` is the first line that has no name before an equals sign. */
export function pairsOf(lines: string): { readonly values: Record<string, string>; readonly wrong?: string } {
  const values: Record<string, string> = {};
  for (const line of lines.split('\n')) {
    if (line.trim() === '') continue;
    const at = line.indexOf('=');
    if (at < 1) return { values, wrong: line };
    values[line.slice(0, at).trim()] = line
      .slice(at + 1)
      .replace(/\\(n|\\)/g, (_, letter) => (letter === 'n' ? '\n' : '\\'));
  }
  return { values };
}
